"""Lines and hooks of one session as one row of events."""

import json
from typing import Any

import pytest
from msgspec import Raw

from tests.derive.timeline_oracle import timeline
from unspool.derive.hooks import event_key
from unspool.derive.timeline import (
    Lookup,
    TimelineIndex,
    calls_of,
    event_id,
    hook_record,
    is_within,
    line_key,
    line_record,
    place_of,
    with_prompt,
)
from unspool.model.hooks import HookEvent
from unspool.model.live import (
    NO_TOKENS,
    ByteRange,
    EventPosition,
    HookNote,
    LineEvent,
    MergedEvent,
    TokenCounts,
)
from unspool.model.rows import HookRow

NOW = 1_767_261_600_000


def line(offset: int, type: str, at: int | None = None, **more: Any) -> LineEvent:
    place = EventPosition(more.pop("source", 7), 0, offset)
    order = NOW + (more.pop("after", 0) if at is None else at)
    time = NOW + at if at is not None else None
    return LineEvent(
        place=place, length=1, line_id=offset, at=time, order=order, event_type=type, **more
    )


def hook(offset: int, type: str, at: int | None, **more: Any) -> HookRow:
    given = {"tool_use_id": "", "tool_name": "", "agent_id": "", "duration_ms": None, **more}
    said = given["input"] if "input" in given else json.dumps(given.get("data", {"at": at}))
    named = {name: given[name] for name in ("tool_use_id", "tool_name", "agent_id")}
    event = HookEvent(event=type, event_type=type, data=Raw(said.encode()), **named)
    return HookRow(
        f"9.0.{offset}",
        None if at is None else NOW + at,
        type,
        given["tool_use_id"],
        given["tool_name"],
        "",
        "",
        said,
        given["agent_id"],
        given["duration_ms"],
        "hook",
        1_000 + offset,
        key=event_key(event),
    )


class Story:
    """Lines and hooks as they come, and the index that follows them."""

    def __init__(self, said: str = "") -> None:
        self.lines: dict[int, LineEvent] = {}
        self.hooks: dict[int, HookRow] = {}
        self.used: dict[int, TokenCounts] = {}
        self.said = said
        self.index = TimelineIndex(Lookup(self._line_of, lambda _: said))

    def _line_of(self, kind: str, id: str) -> int | None:
        found = [line for line in self.lines.values() if (kind, id) in calls_of(line)]
        return min(found, key=line_key).line_id if found else None

    def add(self, lines: list[LineEvent], hooks: list[HookRow]) -> None:
        self.lines |= {line.line_id: line for line in lines}
        self.hooks |= {hook.line_id: hook for hook in hooks}
        self.index.add_lines(lines)
        self.index.add_hooks(map(note, hooks))

    def drop(self, line_id: int) -> None:
        gone = self.lines.pop(line_id)
        self.index.drop([line_key(gone)])

    def lose(self, hook: HookRow) -> None:
        del self.hooks[hook.line_id]
        self.index.clear_hooks()
        self.index.add_hooks(map(note, self.hooks.values()))

    def events(self) -> list[MergedEvent]:
        """All events; they have to be those of one who saw all at once."""
        self.index.columns.set_tokens(self.used)
        events = [self._event(position) for position in range(len(self.index.columns))]
        every = self.lines.values(), self.hooks.values()
        assert events == timeline(*every, self.used, lambda _: self.said)
        assert [self.index.agent_at(n) for n in range(len(events))] == [e.agent_id for e in events]
        return events

    def _event(self, position: int) -> MergedEvent:
        groups, tokens = self.index.groups_at(position), self.index.columns.tokens(position)
        line = self.lines.get(self.index.columns.line[position])
        if line is None:
            return hook_record(groups[0], self.index.hooks.agent_of(groups[0]), self.hooks, tokens)
        hooks = tuple(self.hooks[one.line_id] for group in groups for one in group.notes)
        return line_record(line, self._call(line), hooks, tokens)

    def _call(self, line: LineEvent) -> tuple[str, int | None] | None:
        for other in sorted(self.lines.values(), key=line_key):
            is_beside = other.place.source_id == line.place.source_id
            for id, name in other.calls if is_beside else ():
                if id in line.results[:1]:
                    return name, other.at
        return None


def note(hook: HookRow) -> HookNote:
    is_prompt = hook.event_type == "user_prompt_submit"
    return with_prompt(
        HookNote(
            hook.line_id,
            hook.timestamp,
            hook.event_type,
            hook.tool_use_id,
            hook.tool_name,
            hook.agent_id,
            hook.duration_ms,
            hook.key,
            hook.event_id,
            hook.input if is_prompt else "",
        )
    )


def made(
    lines: list[LineEvent], hooks: list[HookRow], said: str = "", **used: Any
) -> list[MergedEvent]:
    """The events of lines and hooks, in whichever order they come."""
    for first, last in ((lines, hooks), ([], hooks), (lines, [])):
        story = Story(said)
        story.used = used.get("used", {})
        story.add(first, last)
        story.add([] if first else lines, [] if last else hooks)
        events = story.events()
    return events


