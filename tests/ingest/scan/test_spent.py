from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.money.books import TABLE
from tests.ingest.scan.scans import PRICES, root_with, scans_of
from unspool.demo import Transcript
from unspool.derive.money.cost import cost
from unspool.ingest.scan.files import Scan
from unspool.ingest.scan.spent import Prices, Spent
from unspool.ingest.scan.tally import settled_sums
from unspool.model.message import Tokens
from unspool.store.rules import Owned

NOON = 1_767_268_800_000


def scan_of(path: Path, made: Transcript) -> Scan:
    (found,) = scans_of(root_with(path, made))
    return found


def sums(found: Scan) -> list[tuple[Any, ...]]:
    return sorted(Spent(found.source, PRICES).sums(found.answers.values()))


def settled(found: Scan) -> list[tuple[Any, ...]]:
    spent, source = Spent(found.source, PRICES), found.source
    rows = (spent.row(id, answer) for id, answer in found.answers.items())
    return sorted(settled_sums(Owned(source.project_id, source.session_id, row) for row in rows))


USED = st.fixed_dictionaries(
    {
        "input_tokens": st.integers(0, 300_000),
        "output_tokens": st.integers(0, 9_999),
        "cache_read_input_tokens": st.integers(0, 150_000),
        "speed": st.sampled_from(["", "fast"]),
        "inference_geo": st.sampled_from(["", "us"]),
        "server_tool_use": st.sampled_from([None, {"web_search_requests": 2}]),
        "cache_creation": st.sampled_from([None, {"ephemeral_1h_input_tokens": 77}]),
    }
)
MODELS = st.sampled_from(["claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-5-5", "nobody"])
DAYS = st.sampled_from(["2026-03-12T23:50:00.000Z", "2026-03-13T00:05:00.000Z", "2026-08-01"])


@given(said=st.lists(st.tuples(USED, MODELS, DAYS), max_size=8))
def test_a_sum_is_the_sum_of_its_rows(
    said: list[tuple[dict[str, Any], str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = Transcript()
    for usage, model, day in said:
        made.says("x", usage=usage, model=model, timestamp=f"{day[:10]}T23:59:59.000Z")
    found = scan_of(tmp_path_factory.mktemp("root"), made)

    assert sums(found) == settled(found)


def test_a_response_over_midnight_is_priced_by_the_line_that_counts(tmp_path: Path) -> None:
    each = [{"timestamp": f"2026-07-{day}T12:00:00.000Z"} for day in (23, 25)]
    made = Transcript(model="claude-opus-4-7").answers(
        ["a", "b"], each=each, usage={"speed": "fast"}
    )
    found = scan_of(tmp_path, made)
    ((_, answer),) = found.answers.items()
    row = Spent(found.source, PRICES).row("msg_1", answer)

    assert row.usd_pico == cost(
        Tokens(row.input_tokens, row.output_tokens), row.model, answer.at, TABLE
    )
    assert sums(found) == settled(found)


def test_a_model_without_a_price_is_counted_as_such(tmp_path: Path) -> None:
    ((*_, pico, unpriced, _, responses, _, _),) = sums(
        scan_of(tmp_path, Transcript(model="nobody").says("a").says("b"))
    )

    assert (pico, unpriced, responses) == (0, 2, 2)


def test_an_agent_beside_the_main_thread_has_a_sum_of_its_own(tmp_path: Path) -> None:
    made = Transcript().says("a").says("b", isSidechain=True, agentId="a1")

    assert [total[3] for total in sums(scan_of(tmp_path, made))] == ["", "a1"]


def test_a_price_no_database_holds_is_the_largest_it_does() -> None:
    tokens = Tokens(10**18, 10**18)

    assert Prices(TABLE).price(tokens, "claude-opus-4-1", NOON) == (1 << 63) - 1
