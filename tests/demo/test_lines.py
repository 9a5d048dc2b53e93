from __future__ import annotations

from unspool.demo.lines import ABSENT, Clock, encode, tool_block, usage_of, without_absent


def test_the_clock_moves_one_second_per_reading() -> None:
    clock = Clock("2026-01-31T23:59:59.500Z")

    assert [clock.tick(), clock.tick()] == ["2026-01-31T23:59:59.500Z", "2026-02-01T00:00:00.500Z"]


def test_a_tool_block_without_an_id_leaves_it_to_the_transcript() -> None:
    assert tool_block("Bash", {}) == {"type": "tool_use", "name": "Bash", "input": {}}


def test_no_usage_given_is_the_default_usage() -> None:
    assert usage_of(None)["input_tokens"] == 10


def test_an_empty_usage_stays_empty() -> None:
    assert usage_of({}) == {}


def test_a_refused_usage_is_absent() -> None:
    assert without_absent({"usage": usage_of(False), "kept": None}) == {"kept": None}


def test_text_is_written_as_itself_not_as_escapes() -> None:
    assert encode({"a": "é🎈"}) == '{"a":"é🎈"}'.encode()


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    assert encode({"a": "\ud800"}) == b'{"a":"\\ud800"}'


def test_absent_is_not_none() -> None:
    assert without_absent({"gone": ABSENT, "null": None}) == {"null": None}
