import pytest

from tests.serve.served import Served
from tests.show.everything import AGENT, INNER
from unspool.serve.pages.session import locations
from unspool.serve.pages.session.source import PageSource


def chunk_of(read: PageSource, id: str) -> str:
    place = locations.step_location(read.session, read.overview.document, id)
    assert place is not None
    return read.session.fold.chunks.spans[place.chunk].id


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("1.0.5", True), ("12.3.0", True), ("1.0", False), ("a.b.c", False), ("1.0.²", False)],
)
def test_a_name_of_the_index_is_three_numbers(name: str, is_one: bool) -> None:
    assert locations.is_event(name) is is_one


def test_every_step_of_the_document_has_a_place_in_its_chunk(read: PageSource) -> None:
    document = read.session.document()
    steps = [
        (chunk.id, step.id) for chunk in document.chunks if chunk.steps for step in chunk.steps
    ]

    assert len(steps) > 60
    assert [(chunk_of(read, id), id) for _, id in steps] == steps


def test_a_chunk_is_at_its_own_place(read: PageSource) -> None:
    spans = read.session.fold.chunks.spans

    assert [chunk_of(read, span.id) for span in spans] == [span.id for span in spans]


def test_an_agent_of_an_agent_is_where_the_first_was_started(read: PageSource) -> None:
    assert chunk_of(read, INNER) == chunk_of(read, AGENT) == chunk_of(read, "toolu_find")


def test_what_is_nowhere_has_no_place(read: PageSource) -> None:
    assert locations.step_location(read.session, read.overview.document, "nobody-notice-0") is None


def test_the_event_of_every_line_has_a_place(read: PageSource) -> None:
    fold = read.session.fold
    found = [
        locations.event_location(read.session, f"1.0.{fold.place(n)[0]}")
        for n in range(1, fold.lines + 1)
    ]

    assert all(found)
    assert [one.line for one in found if one] == list(range(1, fold.lines + 1))


def test_the_line_of_an_agent_is_the_agent_s(all_kinds: tuple[Served, str]) -> None:
    site = all_kinds[0]
    found = site.ask("/api/search?q=header").json()["items"]
    owners = {locations.event_agent(site.context, one["eventId"]) for one in found}

    assert INNER in owners


def test_a_line_that_is_not_there_is_nobody_s(all_kinds: tuple[Served, str]) -> None:
    assert locations.event_agent(all_kinds[0].context, "999.0.0") == ""
