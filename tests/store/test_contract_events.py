"""What a timeline is made of: lines, tools, tokens and hooks of one session, as they come."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.store.made import START, Source
from tests.store.stores import AnyStore
from unspool.store.event_rows import EventRows


@contextmanager
def of(store: AnyStore, project: str = "-repo") -> Iterator[EventRows]:
    with store.events_of(project, "s1").reading() as rows:
        yield rows


def test_lines_are_read_on_from_an_offset(store: AnyStore) -> None:
    source = Source().line().line(event_type="").line(event_type="assistant_text", timestamp=None)
    store.commit([source.batch()])
    with of(store) as rows:
        (found,) = rows.sources()
        lines = rows.lines(found, 0)
        second = lines[1].place.offset

        assert [(line.event_type, line.at) for line in lines] == [
            ("user_prompt", START + 1_000),
            ("assistant_text", None),
        ]
        assert rows.lines(found, second) == lines[1:]
        assert rows.lines(found, 0, second) == rows.lines(found, 0, limit=1) == lines[:1]
        assert rows.lines(found, found.end) == []
        assert rows.lines_by_id([line.line_id for line in lines]) == lines
        assert len(rows.line_ids(found, 0)) == 3


def test_an_unfinished_line_changes_its_source(store: AnyStore) -> None:
    source = Source().line()
    store.commit([source.batch()])
    with of(store) as rows:
        (before,) = rows.sources()
    store.commit([source.line("half").provisional()])
    with of(store) as rows:
        (after,) = rows.sources()

        assert (after.end, after != before) == (before.end, True)
        assert len(rows.lines(after, before.end)) == 1


def test_a_hook_log_is_no_transcript(store: AnyStore) -> None:
    store.commit([Source(2, kind="hook_log").line().hooks().batch()])
    with of(store) as rows:
        assert rows.sources() == []


def test_what_is_written_meanwhile_is_not_seen(store: AnyStore) -> None:
    source = Source().line()
    store.commit([source.batch()])
    with of(store) as rows:
        before = rows.sources()
        store.commit([source.line().batch()])

        assert rows.sources() == before


def test_a_call_is_found_by_either_of_its_lines(store: AnyStore) -> None:
    store.commit([Source().line().calls().line().line().answers().batch()])
    with of(store) as rows:
        (source,) = rows.sources()
        (tool,) = rows.tools(source)
        call, between, result = rows.line_ids(source, 0)

        assert (tool.tool_use_id, tool.name) == ("toolu_1", "Bash")
        assert (tool.call, tool.result) == (call, result)
        assert tool.called_at == START + 1_000
        assert rows.tools_by_line([call]) == rows.tools_by_line([call, result]) == [tool]
        assert rows.tools_by_line([result]) == [tool]
        assert rows.tools_by_line([between]) == []
        assert rows.line_of_call("toolu_1", is_result=False) == call
        assert rows.line_of_call("toolu_1", is_result=True) == result
        assert rows.line_of_call("toolu_2", is_result=True) is None
    with of(store, "-other") as rows:
        assert rows.line_of_call("toolu_1", is_result=False) is None


def test_tokens_are_by_line_and_by_session(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5).spends("m:2", 7).line().spends("m:3", 1)
    store.commit([source.batch()])
    with of(store) as rows:
        used = rows.tokens_by_line()

        assert [tokens[1] for tokens in used.values()] == [12, 1]
        assert rows.tokens()[1] == 13
        assert rows.tokens_of(used.keys()) == used
        assert rows.tokens_of([]) == rows.tokens_of([99]) == {}


def test_a_later_line_of_a_response_leads_to_the_line_it_counts_at(store: AnyStore) -> None:
    source = Source().line(message_id="1").spends("m:1", 5).line(message_id="2").spends("m:2")
    store.commit([source.line(message_id="1").spends("m:1", 9).line().batch()])
    with of(store) as rows:
        (found,) = rows.sources()
        first, second, later, other = [line.line_id for line in rows.lines(found, 0)]

        assert [*rows.responses_of([later]).values()] == [first]
        assert {*rows.responses_of([later, second]).values()} == {first, second}
        assert rows.responses_of([later]).keys() == rows.responses_of([first]).keys()
        assert rows.responses_of([other]) == rows.responses_of([]) == {}


def test_hooks_are_read_on_from_a_line(store: AnyStore) -> None:
    log = Source(2, kind="hook_log").line().hooks(id="h1", uuid="u1").line().hooks(id="h2")
    store.commit([log.batch()])
    first, second = store.events_of("-repo", "s1").hooks()
    with of(store) as rows:
        notes = rows.hook_notes()

        assert (first.event_id, first.uuid, first.key) == ("h1", "u1", "=h1")
        assert [note.event_id for note in notes] == ["h1", "h2"]
        assert rows.new_hook_notes(first.line_id) == notes[1:]
        assert rows.hooks_by_line([second.line_id]) == [second]
        assert (rows.hook_count(), rows.hook_state().newest) == (2, second.line_id)
    with of(store, "-other") as rows:
        assert (rows.hook_notes(), rows.hook_count()) == ([], 0)


def test_a_hook_log_that_begins_anew_is_seen_in_the_state(store: AnyStore) -> None:
    log = Source(2, kind="hook_log").line().hooks(id="h1")
    store.commit([log.batch()])
    with of(store) as rows:
        before = rows.hook_state()
    log.restart()
    store.commit([log.line().hooks(id="h2").batch()])
    with of(store) as rows:
        assert rows.hook_state()[1:] != before[1:]
