import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from unspool.decode.lines import decode
from unspool.decode.statusline import line_usage, statusline_input
from unspool.demo import generate
from unspool.derive.reading.messages import read
from unspool.model.message import Message
from unspool.model.transcript import Entry
from unspool.model.usage import LineUsage, StatuslineInput, Tokens
from unspool.source.prices import bundled

USAGE = {"input_tokens": 5, "output_tokens": 7}


def line(**fields: Any) -> bytes:
    message = {"id": "m1", "model": "opus", "usage": USAGE, "stop_reason": "end_turn"}
    return json.dumps(
        {"type": "assistant", "message": message, "timestamp": "t", **fields}
    ).encode()


def said(**fields: Any) -> bytes:
    return line(message={"id": "m1", "model": "opus", "usage": USAGE, **fields})


def used(**usage: Any) -> Tokens | None:
    found = line_usage(said(usage=usage))
    return found and found.tokens


def test_an_input_says_session_model_money_and_context() -> None:
    window = {"total_input_tokens": 15_500, "used_percentage": 8, "current_usage": None}
    data = {
        "session_id": "s1",
        "transcript_path": "/p/s1.jsonl",
        "model": {"id": "claude-opus-5", "display_name": "Opus"},
        "cost": {"total_cost_usd": 0.01234},
        "context_window": window,
    }

    assert statusline_input(json.dumps(data).encode()) == StatuslineInput(
        "s1", "/p/s1.jsonl", "Opus", 0.01234, 15_500, 8
    )


def test_a_model_without_a_name_has_its_id() -> None:
    found = statusline_input(b'{"model":{"id":"claude-opus-5"}}')

    assert found is not None
    assert found.model == "claude-opus-5"


def context(**window: Any) -> tuple[int | None, float | None]:
    found = statusline_input(json.dumps({"context_window": window}).encode())
    assert found is not None
    return found.context, found.percent


def test_the_context_is_what_the_last_request_read() -> None:
    usage = {
        "input_tokens": 8_500,
        "output_tokens": 1_200,
        "cache_creation_input_tokens": 5_000,
        "cache_read_input_tokens": 2_000,
    }

    assert context(current_usage=usage, used_percentage=8) == (15_500, 8)


def test_a_percentage_that_is_missing_is_worked_out() -> None:
    assert context(total_input_tokens=50_000, context_window_size=200_000) == (50_000, 25.0)


@pytest.mark.parametrize("window", [{}, {"used_percentage": None}, {"context_window_size": 0}])
def test_a_context_nobody_tells_is_not_made_up(window: dict[str, Any]) -> None:
    assert context(**window) == (None, None)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_an_input_that_is_no_object_is_none(data: bytes) -> None:
    assert statusline_input(data) is None


@any_of(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.dictionaries(
            st.sampled_from(["model", "cost", "context_window", "id", "total_cost_usd"]), inner
        ),
    )
)
def test_odd_fields_are_as_good_as_missing(value: Any) -> None:
    found = statusline_input(
        json.dumps({"model": value, "cost": value, "context_window": value}).encode()
    )

    assert isinstance(found, StatuslineInput)
    assert isinstance(found.model, str)


def test_a_line_says_what_was_used() -> None:
    found = line_usage(line(isSidechain=True, timestamp="2026-11-01T10:00:00.000Z"))

    moment = "2026-11-01T10:00:00.000Z"
    assert found == LineUsage(
        "m1", moment, "opus", Tokens(5, 7), is_finished=True, is_sidechain=True
    )


def test_a_write_is_at_least_its_parts() -> None:
    split = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}

    assert used(cache_creation_input_tokens=0, cache_creation=split) == Tokens(
        cache_write=7, write_5m=3, write_1h=4
    )


@pytest.mark.parametrize(
    "data",
    [
        line(type="user"),
        line(message=None),
        said(usage=None),
        said(usage={}),
        said(id=None),
        said(id=""),
        said(model="<synthetic>"),
        said(usage={"input_tokens": -1}),
        said(usage={"input_tokens": 10**10}),
        said(usage={"input_tokens": 1.5}),
        said(usage={"input_tokens": True}),
        line()[:-5],
        b"\x00" + line(),
        b"",
    ],
)
def test_what_is_no_answer_in_the_common_form_is_none(data: bytes) -> None:
    assert line_usage(data) is None


def shared(message: Message, tokens: Tokens, entry: Entry) -> LineUsage:
    """An answer as the whole reading has it; its time is compared apart."""
    return LineUsage(
        message.message_id,
        "",
        message.model,
        tokens,
        message.stop_reason != "",
        message.is_sidechain,
        message.forked_from is not None,
        getattr(entry, "session_id", None) or "",
    )


def test_it_agrees_with_the_whole_reading_on_every_line(tmp_path: Path) -> None:
    generate(tmp_path, mb=2, seed=5, prices=json.loads(bundled()))
    count = 0
    for path in (tmp_path / "projects").rglob("*.jsonl"):
        for data in path.read_bytes().split(b"\n"):
            found = line_usage(data)
            if found is None:
                continue
            messages = [(read(entry, 1), entry) for entry in decode(data)]
            assert [found._replace(at="")] == [
                shared(m, m.tokens, entry) for m, entry in messages if m and m.tokens
            ]
            count += 1

    assert count > 100
