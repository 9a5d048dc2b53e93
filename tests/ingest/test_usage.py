from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.derive.money.books import LATER, LINES, NOON, TABLE, line, rates
from tests.derive.reads import messages_of
from tests.ingest.roots import only_file, saved
from unspool.demo import Transcript
from unspool.derive.money.ledger import Ledger
from unspool.derive.money.pricer import Pricer
from unspool.ingest.claims import rank
from unspool.ingest.usage import UsageRows
from unspool.model.message import Message, Tokens
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.rows import UsageRow


def rows_of(path: Path, transcript: Transcript, table: PriceTable = TABLE) -> list[UsageRow]:
    made = UsageRows(only_file(saved(path, transcript)), 7, Pricer(table))
    return [made.row(one, one.tokens, 1, None) for one in messages_of(transcript) if one.tokens]


def tokens(message: Message) -> Tokens:
    assert message.tokens is not None
    return message.tokens


def ranked(message: Message) -> bytes:
    final = message.stop_reason != ""
    return rank(tokens(message).output, message.is_sidechain, final, message.at)


def test_a_response_is_priced_by_the_table(tmp_path: Path) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
    (row,) = rows_of(tmp_path, Transcript(model="claude-opus-4-1").says("hi", usage=usage))

    assert row.usd_pico == (15 + 75) * 10**12


def test_an_unknown_model_has_no_price(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, Transcript(model="nobody").says("hi"))

    assert row.usd_pico is None


def test_lines_of_one_response_share_a_key(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, Transcript().answers(["a", "b"], outputs=[1, 9]).says("c"))

    assert [row.message_key for row in rows] == ["m:msg_1", "m:msg_1", "m:msg_2"]


def test_a_key_made_of_a_line_number_names_its_file_as_well(tmp_path: Path) -> None:
    absent = Transcript.ABSENT
    (row,) = rows_of(tmp_path, Transcript().says("a", id=absent, request=absent, uuid=absent))

    assert row.message_key == "l:7:1.0"


def test_a_price_too_large_for_a_database_is_the_largest_it_takes(tmp_path: Path) -> None:
    table = PriceTable(models={"gold": (PriceRow(rates(10**9, 10**9, 0, 0, 0)),)})
    made = Transcript(model="gold").says("a", usage={"input_tokens": 10**9})
    (row,) = rows_of(tmp_path, made, table)

    assert row.usd_pico == 2**63 - 1


def test_what_an_agent_used_is_its_own(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, Transcript(agent="a1").says("a"))

    assert row.agent_id == "a1"


def test_a_line_of_an_agent_in_a_main_file_is_the_agents(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, Transcript().says("a", isSidechain=True, agentId="a1"))

    assert row.agent_id == "a1"


@given(st.lists(LINES, min_size=1, max_size=6))
def test_of_the_lines_of_a_response_the_ledger_keeps_the_one_a_store_would(
    lines: list[Message],
) -> None:
    ledger, key = Ledger(), lines[0].message_id or "m1"
    lines = [structs.replace(msg, message_id=key) for msg in lines]
    for msg in lines:
        ledger.feed(msg)
    best = max(lines, key=lambda one: (ranked(one), one.model, structs.astuple(tokens(one))))
    (response,) = ledger.responses()

    assert (response.tokens, response.model) == (best.tokens, best.model)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"output": 9}, {"output": 8, "at": LATER}),
        ({"output": 9}, {"output": 9, "is_sidechain": True, "stop_reason": "end_turn"}),
        ({"output": 9, "stop_reason": "end_turn"}, {"output": 9, "at": LATER}),
        ({"output": 9, "at": LATER}, {"output": 9}),
        ({"output": 9}, {"output": 9, "at": None}),
    ],
)
def test_output_then_thread_then_end_then_time_decide(
    better: dict[str, Any], worse: dict[str, Any]
) -> None:
    one, other = line(**better), line(**worse)

    assert ranked(one) > ranked(other)


def test_a_copy_that_a_fork_made_claims_last(tmp_path: Path) -> None:
    fork = {"forkedFrom": {"sessionId": "s0", "messageUuid": "u0"}}
    made = Transcript().says("a", at=NOON).wait(5).says("b").says("c", **fork)
    claims = [row.claim for row in rows_of(tmp_path, made)]

    assert claims == sorted(claims)
