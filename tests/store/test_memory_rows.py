from msgspec.structs import replace

from tests.store.made import START, Source, usage
from unspool.model.query import SessionQuery, TextQuery
from unspool.store.memory_rows import (
    fits,
    hit,
    is_asked,
    listing,
    name_of,
    named,
    newest,
    place_of,
    total,
)


def test_a_source_is_named_by_session_and_by_generation() -> None:
    row = Source(7, "s2", project="-p").restart().row

    assert (name_of(row), place_of(row)) == (("-p", "s2"), (7, 1))


def test_names_come_without_state() -> None:
    row = Source().line().row

    assert named(row) == replace(row, offset=0, lines=0)


def test_a_session_nobody_told_of_is_listed_by_what_its_files_hold() -> None:
    source = Source().line().calls().line(event_type="")
    batch = source.batch()
    row = listing(("-repo", "s1"), [source.row], [batch], 2)

    assert (row.origin, row.lines, row.events, row.tool_calls, row.hooks) == ("", None, 1, 1, 2)
    assert (row.is_displayable, row.title) == (False, "")


def test_sessions_without_activity_are_the_oldest() -> None:
    row = listing(("-repo", "s1"), [], [], 0)

    assert newest(row) == (0, "s1", "-repo")
    assert not is_asked(row, SessionQuery(since=1))
    assert is_asked(row, SessionQuery(projects=("-repo",), session="s"))


def test_a_line_of_an_agent_inside_a_main_file_is_the_agents() -> None:
    source = Source(agent="own").line("x", agent_id="a9").line("y")
    first, second = source.last - (1000 << 22) - 1, source.last
    batch = source.batch()

    assert [hit(batch, id, "").agent_id for id in (first, second)] == ["a9", "own"]


def test_both_ends_of_a_time_are_included() -> None:
    source = Source().line("x")
    found = hit(source.batch(), (START + 1000) << 22 | 1001, "")

    assert fits(found, TextQuery(since=START + 1000, until=START + 1000))
    assert not fits(found, TextQuery(since=START + 1001))


def test_a_sum_has_its_first_and_last_time() -> None:
    rows = [usage("m:1", 5, at=START, usd_pico=1000), usage("m:2", 6, at=START + 9)]
    added = total((0, "-repo", "s1", "", "m"), rows)

    assert (added.output_tokens, added.usd_pico, added.unpriced) == (11, 1000, 1)
    assert (added.responses, added.first_at, added.last_at) == (2, START, START + 9)
