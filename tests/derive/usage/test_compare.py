import json
from typing import Any

import pytest

from tests.derive.reads import messages_of
from tests.derive.usage.books import TABLE
from unspool.demo import Transcript, text_block
from unspool.derive.usage.ccusage import CcusageEntry, read_entry
from unspool.derive.usage.compare import (
    CcusageLine,
    Comparison,
    CostGap,
    PriceTables,
    differences,
)
from unspool.derive.usage.explain import UsageRecord, group_responses
from unspool.model.prices import PriceTable

ABSENT = Transcript.ABSENT
DAY = 86_400_000


def compared(made: Transcript | bytes, table: PriceTable = TABLE) -> Comparison:
    data = made if isinstance(made, bytes) else made.bytes()
    records, reads = [], []
    for line in data.splitlines():
        ours = [UsageRecord(0, False, one, one.tokens) for one in messages_of(line) if one.tokens]
        records += ours
        theirs = read_entry(line, "s1")
        reads += [CcusageLine(one.key, theirs) for one in ours[:1]]
        if not ours and isinstance(theirs, CcusageEntry):
            reads.append(CcusageLine(None, theirs))
    return Comparison(
        group_responses(records), reads, PriceTables(table, TABLE), lambda ms: ms // DAY
    )


def gap(made: Transcript | bytes) -> CostGap:
    (found,) = compared(made).gaps()
    return found


def says(model: str = "claude-sonnet-4-5", usage: Any = None, **fields: Any) -> Transcript:
    used = {"input_tokens": 10, "output_tokens": 100, **(usage or {})}
    return Transcript(model=model).says("hi", usage=used, **fields)


def test_lines_both_read_alike_have_no_gap() -> None:
    made = Transcript(model="claude-opus-4-1").says("a").answers(["b", "c"], outputs=[1, 260])

    assert compared(made).gaps() == []


def test_a_damaged_line_is_missing_there() -> None:
    found = gap(b"\0" + says().bytes())

    assert found.rule == "not read: damaged, and it reads only whole lines"
    assert min(found.tokens) < 0
    assert found.pico < 0


@pytest.mark.parametrize(
    ("each", "rule"),
    [
        ([{"requestId": ABSENT}, {}], "a line without a request id counts by itself"),
        ([{"requestId": "req_9"}, {}], "each request id counts by itself"),
    ],
)
def test_what_it_takes_for_two_counts_twice(each: list[dict[str, Any]], rule: str) -> None:
    found = gap(Transcript().answers([text_block("a"), text_block("b")], each=each))

    assert found.rule == rule
    assert min(found.tokens) >= 0 < max(found.tokens)


def test_without_an_id_its_count_is_by_lines() -> None:
    found = gap(Transcript().answers([text_block("a"), text_block("b")], id=ABSENT))

    assert found.rule == "without a message id every line counts"


def test_writes_beside_a_split_are_missing_there() -> None:
    split = {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}
    found = gap(says(usage={"cache_creation_input_tokens": 10, "cache_creation": split}))

    assert found.rule.startswith("cache writes of unknown lifetime")
    assert found.tokens == (0, 0, -3, 0)


def test_an_unfinished_echo_wins_there() -> None:
    made = says(usage={"output_tokens": 900}, isSidechain=True, agentId="a1")
    inner = json.loads(made.bytes())
    del inner["isSidechain"]
    inner["message"]["usage"]["output_tokens"] = 3
    echo = {"type": "progress", "sessionId": "s1", "data": {"message": inner}}
    line = json.dumps(echo, separators=(",", ":")).encode() + b"\n"
    found = gap(line + made.bytes())

    assert found.rule == "an echo in the main file counts, finished or not"
    assert found.tokens[1] == -897


def test_a_large_prompt_wins_there_over_much_output() -> None:
    made = Transcript().says("a", usage={"input_tokens": 5_000, "output_tokens": 1})
    made.says("b", id="msg_1", request="req_1", usage={"input_tokens": 5, "output_tokens": 9})

    assert gap(made).rule.startswith("the line with the largest sum of tokens counts")


