from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.scan.scans import PRICER, root_with, scans_of
from unspool.demo import Transcript
from unspool.ingest.scan.files import Scan
from unspool.ingest.scan.spent import Spent
from unspool.ingest.scan.tally import settled_sums
from unspool.model.usage import OwnedUsage


def scan_of(path: Path, made: Transcript) -> Scan:
    (found,) = scans_of(root_with(path, made))
    return found


def sums(found: Scan) -> list[tuple[Any, ...]]:
    return sorted(Spent(found.source, PRICER, found.start).sums(found.answers.values()))


def settled(found: Scan) -> list[tuple[Any, ...]]:
    spent, owner = Spent(found.source, PRICER, found.start), found.source
    rows = (spent.row(id, answer) for id, answer in found.answers.items())
    owned = (OwnedUsage(owner.project_id, owner.session_id, row) for row in rows)
    return sorted(settled_sums(owned, PRICER.price_of))


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


def test_a_response_over_midnight_is_priced_by_its_earliest_line(tmp_path: Path) -> None:
    each = [{"timestamp": f"2026-07-{day}T12:00:00.000Z"} for day in (23, 25)]
    made = Transcript(model="claude-opus-4-7").answers(
        ["a", "b"], each=each, usage={"output_tokens": 1000, "speed": "fast"}
    )
    found = scan_of(tmp_path, made)

    assert sums(found) == settled(found)
    assert [total[10] for total in sums(found)] == [150_000_000_000]


def test_a_sum_past_the_most_a_response_can_cost_is_added_up_one_by_one(tmp_path: Path) -> None:
    usage = {"input_tokens": 10**9}
    found = scan_of(tmp_path, Transcript().says("a", usage=usage).says("b", usage=usage))

    assert sums(found) == settled(found)
    assert [total[10] for total in sums(found)] == [2_000 * 10**12]


def test_a_model_without_a_price_is_counted_as_such(tmp_path: Path) -> None:
    ((*_, pico, unpriced, _, responses, _, _),) = sums(
        scan_of(tmp_path, Transcript(model="nobody").says("a").says("b"))
    )

    assert (pico, unpriced, responses) == (0, 2, 2)


def test_an_agent_beside_the_main_thread_has_a_sum_of_its_own(tmp_path: Path) -> None:
    made = Transcript().says("a").says("b", isSidechain=True, agentId="a1")

    assert [total[3] for total in sums(scan_of(tmp_path, made))] == ["", "a1"]
