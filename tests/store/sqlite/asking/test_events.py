"""What a timeline is made of: lines, tools, tokens and hooks of one session, as they come."""

from tests.store.made import START, Source
from unspool.store.sqlite.asking.events import SessionEvents
from unspool.store.sqlite.store import SqliteStore


def of(store: SqliteStore, project: str = "-repo") -> SessionEvents:
    return store.events_of(project, "s1")


def test_lines_are_read_on_from_an_offset(sqlite: SqliteStore) -> None:
    source = Source().line().line(event_type="").line(event_type="assistant_text", timestamp=None)
    sqlite.commit([source.batch()])
    (found,) = of(sqlite).sources()
    lines = of(sqlite).lines(found, 0)

    assert [(line.event_type, line.at) for line in lines] == [
        ("user_prompt", START + 1_000),
        ("assistant_text", None),
    ]
    assert of(sqlite).lines(found, lines[1].place.offset) == lines[1:]
    assert of(sqlite).lines(found, found.end) == []


def test_an_unfinished_line_changes_its_source(sqlite: SqliteStore) -> None:
    source = Source().line()
    sqlite.commit([source.batch()])
    (before,) = of(sqlite).sources()
    sqlite.commit([source.line("half").provisional()])
    (after,) = of(sqlite).sources()

    assert (after.end, after != before) == (before.end, True)
    assert len(of(sqlite).lines(after, before.end)) == 1


def test_a_hook_log_is_no_transcript(sqlite: SqliteStore) -> None:
    sqlite.commit([Source(2, kind="hook_log").line().hooks().batch()])

    assert of(sqlite).sources() == []


def test_a_call_is_found_by_either_of_its_lines(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().calls().line().line().answers().batch()])
    (tool,) = of(sqlite).tools()
    call, result = tool.call or 0, tool.result or 0

    assert (tool.tool_use_id, tool.name, result - call) == ("toolu_1", "Bash", 2)
    assert of(sqlite).tools((call, call)) == of(sqlite).tools((result, result)) == [tool]
    assert of(sqlite).tools((call + 1, result - 1)) == []
    assert of(sqlite, "-other").tools((call, result)) == []


def test_tokens_are_by_line_and_by_session(sqlite: SqliteStore) -> None:
    source = Source().line().spends("m:1", 5).spends("m:2", 7).line().spends("m:3", 1)
    sqlite.commit([source.batch()])

    assert [used[1] for used in of(sqlite).tokens_by_line().values()] == [12, 1]
    assert of(sqlite).tokens()[1] == 13


def test_hooks_are_read_on_from_a_line(sqlite: SqliteStore) -> None:
    log = Source(2, kind="hook_log").line().hooks(id="h1", uuid="u1").line().hooks(id="h2")
    sqlite.commit([log.batch()])
    first, second = of(sqlite).hooks()

    assert (first.event_id, first.uuid, first.key) == ("h1", "u1", "=h1")
    assert of(sqlite).hooks(first.line_id) == [second]
    assert of(sqlite).hook_count() == (2, second.line_id)
    assert (of(sqlite, "-other").hooks(), of(sqlite, "-other").hook_count()) == ([], (0, 0))