def test_an_answer_over_midnight_is_of_the_later_day_there() -> None:
    each = [
        {"timestamp": "2026-01-31T23:59:59.000Z"},
        {"timestamp": "2026-02-01T00:00:01.000Z"},
    ]
    found = gap(Transcript().answers(["a", "b"], outputs=[1, 9], each=each))

    assert found == CostGap("the day is that of the line it keeps")


PRICED = [
    ({"input_tokens": 200_001}, "claude-sonnet-4-5", "of a long prompt only"),
    ({"input_tokens": 100_001}, "claude-haiku-5-5", "its prices do not have this model"),
    ({"server_tool_use": {"web_search_requests": 1}}, "claude-opus-4-1", "web searches"),
    ({"inference_geo": "us", "input_tokens": 10}, "claude-opus-4-1", "inference in the US"),
    ({"input_tokens": 100}, "us.anthropic.claude-opus-4-7", "a regional name"),
]


@pytest.mark.parametrize(("usage", "model", "rule"), PRICED)
def test_what_it_prices_otherwise_is_named(usage: dict[str, Any], model: str, rule: str) -> None:
    found = gap(says(model, usage=usage))

    assert rule in found.rule
    assert found.pico != 0


def test_prices_without_dates_are_named() -> None:
    usage = {"input_tokens": 200_001}
    found = gap(says("claude-sonnet-4-6", usage=usage, timestamp="2026-03-01T00:00:00.000Z"))

    assert found.rule.startswith("prices have no dates; of a long prompt")


def test_fast_mode_has_a_name_of_its_own_there() -> None:
    found = gap(says("claude-opus-4-7", usage={"speed": "fast"}, timestamp="2026-05-01T00:00:00Z"))

    assert found.rule == "fast mode is listed as a model of its own"
    assert found.pico == 0


def test_a_figure_of_the_line_s_own_is_named() -> None:
    assert gap(says(costUSD=3.0)).rule == "the line's own costUSD is taken"


def test_a_line_that_is_no_answer_may_count_there() -> None:
    inner = json.loads(says().bytes())
    echo = {"type": "progress", "sessionId": "s1", "data": {"message": inner}}
    found = gap(json.dumps(echo, separators=(",", ":")).encode())

    assert found.rule == "a line that is not an answer counts"


def test_gaps_add_up_to_the_difference() -> None:
    made = says(costUSD=3.0).says("b", usage={"input_tokens": 250_000}).says("c", model="nobody")
    found = compared(made)
    ours = sum(found._pico(response) or 0 for response in found._ours.values())

    assert sum(one.pico for one in found.gaps()) == (found.total() or 0) - ours


def test_differences_are_gaps_by_rule_the_widest_first() -> None:
    gaps = [
        CostGap("a", (1, 2, 3, 4), 10**12),
        CostGap("b", pico=-5 * 10**12),
        CostGap("a", pico=10**12),
    ]
    first, second = differences(gaps)

    assert (first.rule, first.cost_usd) == ("b", -5.0)
    assert (second.rule, second.responses, second.input_tokens) == ("a", 2, 1)


def test_a_model_that_has_no_price_here_may_have_one_there() -> None:
    made = compared(says("glm-4.6"))

    assert (made.total(), made.unknown_models(), made.gaps()) == (None, ("glm-4.6",), [])


def test_the_rest_is_compared_without_it() -> None:
    made = compared(says("glm-4.6", id="msg_1").bytes() + says(id="msg_2").bytes())

    assert made.total() == 10 * 3_000_000 + 100 * 15_000_000
    assert made.unknown_models() == ("glm-4.6",)


def test_lines_of_nobody_cost_nothing() -> None:
    assert (compared(Transcript().user("hi")).total(), compared(b"").unknown_models()) == (0, ())


def test_a_price_of_one_s_own_is_not_theirs() -> None:
    dear = {"claude-sonnet-4-5": TABLE.models["claude-opus-4-1"]}
    mine = TABLE._replace(models={**TABLE.models, **dear})
    (found,) = compared(says(), mine).gaps()

    assert found.rule == "your own prices are not known to it"
    assert found.pico == 10 * (3 - 15) * 10**6 + 100 * (15 - 75) * 10**6
