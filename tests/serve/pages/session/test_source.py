from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.pages.session.long import PROJECT, many, opened
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.errors import NotFound
from unspool.serve.pages.session.windows import plan_window


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    many(3).save(tmp_path)
    with served(tmp_path) as made:
        yield made


def test_the_document_of_a_window_has_its_chunks_and_calls_alone(site: Served) -> None:
    with opened(site) as read:
        document, layout = read.document(plan_window(read.session, 2, 2))

    assert [chunk.type for chunk in document.chunks] == ["user", "ai"]
    assert [one.tool_use_id for one in document.tool_executions][::9] == ["toolu_11", "toolu_20"]
    assert list(layout.numbers.values()) == [2, 3]


def test_a_line_is_called_as_the_index_calls_it(site: Served) -> None:
    event = site.ask(f"/api/sessions/{PROJECT}/many/raw/3").json()["eventId"]
    with opened(site) as read:
        assert read.reader().events("", 3) == event
        assert read.reader().events("", 10**6) == ""


@pytest.mark.parametrize("agent", ["a1", "b"])
def test_an_agent_is_asked_for_by_its_whole_name(tmp_path: Path, agent: str) -> None:
    many(3).save(tmp_path)
    Transcript("many", cwd="/home/dev/long", agent="a1b2").user("look").save(tmp_path)
    with served(tmp_path) as site, pytest.raises(NotFound), opened(site, agent=agent):
        pass


def test_the_tag_changes_when_a_reader_decides_something(site: Served) -> None:
    with opened(site) as read:
        before = read.tag
    site.ask("/api/sessions/many", "PATCH", json={"pinned": True})
    with opened(site) as read:
        assert read.tag != before


def test_how_far_the_index_was_is_known_before_the_session_is_read(site: Served) -> None:
    with opened(site) as read:
        assert read.seq == site.context.store.head()
