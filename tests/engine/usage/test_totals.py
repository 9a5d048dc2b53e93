import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.cli.runs import here
from tests.demo.generator.made import PRICES as BUNDLED
from tests.engine.usage.scan.test_sums import added
from tests.engine.usage.spending import MODEL, PRICE, ledger, talk
from unspool.cli import config, paths
from unspool.cli.config import open_stores
from unspool.cli.cost import usage_source
from unspool.demo import Transcript, generate
from unspool.engine import dates
from unspool.engine.indexing.backfill import build
from unspool.engine.usage.scan import cache
from unspool.engine.usage.scan.cache import FileKey, ScanJob
from unspool.engine.usage.scan.processes import Scanner
from unspool.engine.usage.totals import RootUsage, UsageSource
from unspool.model.query import TotalsQuery
from unspool.store.sqlite.ledger_reader import LedgerReader
from unspool.store.sqlite.store import SqliteStore

OWN_PRICES = f'[[models."{MODEL}"]]\ninput = 7\noutput = 7\n'
LONG_AGO = 1_700_000_000


def totals(*explicit: Path, clock: Any = None) -> list[Any]:
    usage = RootUsage(usage_source([str(path) for path in explicit]))
    found = usage.totals(clock)
    usage.write_cache(paths.now() * 1_000_000)
    return found


def spent(*explicit: Path) -> float:
    return float(sum(total[10] for total in totals(*explicit)) / 10**12)


def indexed() -> None:
    stores = open_stores()
    build(stores.writing, stores.roots, config.prices(), config.now())


