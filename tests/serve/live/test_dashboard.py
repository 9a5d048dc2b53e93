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
from tests.plain_http import NO_TLS
from tests.serve.live.listening import ids, known, page, save
from unspool.demo import Transcript


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return root(tmp_path_factory.mktemp("dashboard") / "claude")


@pytest.fixture(scope="module")
def server(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all: each test has a session of its own."""
    home = tmp_path_factory.mktemp("unspool")
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home)) as made:
        yield made


@pytest.fixture
def made(server: Serving, place: Path, request: pytest.FixtureRequest) -> Transcript:
    """A session that the server knows."""
    session = talk(f"of-{request.node.name.removeprefix('test_')}")
    root(place, session)
    assert known(server, session.session, 5)
    return session


def post(server: Serving, **event: object) -> httpx.Response:
    headers = {"authorization": f"Bearer {server.token}"}
    return httpx.post(
        f"{server.url}/api/events", json=event, headers=headers, timeout=60, verify=NO_TLS
    )


def test_the_list_comes_first_and_says_where_the_feed_is(server: Serving, made: Transcript) -> None:
    with page(server) as it:
        first = it.told[0]

        assert first["type"] == "init"
        assert first["seq"] > 0
        assert made.session in [row["session"]["id"] for row in first["data"]["sessions"]]


def test_an_event_is_told_as_soon_as_it_is_written(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server) as it:
        it.subscribe(made.session)
        save(made.user("and now?").says("done"), place)
        assert it.until(lambda it: len(it.events) == 2)

        assert it.events == ids(server, made.session)[-2:]


def test_whoever_subscribes_to_nothing_is_told_of_rows_alone(server: Serving, place: Path) -> None:
    with page(server) as it:
        save(talk("session-two", day=2), place)
        assert it.until(
            lambda it: (
                "session-two" in [message["sessionId"] for message in it.of("session_update")]
            )
        )
        it.rest()

        assert {message["type"] for message in it.told} == {"init", "session_update"}


def test_a_subscribed_session_tells_what_it_spent(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server) as it:
        it.subscribe(made.session)
        save(made.user("more").says("yes"), place)
        assert it.until(lambda it: bool(it.of("session_updated")))

        assert it.of("session_updated")[-1]["data"]["metrics"]["outputTokens"] > 0


def test_after_unsubscribing_nothing_more_is_told(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server) as it:
        it.subscribe(made.session)
        it.say(type="unsubscribe", sessionId=made.session)
        it.say(type="nonsense")  # answered after what was said before it
        assert it.until(lambda it: bool(it.of("error")))
        save(made.user("more"), place)
        it.rest(1.5)

        assert not it.events


def test_whoever_comes_back_gets_what_was_missed_once(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server) as it:
        it.subscribe(made.session)
        save(made.user("first"), place)
        assert it.until(lambda it: len(it.events) == 1)
        seen, seq = it.events, it.seq
    save(made.says("second").user("third"), place)
    assert known(server, made.session, 8)
    with page(server, f"?after={seq}") as again:
        again.subscribe(made.session)
        save(made.says("fourth"), place)
        again.until(lambda it: len(it.events) == 3)
        again.rest()

        assert seen + again.events == ids(server, made.session)[-4:]


def test_a_killed_server_comes_back_without_a_gap_or_a_double(tmp_path: Path) -> None:
    made, place = talk(), root(tmp_path / "claude")
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


def test_a_page_and_its_number_fit_together(server: Serving, place: Path, made: Transcript) -> None:
    answer = server.get(f"/api/sessions/{made.session}/events")
    save(made.user("between"), place)
    assert known(server, made.session, 6)
    with page(server) as it:
        it.subscribe(made.session, seq=answer["seq"])
        assert it.until(lambda it: len(it.events) == 1)

        shown = [event["eventId"] for event in answer["items"]]
        assert shown + it.events == ids(server, made.session)


def test_a_number_that_was_never_given_out_means_fetch_again(
    server: Serving, made: Transcript
) -> None:
    with page(server) as it:
        it.subscribe(made.session, seq=10**9)
        assert it.until(lambda it: bool(it.of("timeline_invalidation")))

        assert it.of("timeline_invalidation")[0]["data"] == {"reason": "resume"}


def test_an_agents_file_that_comes_late_means_fetch_again(
    server: Serving, place: Path, made: Transcript
) -> None:
    save(made.wait(600).user("much later"), place)
    assert known(server, made.session, 6)
    late = Transcript(
        made.session, "/home/dev/kettle", agent="late", start="2026-01-01T10:00:00.500Z"
    )
    with page(server) as it:
        it.subscribe(made.session)
        save(late.user("look around").says("found"), place)
        assert it.until(lambda it: bool(it.of("timeline_invalidation") and it.events))

        assert it.of("timeline_invalidation")[0]["data"] == {"reason": "inserted"}
        assert set(it.events) < set(ids(server, made.session))


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


def test_a_hooks_copy_and_the_transcripts_are_one_event(
    server: Serving, place: Path, made: Transcript
) -> None:
    made.calls("Bash", {"command": "ls"}, id="toolu_x")
    with page(server) as it:
        it.subscribe(made.session)
        told = {"session_id": made.session, "tool_name": "Bash", "tool_use_id": "toolu_x"}
        post(server, hook_event_name="PreToolUse", **told)
        assert it.until(lambda it: len(it.events) == 1)
        save(made, place)
        assert it.until(lambda it: len(it.of("event_added")) == 2)

        (event,) = it.of("event_added")[1]["data"]["events"]
        assert event["sources"] == ["transcript", "hook"]
        assert it.events == [event["eventId"]] == ids(server, made.session)[-1:]


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
def test_what_makes_no_sense_is_answered(server: Serving, said: str | bytes) -> None:
    with page(server) as it:
        it.socket.send(said)

        assert it.until(lambda it: bool(it.of("error")))


@pytest.mark.parametrize("name", ["a b+c'ö", "-rf", "100%#?", "..dots", "back\\slash"])
def test_a_session_of_any_name_can_be_listened_to(server: Serving, name: str) -> None:
    with page(server) as it:
        it.subscribe(name, seq=10**9)
        it.socket.send("nonsense")

        assert it.until(lambda it: bool(it.of("error")))
        assert it.of("error")[0]["data"]["detail"].startswith("Send {type")


def test_who_never_makes_sense_is_shown_out_and_nobody_else(server: Serving) -> None:
    with page(server) as other, page(server) as it:
        for _ in range(60):
            it.socket.send("nonsense")
        with pytest.raises(ConnectionClosed):
            it.rest(20)
        other.subscribe("nobody", seq=10**9)

        assert it.socket.close_code == 1008
        assert other.until(lambda it: bool(it.of("timeline_invalidation")))


def test_a_message_that_is_too_long_ends_its_own_socket_alone(server: Serving) -> None:
    # Only the head of the message: the server refuses it by its length and closes, and a client
    # still sending the rest may find the pipe broken before it reads why.
    message = Frame(Opcode.TEXT, b"x" * 1_100_000).serialize(mask=True)
    with page(server) as other, page(server) as it:
        it.socket.socket.sendall(message[:14])
        with pytest.raises(ConnectionClosed):
            it.rest(20)
        other.subscribe("nobody", seq=10**9)

        assert it.socket.close_code == 1009
        assert other.until(lambda it: bool(it.of("timeline_invalidation")))
