"""The end of a transcript says of a stop what the whole of it says."""

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.reading.clock import millis
from unspool.derive.status import status, with_reset
from unspool.derive.transcript import TranscriptFold, Views
from unspool.engine.sessions.stopped import stop_of
from unspool.model.usage import ApiError, Quota, QuotaWindow

MINUTE: Final = 60_000
LIMIT, ZONELESS = "You've hit your limit · resets 6pm (UTC)", "5-hour limit reached ∙ resets 3pm"
COMMAND = "<command-name>/x</command-name>"
SAID: Final[dict[str, Callable[[Transcript], object]]] = {
    "limit": lambda made: made.synthetic(LIMIT, error="rate_limit"),
    "limit without a zone": lambda made: made.synthetic(ZONELESS, isApiErrorMessage=True),
    "error": lambda made: made.synthetic("API Error: 500", error="server_error"),
    "error of an agent": lambda made: made.synthetic(
        "API Error: 529", error="overloaded", isSidechain=True, agentId="a1"
    ),
    "note of the client": lambda made: made.synthetic("No response requested."),
    "prompt": lambda made: made.user("Go on"),
    "prompt with a tag": lambda made: made.user("What is <b>?"),
    "prompt of an agent": lambda made: made.user("Look", isSidechain=True, agentId="a1"),
    "reminder": lambda made: made.reminder("Mind the gap"),
    "command": lambda made: made.user(COMMAND),
    "output of a command": lambda made: made.user("<local-command-stdout>x</local-command-stdout>"),
    "answer": lambda made: made.says("There"),
    "answer that goes on": lambda made: made.says("There", stop=None),
    "thinking": lambda made: made.thinks("Hm"),
    "call": lambda made: made.calls("Bash", {"command": "ls"}, id="t1"),
    "another call": lambda made: made.calls("Bash", {"command": "ls"}, id="t2"),
    "result": lambda made: made.returns("ok", call="t1"),
    "failed result": lambda made: made.returns("no", call="t2", failed=True),
    "interruption": lambda made: made.interrupted(),
    "turn": lambda made: made.system("turn_duration", durationMs=5_000),
    "local command": lambda made: made.system(
        "local_command", content="<command-name>/x</command-name>"
    ),
    "retry": lambda made: made.system("api_error", content="Overloaded"),
    "title": lambda made: made.entry("ai-title", aiTitle="x"),
    "summary": lambda made: made.entry("summary", summary="x", leafUuid="u"),
    "end": lambda made: made.entry("ended-by-model"),
    "compaction": lambda made: made.compacts("auto", summary="It went well"),
    "broken line": lambda made: made.raw(b'{"type": "user", "isApiErrorMessage": true'),
}


def talk(*said: str) -> Transcript:
    made = Transcript().user("Begin")
    for one in said:
        SAID[one](made.wait(2))
    return made


def judged(made: Transcript, quota: tuple[Quota, ...] = ()) -> tuple[object, object]:
    """By its last lines, and by the fold of all of them."""
    now = int(made.clock.next.timestamp() * 1_000) + MINUTE
    lines = made.bytes().splitlines()
    fold = TranscriptFold("", views=Views.NONE)
    fold.feed_all((0, len(line), decode(line)) for line in lines)
    known = status(with_reset(fold.status.state, quota), (), None, None, now)
    is_stopped = known.state in ("limited", "failed")
    wanted = ApiError(known.state, known.error, millis(known.until)) if is_stopped else None  # type: ignore[arg-type]
    return stop_of(lines, now, lambda: quota), wanted


@given(st.lists(st.sampled_from(sorted(SAID)), max_size=6))
@settings(max_examples=examples(400))
def test_it_is_what_the_fold_of_all_lines_says(said: list[str]) -> None:
    found, wanted = judged(talk(*said))

    assert found == wanted


@pytest.mark.parametrize("last", SAID)
def test_so_it_is_whatever_follows_a_limit(last: str) -> None:
    found, wanted = judged(talk("limit", last))

    assert found == wanted


def test_the_quota_says_when_a_limit_is_reset_that_names_no_zone() -> None:
    made = talk("limit without a zone")
    at = int(made.clock.next.timestamp() * 1_000)
    quota = (Quota(at - MINUTE, QuotaWindow(100, at + 60 * MINUTE)),)

    found, wanted = judged(made, quota)
    assert found == wanted == ApiError("limited", ZONELESS, at + 60 * MINUTE)


def test_the_rest_of_a_line_at_the_beginning_is_none() -> None:
    first, *lines = talk("error").bytes().splitlines()

    assert stop_of([first[7:], *lines], 0, tuple) is not None
    assert stop_of([lines[-1][7:]], 0, tuple) is None
