"""Events of a session, read from the index as it grows."""

from pathlib import Path

from tests.cli.made import hook_log, root, talk
from tests.serve.served import indexed, server_context
from unspool.demo import Transcript
from unspool.derive.timeline import place_of
from unspool.engine.timeline.timeline import Timeline

PROJECT = "-home-dev-kettle"


def kinds(timeline: Timeline) -> list[str]:
    return [
        event.line.event_type if event.line else event.hooks[0].event_type
        for event in timeline.events()
    ]


def hook(type: str, second: int, **more: str) -> str:
    told = "".join(f',"{name}":"{value}"' for name, value in more.items())
    when = f"2026-01-01T10:00:{second:02}.000Z"
    return f'{{"timestamp":"{when}","sessionId":"session-one","eventType":"{type}"{told}}}'


def test_reading_on_gives_what_reading_anew_gives(tmp_path: Path) -> None:
    made, place = talk(), root(tmp_path / "claude")
    indexed(place)
    with server_context(place) as reads:
        grown = Timeline(reads.store, PROJECT, "session-one")
        grown.refresh()
        made.calls("Read", {"file_path": "/a"}, id="toolu_9").returns("text").says("so").save(place)
        hook_log(place, hook("PreToolUse", 9, toolUseId="toolu_9", toolName="Read"))
        indexed(place)
        anew = Timeline(reads.store, PROJECT, "session-one")

        assert grown.refresh()
        assert anew.refresh()
        assert grown.events() == anew.events()
        assert kinds(grown)[5:] == ["pre_tool_use", "post_tool_use", "assistant_text"]
        assert [len(event.hooks) for event in grown.events()[5:]] == [1, 0, 0]


def test_without_anything_new_there_is_nothing_to_do(tmp_path: Path) -> None:
    place = root(tmp_path / "claude")
    indexed(place)
    with server_context(place) as reads:
        timeline = Timeline(reads.store, PROJECT, "session-one")

        assert timeline.refresh()
        assert not timeline.refresh()
        assert timeline.weight == 400


def test_a_file_that_began_anew_has_only_its_new_events(tmp_path: Path) -> None:
    place = root(tmp_path / "claude")
    indexed(place)
    with server_context(place) as reads:
        timeline = Timeline(reads.store, PROJECT, "session-one")
        timeline.refresh()
        other = Transcript("session-one", "/home/dev/kettle", start="2026-02-01T10:00:00.000Z")
        path = other.user("all is new").path_in(place)
        path.unlink()
        other.save(place)
        indexed(place)
        timeline.refresh()

        assert kinds(timeline) == ["user_prompt"]


def test_an_agents_events_stand_among_the_others(tmp_path: Path) -> None:
    agent = Transcript(
        "session-one", "/home/dev/kettle", agent="abc", start="2026-01-01T10:00:01.500Z"
    )
    place = root(tmp_path / "claude", talk(), agent.user("look").says("seen"))
    indexed(place)
    with server_context(place) as reads:
        timeline = Timeline(reads.store, PROJECT, "session-one")
        timeline.refresh()
        agents = [event.agent_id for event in timeline.events()]

        assert sorted(agents) == [""] * 5 + ["abc"] * 2
        assert (agents[0], "abc" in agents[1:4]) == ("", True)


def test_an_event_is_found_by_its_place_and_a_hooks(tmp_path: Path) -> None:
    place = root(tmp_path / "claude")
    hook_log(place, hook("Stop", 50))
    indexed(place)
    with server_context(place) as reads:
        timeline = Timeline(reads.store, PROJECT, "session-one")
        timeline.refresh()

        assert [timeline.find(event.place) for event in timeline.events()] == [*range(6)]


def test_each_of_several_events_is_found_by_its_hook(tmp_path: Path) -> None:
    made = talk()
    for number in range(3):
        made.calls("Read", {"file_path": "/a"}, id=f"toolu_{number}").returns("text")
    place = root(tmp_path / "claude", made)
    calls = [hook("PreToolUse", 9, toolUseId=f"toolu_{n}", toolName="Read") for n in range(3)]
    hook_log(place, *calls)
    indexed(place)
    with server_context(place) as reads:
        timeline = Timeline(reads.store, PROJECT, "session-one")
        timeline.refresh()
        hooks = [(at, one) for at, event in enumerate(timeline.events()) for one in event.hooks]

        assert len({at for at, _ in hooks}) == 3
        assert [timeline.find(place_of(one.event_id)) for _, one in hooks] == [
            at for at, _ in hooks
        ]
