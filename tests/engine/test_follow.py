import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.lively import lively, register, tell
from unspool.cli import config
from unspool.demo import Transcript
from unspool.engine.archive.redacted import cleaner
from unspool.engine.follow import Follower, FollowQuery
from unspool.model.files import Root
from unspool.model.live import LiveEvent
from unspool.source.spool import append
from unspool.source.watch import WatchScope


class Scene:
    """A root and somebody who follows it; the watcher's part is played by hand."""

    def __init__(self, root: Path, only: str = "", back: int = 0) -> None:
        where = Root(1, str(root), "", str(root / "projects"))
        spool = str(root / "spool")
        self._watched = WatchScope([where], spool)
        self._follower = Follower(FollowQuery([where], spool, cleaner(None), only), config.now())
        self.past = texts(self._follower.past(back))

    def look(self, *paths: Path, later: int = 0) -> list[LiveEvent]:
        found = (self._watched.file(str(path)) for path in paths)
        changed = [replace(one, gone=not os.path.exists(one.path)) for one in found if one]
        return self._follower.look(changed, config.now() + later)


def texts(told: list[LiveEvent]) -> list[str]:
    return [one.text for one in told]


def old(root: Path, talk: Transcript) -> Path:
    """Save a session as one that nobody has written to for long."""
    path = talk.save(root)
    os.utime(path, (1, 1))
    return path


def test_the_last_things_of_all_live_sessions_come_in_the_order_they_happened(
    tmp_path: Path,
) -> None:
    lively("one", ago=50).user("first").user("third").save(tmp_path)
    lively("two", "/home/dev/lantern", ago=48).user("fourth").save(tmp_path)

    assert Scene(tmp_path, back=2).past == ["third", "fourth"]
    assert Scene(tmp_path, back=0).past == []


def test_what_is_written_while_it_begins_is_told(tmp_path: Path) -> None:
    talk = lively("one").user("old")
    path = talk.save(tmp_path)
    where = Root(1, str(tmp_path), "", str(tmp_path / "projects"))
    follower = Follower(FollowQuery([where], "", cleaner(None)), config.now())
    talk.user("new").user("newer").write(path)

    assert texts(follower.past(0)) == ["new", "newer"]


def test_a_session_of_long_ago_is_not_live_unless_its_process_is(tmp_path: Path) -> None:
    old(tmp_path, lively("one").user("hello"))
    assert Scene(tmp_path, back=5).past == []
    register(tmp_path, "one")

    assert Scene(tmp_path, back=5).past == ["hello"]


def test_a_quiet_session_that_goes_on_is_told_from_there(tmp_path: Path) -> None:
    talk = lively("one").user("old")
    path = old(tmp_path, talk)
    scene = Scene(tmp_path, back=5)
    talk.user("new").save(tmp_path)

    assert texts(scene.look(path)) == ["new"]


def test_a_session_that_begins_is_told_from_its_first_line(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    path = lively("one").user("hello").says("hi").save(tmp_path)

    assert texts(scene.look(path)) == ["hello", "hi"]


def test_a_line_without_its_newline_is_told_when_nothing_more_comes(tmp_path: Path) -> None:
    talk = lively("one").user("old")
    path = talk.save(tmp_path)
    scene = Scene(tmp_path)
    path.write_bytes(talk.user("new").bytes().removesuffix(b"\n"))
    at_once = texts(scene.look(path))
    os.utime(path, (config.now() / 1_000 - 31,) * 2)

    assert at_once == []
    assert texts(scene.look(later=31_000)) == ["new"]
    assert Scene(tmp_path, only="one", back=5).past == ["old", "new"]


def test_one_session_is_followed_alone(tmp_path: Path) -> None:
    mine, other = lively("mine").user("a"), lively("other").user("b")
    paths = old(tmp_path, mine), old(tmp_path, other)
    scene = Scene(tmp_path, only="mine", back=5)
    mine.user("c").save(tmp_path)
    other.user("d").save(tmp_path)

    assert scene.past == ["a"]
    assert texts(scene.look(*paths)) == ["c"]


def test_its_agents_are_followed_too(tmp_path: Path) -> None:
    lively("mine").user("a").save(tmp_path)
    scene = Scene(tmp_path, only="mine")
    agent = Transcript("mine", "/home/dev/kettle", agent="a1b2").user("look around")
    [one] = scene.look(agent.save(tmp_path))

    assert (one.agent_id, one.text) == ("a1b2", "look around")


def test_hooks_are_told_from_logs_and_from_the_spool(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    tell(tmp_path, "one", "SessionStart", source="startup")
    payload = b'{"hook_event_name":"Notification","session_id":"one","message":"ping"}'
    append(tmp_path / "spool", [payload], config.now())
    files = [*tmp_path.glob("hooks/*/*"), *tmp_path.glob("spool/*")]

    assert texts(scene.look(*files)) == ["startup", "ping"]


def test_hooks_of_a_session_that_is_written_to_are_of_its_past(tmp_path: Path) -> None:
    lively("one").user("hello").save(tmp_path)
    payload = '{"hook_event_name":"Notification","session_id":"%s","message":"to %s"}'
    for session in ("one", "another"):
        append(tmp_path / "spool", [(payload % (session, session)).encode()], 1)

    assert set(Scene(tmp_path, back=9).past) == {"hello", "to one"}


def test_events_of_before_are_not_told_when_a_log_grows(tmp_path: Path) -> None:
    log = tmp_path / "hooks" / "-p" / "one.hooks.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(
        '{"eventType":"SessionStart","sessionId":"one","timestamp":"2026-01-01T00:00:00.000Z",'
        '"input":{"source":"startup"}}\n'
    )

    assert Scene(tmp_path).look(log) == []


@pytest.mark.parametrize("hook_first", [True, False])
def test_an_end_is_told_once(tmp_path: Path, hook_first: bool) -> None:
    entry = register(tmp_path, "one")
    scene = Scene(tmp_path)
    entry.unlink()
    tell(tmp_path, "one", "SessionEnd", reason="logout")
    [log] = tmp_path.glob("hooks/*/*")
    first, second = (log, entry) if hook_first else (entry, log)
    told = [*scene.look(first), *scene.look(second)]

    assert [one.kind for one in told] == ["ended"]


def test_a_process_that_died_is_an_end(tmp_path: Path) -> None:
    entry = register(tmp_path, "one")
    scene = Scene(tmp_path)
    register(tmp_path, "one", pid=2**22 + 1)
    entry.unlink()

    assert [one.kind for one in scene.look(entry)] == ["ended"]


def test_a_session_that_is_taken_up_again_can_end_again(tmp_path: Path) -> None:
    entry = register(tmp_path, "one")
    scene = Scene(tmp_path)
    entry.unlink()
    scene.look(entry)
    path = lively("one").user("again").save(tmp_path)
    register(tmp_path, "one")
    scene.look(path, entry)
    entry.unlink()

    assert [one.kind for one in scene.look(entry)] == ["ended"]


def test_a_transcript_that_is_deleted_is_told_of(tmp_path: Path) -> None:
    path = lively("one").user("hello").save(tmp_path)
    scene = Scene(tmp_path, back=1)
    path.unlink()

    assert texts(scene.look(path)) == ["Its transcript was deleted."]