def transcript(root: Path) -> Path:
    (path,) = (root / "projects").rglob("s1.jsonl")
    return path


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are scanned."""
    names: list[str] = []
    scan = Scanner.scan

    def watched(self: Scanner, jobs: list[ScanJob]) -> Any:
        names.extend(Path(job.path).stem for job in jobs)
        return scan(self, jobs)

    monkeypatch.setattr(Scanner, "scan", watched)
    return names


def test_a_question_about_some_responses_leaves_no_cache(root: Path) -> None:
    settle(root)
    usage = RootUsage(usage_source([]))

    assert usage.owners(["of nobody"]) == {}
    usage.write_cache(paths.now() * 1_000_000)
    assert {path.name for path in ledger().parent.iterdir()} == {"roots.json"}


def test_a_report_leaves_a_cache_and_no_index(root: Path) -> None:
    assert spent() == PRICE
    assert {path.name for path in ledger().parent.iterdir()} == {"cost.cache", "roots.json"}


def test_what_is_cached_is_not_scanned_again(root: Path, jobs: list[str]) -> None:
    talk("s2").save(root)
    spent()
    jobs.clear()
    talk("s2", answers=2).save(root)

    assert (spent(), jobs) == (3 * PRICE, ["s2"])
    assert (spent(), jobs) == (3 * PRICE, ["s2"])


def test_a_copy_that_comes_later_has_only_its_partner_scanned_again(
    root: Path, jobs: list[str]
) -> None:
    talk("s2").save(root)
    spent()
    jobs.clear()
    (transcript(root).parent / "s3.jsonl").write_bytes(transcript(root).read_bytes())

    assert spent() == 2 * PRICE
    assert sorted(jobs) == ["s1", "s3", "s3"]


def test_a_file_that_is_gone_counts_only_where_an_index_has_it(root: Path) -> None:
    talk("s2", answers=2).save(root)
    assert spent() == 3 * PRICE
    transcript(root).unlink()

    assert spent() == 2 * PRICE
    indexed()
    (root / "projects" / "-repo" / "s2.jsonl").unlink()
    assert spent() == 2 * PRICE


def test_a_damaged_cache_is_made_again(root: Path) -> None:
    spent()
    (ledger().parent / "cost.cache").write_bytes(b"damaged")

    assert spent() == PRICE
    assert cache.read_usages(str(ledger().parent), usage_source().prices)


def test_where_nothing_can_be_written_the_figure_is_the_same(root: Path) -> None:
    ledger().parent.parent.mkdir(parents=True, exist_ok=True)
    ledger().parent.touch()

    assert (spent(), spent()) == (PRICE, PRICE)


def test_a_root_is_told_from_another(root: Path, tmp_path: Path) -> None:
    talk("s2", answers=2).save(tmp_path / "other")

    assert (spent(), spent(tmp_path / "other"), spent()) == (PRICE, 2 * PRICE, PRICE)


def test_a_narrowed_root_counts_its_project_alone(root: Path, jobs: list[str]) -> None:
    path = root / "projects" / "-other" / "s2.jsonl"
    path.parent.mkdir()
    path.write_bytes(talk("s2", answers=2).bytes())
    assert spent() == 3 * PRICE
    jobs.clear()

    assert spent(path.parent) == 2 * PRICE
    assert (spent(), jobs) == (3 * PRICE, []), "nor does it make the cache forget the others"


def test_nothing_to_read_is_nothing_spent(home: Path) -> None:
    assert totals() == []


def test_new_prices_change_what_was_counted_before(root: Path) -> None:
    spent()
    (ledger().parent / "prices.toml").write_text(OWN_PRICES)

    assert spent() == 7.0
    (ledger().parent / "prices.toml").unlink()
    assert spent() == PRICE


def test_an_unfinished_line_counts_once_nobody_writes(root: Path) -> None:
    path = transcript(root)
    path.write_bytes(talk(answers=2).bytes().rstrip(b"\n"))
    now, quiet = (config.now() / 1_000 - late for late in (0, 60))
    os.utime(path, (now, now))
    settle(root)

    assert (spent(), spent()) == (PRICE, PRICE)
    os.utime(path, (quiet, quiet))
    assert spent() == 2 * PRICE


# With an index.


def test_the_index_is_not_counted_again(root: Path, jobs: list[str]) -> None:
    talk("s2", answers=2).save(root)
    before = spent()
    indexed()
    jobs.clear()

    assert (spent(), before, jobs) == (3 * PRICE, 3 * PRICE, [])


def test_only_files_the_index_does_not_have_as_they_are_are_scanned(
    root: Path, jobs: list[str]
) -> None:
    talk("s2").save(root)
    indexed()
    talk(answers=3).save(root)

    assert (spent(), set(jobs)) == (4 * PRICE, {"s1"})


def test_nothing_is_written_to_the_index_and_its_writer_is_not_waited_for(root: Path) -> None:
    indexed()
    talk(answers=2).save(root)
    with closing(SqliteStore(ledger().parent)) as store:
        before = store.head()
        assert spent() == 2 * PRICE
        assert (store.head(), len(list(store.totals(TotalsQuery())))) == (before, 1)


def test_what_a_rewritten_file_used_before_stays(root: Path) -> None:
    indexed()
    other = Transcript(session="s1", model=MODEL, start="2026-01-31T10:00:00.000Z").user("x" * 900)
    other.says("y", usage={"input_tokens": 1_000_000, "output_tokens": 0}, id="msg_new")
    transcript(root).write_bytes(other.bytes())

    assert spent() == 2 * PRICE


def test_a_response_that_changes_hands_leaves_no_empty_session(root: Path) -> None:
    """The index has only the copy; the original is newer than it."""
    made = talk().entry("user", message={"role": "user", "content": "x"})
    fork = {"forkedFrom": {"sessionId": "s1", "messageUuid": "u"}, "sessionId": "s0"}
    data = b"".join(json.dumps({**line, **fork}).encode() + b"\n" for line in made.dicts())
    copy = transcript(root).with_name("s0.jsonl")
    original = transcript(root).read_bytes()
    transcript(root).unlink()
    copy.write_bytes(data)
    indexed()
    copy.with_name("s1.jsonl").write_bytes(original)

    assert [(total[2], total[10], total[13]) for total in totals()] == [("s1", PRICE * 10**12, 1)]


@pytest.mark.parametrize("is_repriced", [False, True])
def test_new_prices_hold_before_the_index_is_written_again(root: Path, is_repriced: bool) -> None:
    indexed()
    talk("s2").save(root)
    (ledger().parent / "prices.toml").write_text(OWN_PRICES)
    if is_repriced:
        open_stores().writing().close()
    with closing(LedgerReader(str(ledger()), 0)) as index:
        assert (index.prices() == usage_source().prices) is is_repriced

    assert spent() == 14.0


@pytest.mark.parametrize("data", [b"no database" * 1_000, b""])
def test_an_index_that_cannot_be_read_does_not_stand_in_the_way(root: Path, data: bytes) -> None:
    ledger().parent.mkdir(parents=True)
    ledger().write_bytes(data)

    assert spent() == PRICE


@pytest.mark.parametrize("seed", [4, 5])
def test_any_part_of_the_files_may_be_in_the_index(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them are written again after it was made, some of these shorter."""
    root = tmp_path / "root"
    generate(root, mb=1, seed=seed, prices=BUNDLED)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root))
    right = added(totals())
    files = sorted((root / "projects").rglob("*.jsonl"))
    whole = {path: path.read_bytes() for path in files[seed % 2 :: 2]}
    for n, (path, data) in enumerate(whole.items()):
        path.write_bytes(data[: data.rfind(b"\n", 0, len(data) // 2) + 1] if n % 3 else b"")
    indexed()
    for path, data in whole.items():
        path.write_bytes(data)

    assert added(totals()) == right
    indexed()
    assert added(totals()) == right


# Asked for again.


def settle(root: Path) -> None:
    """Have no directory changed for long."""
    for folder in [root / "projects", *(root / "projects").rglob("*/")]:
        os.utime(folder, (LONG_AGO, LONG_AGO))


@pytest.fixture
def settled(root: Path) -> Path:
    """A root whose directories have not changed for long, and a report of it."""
    talk("s2", day="2026-03-29").save(root)
    settle(root)
    spent()
    return root


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[UsageSource]:
    """Every look at the files there are."""
    found: list[UsageSource] = []
    files = UsageSource.files

    def looked(self: UsageSource) -> list[FileKey]:
        found.append(self)
        return files(self)

    monkeypatch.setattr(UsageSource, "files", looked)
    return found


def test_a_report_is_remembered_by_the_days_of_here_alone(
    settled: Path, looks: list[UsageSource]
) -> None:
    assert {total[1] for total in totals(clock=dates.utc_offset(None))} == {""}
    assert not looks
    assert {total[1] for total in totals(clock=dates.utc_offset(ZoneInfo("Asia/Tokyo")))} != {""}
    assert {total[1] for total in totals()} != {""}


def test_the_first_report_by_days_is_as_the_one_remembered(
    root: Path, looks: list[UsageSource]
) -> None:
    talk("s2", day="2026-03-29").save(root)
    settle(root)
    first = totals(clock=dates.utc_offset(None))
    assert len(looks) == 1

    assert [tuple(total) for total in totals(clock=dates.utc_offset(None))] == first
    assert len(looks) == 1
    assert sum(total[10] for total in first) == sum(total[10] for total in totals())


def test_where_a_directory_changed_just_now_it_is_not(root: Path) -> None:
    os.utime(root / "projects")
    spent()

    assert cache.read_snapshot(str(ledger().parent)) is None


def test_what_changes_after_that_counts(settled: Path) -> None:
    talk("s3").save(settled)

    found = totals(clock=dates.utc_offset(None))
    assert sum(total[10] for total in found) == 3 * PRICE * 10**12


def test_new_prices_are_not_those_remembered(settled: Path) -> None:
    (ledger().parent / "prices.toml").write_text(OWN_PRICES)

    assert sum(total[10] for total in totals(clock=dates.utc_offset(None))) == 14 * 10**12


def test_a_new_index_is_not_the_one_remembered(settled: Path, looks: list[UsageSource]) -> None:
    indexed()
    totals(clock=dates.utc_offset(None))

    assert looks


def test_a_file_that_could_not_be_opened_is_looked_at_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(root)
    with monkeypatch.context() as closed:
        closed.setattr(Scanner, "scan", lambda *_: [])
        assert spent() == 0

    assert spent() == PRICE


# One by one.


def test_every_response_has_its_owner(root: Path) -> None:
    talk("s2").save(root)
    indexed()
    talk("s3").save(root)

    found = RootUsage(usage_source()).responses()
    assert sorted((owned.session_id, owned.row.message_key) for owned in found) == [
        (name, f"m:msg_{name}_0") for name in ("s1", "s2", "s3")
    ]


@pytest.mark.parametrize("has_index", [False, True])
def test_owners_are_found_for_as_many_as_are_asked(root: Path, has_index: bool) -> None:
    if has_index:
        indexed()
    talk(answers=3).save(root)
    keys = [f"m:msg_s1_{n}" for n in range(600)]

    assert RootUsage(usage_source()).owners(keys) == {
        f"m:msg_s1_{n}": ("-repo", "s1") for n in range(3)
    }


def test_for_claude_devtools_a_tier_is_of_each_field_and_not_of_the_request(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = {"input_tokens": 150_000, "cache_read_input_tokens": 150_000, "output_tokens": 0}
    Transcript(session="s1", model="claude-sonnet-4-5").says("x", usage=usage).save(root)

    def total(mode: str) -> Any:
        document = json.loads(here(capsys, "cost", "--json", "--mode", mode).out)
        return document["totals"]["totalCost"]

    assert total("devtools") == pytest.approx(0.15 * 3 + 0.15 * 0.3)
    assert total("billing") == pytest.approx(0.15 * 6 + 0.15 * 0.6)
