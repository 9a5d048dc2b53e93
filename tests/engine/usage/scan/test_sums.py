from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.indexing.roots import NOW
from tests.engine.usage.scan.scans import PRICER, files_of, root_with, scanned, usages_of
from unspool.demo import Transcript
from unspool.derive.usage.responses import ledger_changes
from unspool.engine.usage.scan.cache import ScanJob, hashes_of, key_hash
from unspool.engine.usage.scan.sums import scan_jobs
from unspool.model.files import Root


def added(found: list[Any]) -> dict[Any, list[int]]:
    """Sums of one name added up: a session's may come in parts."""
    groups: dict[Any, list[int]] = {}
    for total in found:
        known = groups.setdefault(total[:5], [0] * 9)
        groups[total[:5]] = [a + b for a, b in zip(known, total[5:14], strict=True)]
    return groups


def sums(root: Root) -> list[Any]:
    return [total for usage in usages_of(root) for total in usage.totals]


def agree(root: Root) -> None:
    """Sums made at once are those of the responses, one by one."""
    assert added(sums(root)) == added(ledger_changes(scanned(root), {}, PRICER.price_of))


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
DAYS = st.sampled_from(["2026-03-12", "2026-03-13", "2026-08-01"])


@given(answers=st.lists(st.tuples(USED, MODELS, DAYS), max_size=8))
def test_a_sum_is_the_sum_of_its_rows(
    answers: list[tuple[dict[str, Any], str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = Transcript()
    for usage, model, day in answers:
        made.says("x", usage=usage, model=model, timestamp=f"{day}T23:59:59.000Z")

    agree(root_with(tmp_path_factory.mktemp("root"), made))


def test_a_response_over_midnight_is_priced_by_its_earliest_line(tmp_path: Path) -> None:
    each = [{"timestamp": f"2026-07-{day}T12:00:00.000Z"} for day in (23, 25)]
    made = Transcript(model="claude-opus-4-7").answers(
        ["a", "b"], each=each, usage={"output_tokens": 1000, "speed": "fast"}
    )
    root = root_with(tmp_path, made)

    agree(root)
    assert [total[10] for total in sums(root)] == [150_000_000_000]


def test_a_sum_past_the_most_a_response_can_cost_is_added_up_one_by_one(tmp_path: Path) -> None:
    usage = {"input_tokens": 10**9}
    root = root_with(tmp_path, Transcript().says("a", usage=usage).says("b", usage=usage))

    agree(root)
    assert [total[10] for total in sums(root)] == [2_000 * 10**12]


def test_a_model_without_a_price_is_counted_as_such(tmp_path: Path) -> None:
    root = root_with(tmp_path, Transcript(model="nobody").says("a").says("b"))
    ((*_, pico, unpriced, _, responses, _, _),) = sums(root)

    assert (pico, unpriced, responses) == (0, 2, 2)


def test_an_agent_beside_the_main_thread_has_a_sum_of_its_own(tmp_path: Path) -> None:
    made = Transcript().says("a").says("b", isSidechain=True, agentId="a1")

    assert [total[3] for total in sums(root_with(tmp_path, made))] == ["", "a1"]


def test_what_others_have_too_comes_as_rows_and_is_in_no_sum(tmp_path: Path) -> None:
    root = root_with(tmp_path, Transcript().says("a").says("b"))
    (found,) = usages_of(root, frozenset([key_hash("m:msg_2"), 7]))

    assert [total[13] for total in found.totals] == [1]
    assert [row.message_key for row in found.rows] == ["m:msg_2"]
    assert hashes_of(found) == {key_hash("m:msg_1"), key_hash("m:msg_2")}


def test_a_line_that_was_looked_at_closely_joins_the_answer_it_belongs_to(tmp_path: Path) -> None:
    one, two = Transcript().answers(["a", "b"], outputs=[1, 9]).bytes().splitlines()
    two = two.replace(b'"output_tokens":9', b'"output_tokens":"9"')
    (found,) = usages_of(root_with(tmp_path, one + b"\n" + two + b"\n"))

    assert found.totals == []
    assert {row.message_key for row in found.rows} == {"m:msg_1"}
    assert len(found.rows) == 2


def test_files_that_cannot_be_opened_are_left_out(tmp_path: Path) -> None:
    root = root_with(tmp_path, *(Transcript().says("a", id=f"msg_{n}") for n in range(3)))
    first, second, third = files_of(root)
    Path(second.path).unlink()
    Path(second.path).symlink_to(first.path)
    Path(third.path).unlink()
    jobs = [ScanJob(file.path, file.size) for file in (first, second, third)]

    found = scan_jobs(jobs, [root], PRICER, NOW)
    assert [usage.session_id for usage in found] == ["s1"]
