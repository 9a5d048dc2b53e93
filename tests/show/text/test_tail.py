from datetime import UTC
from typing import Any

import pytest

from unspool.model.live import LiveEvent
from unspool.show.spans import cells, plain
from unspool.show.text.layout import Frame
from unspool.show.text.tail import event_lines


def told(kind: str, *, width: int | None = 80, several: bool = False, **fields: Any) -> list[str]:
    given = {"at": "2026-11-15T23:41:07.000Z", "session_id": "3f2a91c0-77", **fields}
    one = LiveEvent(kind=kind, **given)  # type: ignore[arg-type]
    return [plain(line) for line in event_lines(one, Frame(width, 0, UTC), several=several)]


def test_a_line_says_when_who_and_what() -> None:
    assert told("prompt", name="You", text="Boil it.") == ["23:41:07  You          Boil it."]


def test_of_several_sessions_each_is_named() -> None:
    assert told("call", several=True, name="Bash", text="ls") == [
        "23:41:07  3f2a91c0  • Bash       ls"
    ]


def test_an_agent_is_named() -> None:
    assert "↳ a1b2c3d4  • Bash" in told("call", agent_id="a1b2c3d4e5", name="Bash")[0]


@pytest.mark.parametrize(
    ("state", "text", "shown"),
    [
        ("ok", "", "✓ Bash       4.2 s"),
        ("error", "exit 1", "✗ Bash       exit 1  4.2 s"),
        ("error", "", "✗ Bash       failed  4.2 s"),
        ("rejected", "", "✗ Bash       rejected  4.2 s"),
        ("interrupted", "", "■ Bash       interrupted  4.2 s"),
    ],
)
def test_a_result_says_how_it_went(state: str, text: str, shown: str) -> None:
    line = told("result", name="Bash", state=state, text=text, duration_ms=4_200)[0]

    assert line == f"23:41:07  {shown}"


def test_a_request_says_what_it_waits_for() -> None:
    assert told("asks", name="Bash", text="make tea")[0].endswith(
        "▲ Bash       make tea  waiting for your approval"
    )


def test_an_end_is_told() -> None:
    assert told("ended", text="logout") == ["23:41:07  ■ session ended  logout"]


def test_a_stop_is_a_state_and_a_limit_says_when_it_is_reset() -> None:
    until = "1970-01-01T15:00:00.000Z"

    assert told("limited", text="You've hit your limit", until=until) == [
        "23:41:07  ◆ stopped by its usage limit, resets 15:00  You've hit your limit"
    ]
    assert told("failed", text="API Error: 500") == [
        "23:41:07  ✕ stopped by an error  API Error: 500"
    ]


def test_a_failure_of_the_client_stands_out() -> None:
    assert told("notice", text="Overloaded", is_error=True) == ["23:41:07  ✗ Overloaded"]


def test_a_long_answer_takes_a_few_lines_of_the_paper() -> None:
    lines = told("answer", name="Claude", text="word " * 200)

    assert len(lines) == 4
    assert lines[-1].endswith("…")
    assert max(map(cells, lines)) <= 80


def test_in_a_pipe_everything_is_one_line() -> None:
    lines = told("answer", width=None, name="Claude", text="one\ntwo " + "word " * 100)

    assert len(lines) == 1
    assert "one two word" in lines[0]


def test_hostile_text_does_nothing() -> None:
    line = told("call", name="\x1b[2J", text="\x1b[31m\r\n\u202ex", session_id="\x07")[0]

    assert not any(letter in line for letter in "\x1b\r\u202e\x07")


def test_a_line_without_a_time_keeps_its_place() -> None:
    assert told("ended", at=None)[0].startswith(" " * 10 + "■")
