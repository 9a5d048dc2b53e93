"""The live channel of a real server: what a page is told while files grow."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import ids, known, page, save
from unspool.demo import Transcript


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return root(tmp_path / "claude")


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place) as made:
        assert known(made, "session-one", 5)
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for those that change nothing."""
    with serving(root(tmp_path_factory.mktemp("shared") / "claude")) as made:
        assert known(made, "session-one", 5)
        yield made


def post(server: Serving, **event: object) -> httpx.Response:
    headers = {"authorization": f"Bearer {server.token}"}
    return httpx.post(f"{server.url}/api/events", json=event, headers=headers, timeout=60)


def test_the_list_comes_first_and_says_where_the_feed_is(server: Serving) -> None:
    with page(server) as it:
        first = it.told[0]

        assert first["type"] == "init"
        assert first["seq"] > 0
        assert [row["session"]["id"] for row in first["data"]["sessions"]] == ["session-one"]


def test_an_event_is_told_as_soon_as_it_is_written(server: Serving, place: Path) -> None:
    made = talk()
    with page(server) as it:
        it.subscribe("session-one")
        save(made.user("and now?").says("done"), place)
        assert it.until(lambda it: len(it.events) == 2)

        assert it.events == ids(server, "session-one")[-2:]


def test_whoever_subscribes_to_nothing_is_told_of_rows_alone(server: Serving, place: Path) -> None:
    with page(server) as it:
        save(talk("session-two", day=2), place)
        assert it.until(lambda it: bool(it.of("session_update")))
        it.rest()

        assert {message["type"] for message in it.told} == {"init", "session_update"}
        assert it.of("session_update")[0]["sessionId"] == "session-two"


def test_a_subscribed_session_tells_what_it_spent(server: Serving, place: Path) -> None:
    with page(server) as it:
        it.subscribe("session-one")
        save(talk().user("more").says("yes"), place)
        assert it.until(lambda it: bool(it.of("session_updated")))

        assert it.of("session_updated")[-1]["data"]["metrics"]["outputTokens"] > 0


def test_after_unsubscribing_nothing_more_is_told(server: Serving, place: Path) -> None:
    with page(server) as it:
        it.subscribe("session-one")
        it.say(type="unsubscribe", sessionId="session-one")
        it.say(type="nonsense")  # answered after what was said before it
        assert it.until(lambda it: bool(it.of("error")))
        save(talk().user("more"), place)
        it.rest(1.5)

        assert not it.events


def test_whoever_comes_back_gets_what_was_missed_once(server: Serving, place: Path) -> None:
    made = talk()
    with page(server) as it:
        it.subscribe("session-one")
        save(made.user("first"), place)
        assert it.until(lambda it: len(it.events) == 1)
        seen, seq = it.events, it.seq
    save(made.says("second").user("third"), place)
    assert known(server, "session-one", 8)
    with page(server, f"?after={seq}") as again:
        again.subscribe("session-one")
        save(made.says("fourth"), place)
        again.until(lambda it: len(it.events) == 3)
        again.rest()

        assert seen + again.events == ids(server, "session-one")[-4:]


def test_a_killed_server_comes_back_without_a_gap_or_a_double(place: Path) -> None:
    made = talk()
    with serving(place, "--port", "0", "--keep-token") as first:
        assert known(first, "session-one", 5)
        with page(first) as it:
            it.subscribe("session-one")
            save(made.user("first"), place)
            assert it.until(lambda it: len(it.events) == 1)
            seen, seq = it.events, it.seq
            os.kill(first.process.pid, signal.SIGKILL)
            save(made.says("second"), place)
    with serving(place, "--port", "0", "--keep-token") as second, page(second) as again:
        again.subscribe("session-one", seq=seq)
        save(made.user("third").says("fourth"), place)
        again.until(lambda it: len(it.events) == 3)
        again.rest()

        assert seen + again.events == ids(second, "session-one")[-4:]


def test_a_page_and_its_number_fit_together(server: Serving, place: Path) -> None:
    answer = server.get("/api/sessions/session-one/events")
    save(talk().user("between"), place)
    assert known(server, "session-one", 6)
    with page(server) as it:
        it.subscribe("session-one", seq=answer["seq"])
        assert it.until(lambda it: len(it.events) == 1)

        shown = [event["eventId"] for event in answer["items"]]
        assert shown + it.events == ids(server, "session-one")


def test_a_number_that_was_never_given_out_means_fetch_again(server: Serving) -> None:
    with page(server) as it:
        it.subscribe("session-one", seq=10**9)
        assert it.until(lambda it: bool(it.of("timeline_invalidation")))

        assert it.of("timeline_invalidation")[0]["data"] == {"reason": "resume"}


