"""What ccusage makes of lines; `tests/e2e/test_ccusage.py` asks ccusage itself."""

import json
from typing import Any

import pytest

from tests.derive.usage.books import TABLE
from unspool.demo import Transcript
from unspool.derive.usage.ccusage import CcusageEntries, CcusageEntry, ccusage_price, read_entry
from unspool.json_depth import DEEPEST

ABSENT = Transcript.ABSENT
USAGE = {"input_tokens": 10, "output_tokens": 100}


def line(usage: Any = USAGE, **fields: Any) -> bytes:
    return Transcript(model="claude-opus-4-1").says("hi", usage=usage, **fields).bytes().strip()


def read(usage: Any = USAGE, **fields: Any) -> CcusageEntry:
    found = read_entry(line(usage, **fields), "s1")
    assert isinstance(found, CcusageEntry), found
    return found


def counts(*entries: CcusageEntry) -> list[int]:
    """The output of each entry that is left."""
    counted = CcusageEntries()
    for one in entries:
        counted.add(one)
    return [one.output for one in counted.entries]


def test_a_plain_line_is_read() -> None:
    found = read()

    assert (found.id, found.request, found.session) == ("msg_1", "req_1", "s1")
    assert (found.input, found.output, found.total) == (10, 100, 110)


@pytest.mark.parametrize("name", ["cwd", "sessionId", "version", "costUSD", "isApiErrorMessage"])
def test_a_null_in_the_wrong_field_loses_a_line(name: str) -> None:
    assert read_entry(line(**{name: None}), "s1") == "null in a field that it requires a value for"


def test_a_null_elsewhere_does_not() -> None:
    assert isinstance(read_entry(line(parentUuid=None, isSidechain=None), "s1"), CcusageEntry)


@pytest.mark.parametrize(
    "data",
    [
        b"\0" + line(),
        line() + line(),
        b"\xef\xbb\xbf" + line(),
        line()[:-1],
    ],
)
def test_a_damaged_line_is_lost(data: bytes) -> None:
    assert read_entry(data, "s1") == "damaged, and it reads only whole lines"


def test_a_line_is_read_as_deep_as_every_other_reader_goes() -> None:
    """However deep the interpreter could go."""
    made = line(extra="DEEP")
    nested = [b"[" * levels + b"]" * levels for levels in (DEEPEST - 1, DEEPEST)]
    shallow, deep = (made.replace(b'"DEEP"', one) for one in nested)

    assert isinstance(read_entry(shallow, "s1"), CcusageEntry)
    assert read_entry(deep, "s1") == "damaged, and it reads only whole lines"


def test_a_line_with_spaces_is_lost() -> None:
    spaced = json.dumps(json.loads(line())).encode()

    assert read_entry(spaced, "s1") == "spaces in the JSON, which it does not expect"


@pytest.mark.parametrize("fields", [{"timestamp": ABSENT}, {"usage": {"input_tokens": "x"}}])
def test_a_line_without_what_it_needs_is_lost(fields: dict[str, Any]) -> None:
    assert read_entry(line(**fields), "s1") == "a field it needs is missing"


@pytest.mark.parametrize(
    "fields",
    [
        {"timestamp": "2026-01-31T12:00:00.000"},
        {"version": "dev"},
        {"request": ""},
        {"model": "<synthetic>"},
    ],
)
def test_a_line_with_something_odd_is_lost(fields: dict[str, Any]) -> None:
    assert read_entry(line(**fields), "s1") == "a field it needs is invalid or empty"


def test_an_echo_of_an_agent_s_line_counts() -> None:
    inner = json.loads(line())
    echo = {"type": "progress", "sessionId": "s9", "data": {"message": inner}}
    found = read_entry(json.dumps(echo, separators=(",", ":")).encode(), "s1")

    assert isinstance(found, CcusageEntry)
    assert (found.session, found.output, found.is_sidechain) == ("s9", 100, False)


def test_of_a_split_only_the_parts_count() -> None:
    split = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}
    found = read({**USAGE, "cache_creation_input_tokens": 99, "cache_creation": split})

    assert (found.write_5m, found.write_1h) == (3, 4)


def test_copies_have_the_same_message_and_request() -> None:
    assert counts(read(), read({**USAGE, "output_tokens": 260})) == [260]
    assert counts(read(), read(request="req_2")) == [100, 100]
    assert counts(read(), read(request=ABSENT)) == [100, 100]


def test_without_a_message_id_every_line_counts() -> None:
    assert counts(read(id=ABSENT), read(id=ABSENT)) == [100, 100]


def test_without_a_request_id_only_lines_of_one_moment_are_copies() -> None:
    later = read(request=ABSENT, timestamp="2026-01-31T12:00:00.000Z")

    assert counts(read(request=ABSENT), read(request=ABSENT)) == [100]
    assert counts(read(request=ABSENT), later) == [100, 100]


def test_the_main_thread_is_preferred_whatever_it_says() -> None:
    agent = read({**USAGE, "output_tokens": 900}, isSidechain=True, request="req_2")

    assert counts(read(), agent) == counts(agent, read()) == [100]


def test_the_largest_sum_is_preferred_then_the_line_with_a_speed() -> None:
    large = read({"input_tokens": 1_000, "output_tokens": 5})
    fast = read({**USAGE, "speed": "standard"})
    counted = CcusageEntries()
    counted.add(read())
    counted.add(fast)

    assert counts(read(), large) == [5]
    assert counted.entries == [fast]


def test_a_line_s_own_figure_is_taken() -> None:
    assert ccusage_price(read(costUSD=7.5), TABLE) == 7_500_000_000_000


def test_a_long_prompt_costs_more_only_past_the_step() -> None:
    found = read({"input_tokens": 250_000, "output_tokens": 0}, model="claude-sonnet-4-5")

    assert ccusage_price(found, TABLE) == (200_000 * 3 + 50_000 * 6) * 10**6


def test_prices_have_no_dates() -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0, "speed": "fast"}
    found = read(usage, model="claude-opus-4-7", timestamp="2026-12-01T00:00:00.000Z")

    assert ccusage_price(found, TABLE) == 30 * 10**12
    assert found.name == "claude-opus-4-7-fast"


@pytest.mark.parametrize(
    "model", ["claude-haiku-5-5", "claude-haiku-5-5-20261007", "claude-opus-4-0"]
)
def test_a_model_it_does_not_know_costs_nothing(model: str) -> None:
    assert ccusage_price(read(model=model), TABLE) == 0


@pytest.mark.parametrize("model", ["nobody", "gpt-5", "glm-4.6", "anthropic/claude-sonnet-4.5"])
def test_what_it_charges_for_a_model_without_a_price_here_is_unknown(model: str) -> None:
    assert ccusage_price(read(model=model), TABLE) is None


def test_a_regional_name_costs_a_tenth_more() -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}

    assert (
        ccusage_price(read(usage, model="us.anthropic.claude-opus-4-7-v1"), TABLE) == 5.5 * 10**12
    )
    assert ccusage_price(read(usage, model="anthropic.claude-opus-4-7-v1"), TABLE) == 5 * 10**12