def kinds(events: list[MergedEvent]) -> list[str]:
    return [event.line.event_type if event.line else event.hooks[0].event_type for event in events]


def test_events_are_in_the_order_of_their_times() -> None:
    events = made([line(1, "user_prompt", 10)], [hook(1, "stop", 5), hook(2, "notification", 20)])

    assert kinds(events) == ["stop", "user_prompt", "notification"]


def test_a_line_without_a_time_stays_behind_the_one_before_it() -> None:
    lines = [line(3, "thinking", 9), line(2, "compact", after=5), line(1, "user_prompt", 5)]

    assert kinds(made(lines, [])) == ["user_prompt", "compact", "thinking"]


def test_a_hook_of_a_call_and_its_line_are_one_event() -> None:
    events = made(
        [line(1, "pre_tool_use", 10, calls=(("t1", "Bash"),))],
        [hook(1, "pre_tool_use", 11, tool_use_id="t1", tool_name="Bash")],
    )

    assert [(event.place, len(event.hooks)) for event in events] == [(EventPosition(7, 0, 1), 1)]


def test_a_hook_of_a_failure_is_a_copy_of_the_result() -> None:
    events = made(
        [line(2, "post_tool_use", 30, results=("t1",))],
        [hook(1, "post_tool_use_failure", 31, tool_use_id="t1", tool_name="Bash")],
    )

    assert len(events) == 1
    assert events[0].tool_name == "Bash"


def test_a_result_takes_its_time_from_its_call() -> None:
    events = made(
        [
            line(1, "pre_tool_use", 10, calls=(("t1", "Bash"),)),
            line(2, "post_tool_use", 250, results=("t1",)),
        ],
        [],
    )

    assert [event.duration_ms for event in events] == [None, 240]
    assert [event.tool_name for event in events] == ["Bash", "Bash"]


def test_a_result_before_its_call_took_no_time_anyone_knows() -> None:
    events = made(
        [
            line(1, "pre_tool_use", 10, calls=(("t1", "Bash"),)),
            line(2, "post_tool_use", 5, results=("t1",)),
        ],
        [],
    )

    assert [event.duration_ms for event in events] == [None, None]


def test_a_prompt_told_by_a_hook_is_the_line_that_says_it() -> None:
    told = hook(1, "user_prompt_submit", 0, data={"prompt": "make tea"})
    events = made([line(1, "user_prompt", 40)], [told], said="make tea")

    assert [len(event.hooks) for event in events] == [1]
    assert events[0].line is not None


def test_a_prompt_that_says_something_else_is_another_event() -> None:
    told = hook(1, "user_prompt_submit", 0, data={"prompt": "make tea"})

    assert len(made([line(1, "user_prompt", 40)], [told], said="make coffee")) == 2


def test_the_same_prompt_much_later_is_another_event() -> None:
    told = hook(1, "user_prompt_submit", 0, data={"prompt": "go on"})

    assert len(made([line(1, "user_prompt", 61_000)], [told], said="go on")) == 2


def test_two_equal_prompts_are_two_events() -> None:
    hooks = [hook(n, "user_prompt_submit", n, data={"prompt": "go on", "n": n}) for n in (1, 2)]
    events = made([line(1, "user_prompt", 3), line(2, "user_prompt", 4)], hooks, said="go on")

    assert [len(event.hooks) for event in events] == [1, 1]


def test_a_command_is_known_by_its_name() -> None:
    told = hook(1, "user_prompt_submit", 0, data={"prompt": "/compact all of it"})
    said = "<command-name>/compact</command-name>"

    assert len(made([line(1, "user_prompt", 4)], [told], said=said)) == 1


def test_a_prompt_nobody_can_read_is_an_event_of_its_own() -> None:
    unread = [hook(1, "user_prompt_submit", 0, input="{"), hook(2, "user_prompt_submit", None)]

    assert len(made([line(1, "user_prompt", 4)], unread)) == 3


def test_an_event_handed_in_twice_is_one() -> None:
    twice = [hook(n, "notification", 3, data={"message": "hello"}) for n in (1, 2)]

    assert len(made([], twice)) == 1


def test_a_call_only_hooks_know_ends_after_it_began() -> None:
    call = {"tool_use_id": "t1", "tool_name": "Bash"}
    events = made([], [hook(1, "pre_tool_use", 10, **call), hook(2, "post_tool_use", 25, **call)])

    assert [event.duration_ms for event in events] == [None, 15]


def test_what_a_hook_says_of_its_time_stands() -> None:
    call = {"tool_use_id": "t1", "tool_name": "Bash"}
    ends = hook(2, "post_tool_use", 25, duration_ms=3.5, **call)

    assert made([], [hook(1, "pre_tool_use", 10, **call), ends])[1].duration_ms == 3