def test_an_agents_file_that_comes_late_means_fetch_again(server: Serving, place: Path) -> None:
    made = talk().wait(600).user("much later")
    save(made, place)
    assert known(server, "session-one", 6)
    late = Transcript(
        "session-one", "/home/dev/kettle", agent="late", start="2026-01-01T10:00:00.500Z"
    )
    with page(server) as it:
        it.subscribe("session-one")
        save(late.user("look around").says("found"), place)
        assert it.until(lambda it: bool(it.of("timeline_invalidation") and it.events))

        assert it.of("timeline_invalidation")[0]["data"] == {"reason": "inserted"}
        assert set(it.events) < set(ids(server, "session-one"))


def test_hooks_make_a_session_and_end_it(server: Serving) -> None:
    with page(server) as it:
        it.subscribe("told-by-hooks")
        post(server, hook_event_name="SessionStart", session_id="told-by-hooks", cwd="/repo")
        assert it.until(lambda it: len(it.events) == 1)
        post(server, hook_event_name="SessionEnd", session_id="told-by-hooks", reason="exit")
        assert it.until(lambda it: len(it.events) == 2)
        assert it.until(lambda it: bool(it.of("session_ended")))

        types = [
            event["eventType"]
            for message in it.of("event_added")
            for event in message["data"]["events"]
        ]
        assert types == ["session_start", "session_end"]


def test_a_hooks_copy_and_the_transcripts_are_one_event(server: Serving, place: Path) -> None:
    made = talk().calls("Bash", {"command": "ls"}, id="toolu_x")
    with page(server) as it:
        it.subscribe("session-one")
        told = {"session_id": "session-one", "tool_name": "Bash", "tool_use_id": "toolu_x"}
        post(server, hook_event_name="PreToolUse", **told)
        assert it.until(lambda it: len(it.events) == 1)
        save(made, place)
        assert it.until(lambda it: len(it.of("event_added")) == 2)

        (event,) = it.of("event_added")[1]["data"]["events"]
        assert event["sources"] == ["transcript", "hook"]
        assert it.events == [event["eventId"]] == ids(server, "session-one")[-1:]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "nonsense",
        "[]",
        "null",
        '{"type":"subscribe"}',
        '{"type":"subscribe","sessionId":7}',
        '{"type":"subscribe","sessionId":"../../etc"}',
        '{"type":"subscribe","sessionId":"x","seq":"1"}',
        '{"type":"subscribe","sessionId":"' + "x" * 10_000 + '"}',
        '{"type":"drop"}',
        "[" * 100_000,
        '{"type":"subscribe","sessionId":"\\ud800"}',
        b"\xff\xfe\x00",
    ],
)
def test_what_makes_no_sense_is_answered(shared: Serving, said: str | bytes) -> None:
    with page(shared) as it:
        it.socket.send(said)

        assert it.until(lambda it: bool(it.of("error")))


@pytest.mark.parametrize("name", ["a b+c'ö", "-rf", "100%#?", "..dots", "back\\slash"])
def test_a_session_of_any_name_can_be_listened_to(shared: Serving, name: str) -> None:
    with page(shared) as it:
        it.subscribe(name, seq=10**9)
        it.socket.send("nonsense")

        assert it.until(lambda it: bool(it.of("error")))
        assert it.of("error")[0]["data"]["detail"].startswith("Say {type")


def test_who_never_makes_sense_is_shown_out_and_nobody_else(shared: Serving) -> None:
    with page(shared) as other, page(shared) as it:
        for _ in range(60):
            it.socket.send("nonsense")
        with pytest.raises(ConnectionClosed):
            it.rest(20)
        other.subscribe("nobody", seq=10**9)

        assert it.socket.close_code == 1008
        assert other.until(lambda it: bool(it.of("timeline_invalidation")))


def test_a_message_that_is_too_long_ends_its_own_socket_alone(shared: Serving) -> None:
    # Only the head of the message: the server refuses it by its length and closes, and a client
    # still sending the rest may find the pipe broken before it reads why.
    message = Frame(Opcode.TEXT, b"x" * 1_100_000).serialize(mask=True)
    with page(shared) as other, page(shared) as it:
        it.socket.socket.sendall(message[:14])
        with pytest.raises(ConnectionClosed):
            it.rest(20)
        other.subscribe("nobody", seq=10**9)

        assert it.socket.close_code == 1009
        assert other.until(lambda it: bool(it.of("timeline_invalidation")))
