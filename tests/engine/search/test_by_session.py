"""Sessions with their hits: as many as a plain scan of the files finds, the best first."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.engine.roots import saved
from tests.engine.search.test_full_text import searching, talk
from unspool.demo import Transcript, generate
from unspool.engine.archive.reader import text_of
from unspool.model.query import TextQuery
from unspool.model.search import MatchedSessions


def named(found: MatchedSessions) -> list[str]:
    return [one.session_id for one in found.groups]


def test_sessions_come_by_their_newest_hit_each_with_all_its_counts(tmp_path: Path) -> None:
    saved(tmp_path, talk("old", 1), talk("new", 2))
    with searching(tmp_path) as search:
        found = search.find_sessions(TextQuery(terms="alpha"))

    assert named(found) == ["new", "old"]
    assert (found.hits, found.sessions, found.is_partial) == (10, 2, False)
    assert found.groups[0].kinds == dict.fromkeys(
        ("prompt", "thinking", "tool_input", "tool_result", "answer"), 1
    )


def test_what_was_asked_and_answered_comes_before_what_a_tool_printed(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        (group,) = search.find_sessions(TextQuery(terms="alpha")).groups

    assert [one.kind for one in group.best] == ["prompt", "answer", "tool_input"]
    assert [one.kind for one in group.others] == ["thinking", "tool_result"]
    assert len(group.times) == 5


def test_counts_of_kinds_ignore_the_kind_that_was_chosen(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with searching(tmp_path) as search:
        found = search.find_sessions(TextQuery(terms="alpha", kinds=("answer",)))

    assert (found.hits, len(found.kinds)) == (1, 5)
    assert [one.kind for one in found.groups[0].best] == ["answer"]


def test_pages_of_sessions_follow_on(tmp_path: Path) -> None:
    saved(tmp_path, *(Transcript(session=f"s{n}").user("beta") for n in range(15)))
    with searching(tmp_path) as search:
        first = search.find_sessions(TextQuery(terms="beta"))
        second = search.find_sessions(TextQuery(terms="beta"), first.next or 0)

    assert (len(first.groups), len(second.groups), second.next) == (12, 3, None)
    assert len({*named(first), *named(second)}) == 15


def test_of_one_session_all_hits_are_shown_a_page_at_a_time(tmp_path: Path) -> None:
    made = Transcript(session="s1")
    for n in range(50):
        made.user(f"beta {n}").says("well")
    saved(tmp_path, made, Transcript(session="s11").user("beta"))
    with searching(tmp_path) as search:
        query = TextQuery(terms="beta", session="s1")
        first, second = search.find_sessions(query), search.find_sessions(query, 40)

    shown = [one for page in (first, second) for one in page.groups if one.session_id == "s1"]
    lines = [one.line for group in shown for one in group.best]
    assert (len(lines), len(set(lines))) == (50, 50)


def test_the_best_match_decides_where_that_is_asked_for(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(200))
    short = Transcript(session="short", start="2026-01-01T10:00:00.000Z").user("gamma gamma")
    late = Transcript(session="late", start="2026-01-03T10:00:00.000Z").user(f"gamma {long}")
    saved(tmp_path, short, late)
    with searching(tmp_path) as search:
        ranked = search.find_sessions(TextQuery(terms="gamma", order="ranked"))
        newest = search.find_sessions(TextQuery(terms="gamma"))

    assert (named(ranked), named(newest)) == (["short", "late"], ["late", "short"])


@pytest.mark.parametrize("word", ["session", "error", "lantern", "the"])
def test_hits_are_as_many_as_a_plain_scan_of_the_files_finds(tmp_path: Path, word: str) -> None:
    root = tmp_path / "root"
    generate(root, mb=1, seed=5, prices=PRICES)
    with searching(root) as search:
        found = search.find_sessions(TextQuery(terms=word))
        every = [found]
        while every[-1].next is not None:
            every.append(search.find_sessions(TextQuery(terms=word), every[-1].next))

    counted = {one.session_id: sum(one.kinds.values()) for page in every for one in page.groups}
    assert counted == plainly_counted(root, word)
    assert found.hits == sum(counted.values())
    rows = [row for page in every for one in page.groups for row in (*one.best, *one.others)]
    assert all(row.ranges for row in rows)
    assert all(row.snippet[start:end].lower() == word for row in rows for start, end in row.ranges)


def plainly_counted(root: Path, word: str) -> dict[str, int]:
    """Lines that have a word, by session: every file is read as it is."""
    pattern = re.compile(rf"(?<![^\W_]){word}(?![^\W_])", re.IGNORECASE)
    counts: Counter[str] = Counter()
    for path in root.glob("projects/*/**/*.jsonl"):
        session = path.relative_to(root).parts[2].removesuffix(".jsonl")
        lines = path.read_bytes().split(b"\n")
        if session.startswith("agent-"):  # early versions put them beside their session
            session = json.loads(lines[0])["sessionId"]
        counts[session] += sum(pattern.search(text_of(line)) is not None for line in lines)
    return {session: count for session, count in counts.items() if count}