def test_an_agent_that_stops_is_found_by_its_id() -> None:
    events = made(
        [],
        [
            hook(1, "subagent_start", 10, agent_id="a"),
            hook(2, "subagent_start", 20, agent_id="b"),
            hook(3, "subagent_stop", 50, agent_id="a"),
        ],
    )

    assert events[2].duration_ms == 40


def test_an_agent_that_stops_without_a_name_is_the_last_that_began() -> None:
    events = made(
        [],
        [
            hook(1, "subagent_start", 10, agent_id="a"),
            hook(2, "subagent_start", 20, agent_id="b"),
            hook(3, "subagent_stop", 50),
            hook(4, "subagent_stop", 60),
            hook(5, "subagent_stop", 70),
        ],
    )

    assert [(e.agent_id, e.duration_ms) for e in events[2:]] == [("b", 30), ("a", 50), ("", None)]


def test_an_agent_that_ends_is_not_another_that_runs() -> None:
    hooks = [
        hook(1, "subagent_start", 10, agent_id="a"),
        hook(2, "subagent_stop", 50, agent_id="b"),
        hook(3, "subagent_stop", 60, agent_id="a"),
    ]

    assert [event.duration_ms for event in made([], hooks)] == [None, None, 50]


def test_a_session_that_ended_has_no_agent_that_runs() -> None:
    hooks = [hook(1, "subagent_start", 10, agent_id="a"), hook(2, "session_end", 20)]

    assert made([], [*hooks, hook(3, "subagent_stop", 30)])[2].agent_id == ""


def read_call(offset: int, at: int, **more: Any) -> HookRow:
    return hook(offset, "pre_tool_use", at, tool_name="Read", tool_use_id=f"t{offset}", **more)


def test_a_tool_nobody_names_an_agent_for_is_the_running_agents() -> None:
    hooks = [
        read_call(1, 1),
        hook(2, "subagent_start", 2, agent_id="a"),
        read_call(3, 3),
        hook(4, "subagent_stop", 4, agent_id="a"),
        read_call(5, 5),
    ]

    assert [event.agent_id for event in made([], hooks)] == ["", "a", "a", "a", ""]


def test_where_tools_name_their_agents_nothing_is_guessed() -> None:
    hooks = [hook(1, "subagent_start", 1, agent_id="a"), read_call(2, 2, agent_id="a")]

    assert [event.agent_id for event in made([], [*hooks, read_call(3, 3)])] == ["a", "a", ""]


def test_a_hook_that_tells_of_a_call_of_the_main_conversation_is_its_own() -> None:
    hooks = [hook(1, "subagent_start", 1, agent_id="a"), read_call(2, 2)]
    events = made([line(1, "pre_tool_use", 2, calls=(("t2", "Read"),))], hooks)

    assert [event.agent_id for event in events] == ["a", ""]


def test_a_call_that_has_a_line_says_when_it_began() -> None:
    call = {"tool_use_id": "t1", "tool_name": "Bash"}
    hooks = [hook(1, "pre_tool_use", 10, **call), hook(2, "post_tool_use", 25, **call)]
    events = made([line(1, "pre_tool_use", 11, calls=(("t1", "Bash"),))], hooks)

    assert [event.duration_ms for event in events] == [None, 15]


def test_what_two_loggers_tell_of_has_both_records() -> None:
    events = made([], [hook(n, "stop", n * 200, data={}) for n in (1, 2)])

    assert [[one.event_id for one in event.hooks] for event in events] == [["9.0.1", "9.0.2"]]


def test_tokens_are_those_of_the_session_so_far() -> None:
    lines = [line(1, "thinking", 1), line(2, "assistant_text", 2), line(3, "user_prompt", 0)]
    events = made(lines, [], used={1: (1, 2, 3, 4), 2: (10, 20, 30, 40)})

    assert [event.tokens for event in events] == [(0, 0, 0, 0), (1, 2, 3, 4), (11, 22, 33, 44)]


def test_an_id_names_a_place() -> None:
    assert place_of("12.0.345") == EventPosition(12, 0, 345)
    assert place_of("12.x.345") == place_of("") == EventPosition(-1, 0, 0)
    assert event_id(EventPosition(12, 0, 345)) == "12.0.345"


@pytest.mark.parametrize(
    ("place", "within"),
    [
        (EventPosition(1, 0, 10), True),
        (EventPosition(1, 0, 19), True),
        (EventPosition(1, 0, 20), False),
        (EventPosition(1, 0, 9), False),
        (EventPosition(1, 1, 10), False),
        (EventPosition(2, 0, 10), False),
    ],
)
def test_a_span_has_what_begins_within_it(place: EventPosition, within: bool) -> None:
    assert is_within(place, [ByteRange(1, 0, 10, 20)]) is within


@pytest.mark.parametrize(("later", "took"), [(0, 0), (-1, None)])
def test_a_result_that_is_dated_before_its_call_took_no_known_time(
    later: int, took: int | None
) -> None:
    result = line(2, "post_tool_use", 50 + later, results=("t1",))

    assert line_record(result, ("Bash", NOW + 50), (), NO_TOKENS).duration_ms == took
