"""What the stories say: written by hand, fit to be read, and about nobody."""

import json
import re
from random import Random

import pytest

from tests.demo.stories.told import Told, texts
from unspool.demo.generator.words import TextSource
from unspool.demo.script.steps import Story
from unspool.demo.stories import PAST
from unspool.demo.stories.running_sessions import RUNNING

STORIES = [*PAST, *(story for stories in RUNNING for story in stories)]
MAIL = re.compile(r"\b\w[\w.+-]*@[\w-]+\.[a-z]{2,}", re.I)
NAMES = set(
    "Alice Bob Carol Dave Eve John Jane Mary James Peter Paul Anna Emma Max Tom Tim Sarah Lisa "
    "Mike David Daniel Chris Alex Sam Kate Laura Julia Martin Thomas Michael Andrew Simon".split()
)


def _text(told: Told) -> str:
    lines = (
        json.loads(line)
        for path in told.root.glob("projects/**/*.jsonl")
        for line in path.read_bytes().splitlines()
    )
    return "\n".join(text for line in lines for text in texts(line.get("message")))


def test_no_word_is_from_the_random_source(told: Told) -> None:
    source = TextSource(Random(1))
    invented = {source.nickname().rpartition("-")[2] for _ in range(4_000)}
    said = set(re.findall(r"[a-z]+", _text(told).lower()))

    assert {word for word in invented & said if len(word) > 6} == set()
    assert not any(source.sentence() in _text(told) for _ in range(20))


def test_nobody_is_named_and_there_is_no_address(told: Told) -> None:
    text = _text(told)

    assert MAIL.findall(text) == []
    assert NAMES & set(re.findall(r"\b[A-Z][a-z]+\b", text)) == set()


def test_no_line_is_longer_than_a_reader_bears(told: Told) -> None:
    rows = [row for row in _text(told).split("\n") if len(row) > 600]

    assert rows == []


def test_what_a_story_leaves_open_is_filled_in(told: Told) -> None:
    whole = b"".join(path.read_bytes() for path in told.root.rglob("*.jsonl"))

    assert b"$REPO" not in whole
    assert b"$DAY" not in whole


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_story_is_of_the_project_and_has_a_short_title(story: Story) -> None:
    assert story.cwd.startswith("/home/dev/waybill")
    assert 10 <= len(story.title) <= 45
    assert not story.title.endswith(".")


def test_no_two_stories_have_one_name() -> None:
    names = [story.name for story in STORIES]

    assert len(set(names)) == len(names)
