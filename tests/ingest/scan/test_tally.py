from pathlib import Path
from typing import Any

from tests.demo.generator.made import PRICES as BUNDLED
from tests.ingest.roots import root_of
from tests.ingest.scan.scans import PRICER, root_with, scans_of
from unspool.demo import Transcript, generate
from unspool.ingest.scan.tally import Tally, settled_sums
from unspool.model.files import Root
from unspool.model.query import UsageTotal
from unspool.store.memory import MemoryStore


def tally_of(root: Root) -> Tally:
    tally = Tally(PRICER)
    for found in scans_of(root):
        tally.add(found)
    return tally


def totals(tally: Tally) -> list[tuple[Any, ...]]:
    sums, rows = tally.sums()
    return sums + settled_sums(rows, tally.price)


def added(found: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[int]]:
    """Sums of one name added up: a session's may come in parts."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for total in found:
        known = groups.setdefault(total[:5], [0] * 9)
        groups[total[:5]] = [a + b for a, b in zip(known, total[5:14], strict=True)]
    return groups


def test_sums_are_those_of_a_store_that_was_given_the_rows(tmp_path: Path) -> None:
    generate(tmp_path / "root", mb=2, seed=6, prices=BUNDLED)
    tally, store = tally_of(root_of(tmp_path / "root")), MemoryStore()
    told = totals(tally)
    for source, rows in tally.drain():
        store.commit_usage(source, rows, tally.price)
    kept = [tuple(getattr(t, f) for f in UsageTotal.__struct_fields__) for t in store.totals()]

    assert added(told) == added(kept)


def test_an_answer_that_two_files_tell_counts_once(tmp_path: Path) -> None:
    made = Transcript().says("a", usage={"output_tokens": 5})
    tally = tally_of(root_with(tmp_path, made, made))

    assert sum(total[13] for total in totals(tally)) == 1
    assert [len(rows) for _, rows in tally.drain()] == [1, 1]


def test_what_another_process_has_too_is_given_as_rows(tmp_path: Path) -> None:
    tally = tally_of(root_with(tmp_path, Transcript().says("a").says("b")))
    sums, rows = tally.sums({hash("msg_2")})

    assert [total[13] for total in sums] == [1]
    assert [owned.row.message_key for owned in rows] == ["m:msg_2"]


def test_names_stand_for_all_its_answers(tmp_path: Path) -> None:
    tally = tally_of(root_with(tmp_path, Transcript().says("a").says("b")))

    assert sorted(tally.names()) == sorted([hash("msg_1"), hash("msg_2")])


def test_a_line_that_was_looked_at_closely_joins_the_answer_it_belongs_to(tmp_path: Path) -> None:
    one, two = Transcript().answers(["a", "b"], outputs=[1, 9]).bytes().splitlines()
    tally = tally_of(root_with(tmp_path, one + b"\n" + b"\0" + two + b"\n"))
    ((*_, output, _, _, _, _, _, _, responses, _, _),) = totals(tally)

    assert (output, responses) == (9, 1)
