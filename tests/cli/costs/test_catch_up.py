import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.costs.spending import MODEL, PRICE, ledger, talk
from tests.cli.costs.test_ledger import spent
from unspool.cli import config
from unspool.cli.costs import catch_up
from unspool.demo import Transcript
from unspool.ingest.backfill import build
from unspool.ingest.scan.files import Scan, scan
from unspool.model.files import TranscriptFile
from unspool.model.rows import SourceRow
from unspool.source.roots import find_roots
from unspool.store.sqlite.store import SqliteStore

PRICES = f'[[models."{MODEL}"]]\ninput = 7\noutput = 7\n'


def marks() -> list[tuple[int, int, int]]:
    with closing(SqliteStore(ledger().parent, mode="ro")) as store:
        return list(store.usage_sources().values())


def indexed(root: Path) -> None:
    roots = find_roots([root], {}, root)
    build(lambda: SqliteStore(ledger().parent), roots, config.prices(), config.now())


def transcript(root: Path) -> Path:
    (path,) = (root / "projects").rglob("s1.jsonl")
    return path


def test_new_prices_change_what_was_counted_before(root: Path) -> None:
    spent()
    (ledger().parent / "prices.toml").write_text(PRICES)

    assert spent() == 7.0
    (ledger().parent / "prices.toml").unlink()
    assert spent() == PRICE


def test_a_full_index_afterwards_changes_no_figure(root: Path) -> None:
    talk("s2", answers=2).save(root)
    before = spent()
    indexed(root)

    assert spent() == before == 3 * PRICE


def test_a_full_index_before_is_not_counted_again(root: Path) -> None:
    indexed(root)

    assert spent() == PRICE


def test_after_a_full_index_only_new_bytes_are_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(root)
    talk(answers=2).save(root)
    starts: list[int] = []

    def watched(file: TranscriptFile, source: SourceRow) -> Scan:
        starts.append(source.offset)
        return scan(file, source)

    monkeypatch.setattr(catch_up, "scan", watched)

    assert spent() == 2 * PRICE
    assert starts == [len(talk().bytes())]


def test_a_file_that_was_cut_short_is_a_new_generation(root: Path) -> None:
    talk(answers=3).save(root)
    spent()
    transcript(root).write_bytes(talk("s1", answers=1).bytes())

    assert spent() == 3 * PRICE, "what was spent stays spent"
    assert [generation for generation, _, _ in marks()] == [1]


def test_a_file_that_an_index_knows_and_that_was_rewritten_is_read_anew(root: Path) -> None:
    indexed(root)
    other = Transcript(session="s1", model=MODEL, start="2026-01-31T10:00:00.000Z").user("x" * 900)
    other.says("y", usage={"input_tokens": 1_000_000, "output_tokens": 0}, id="msg_new")
    transcript(root).write_bytes(other.bytes())

    assert spent() == 2 * PRICE


def test_a_clock_set_back_does_not_hide_what_is_new(root: Path) -> None:
    spent()
    os.utime(transcript(root), (1, 1))

    assert spent() == PRICE
    assert [generation for generation, _, _ in marks()] == [1]


def test_while_another_process_writes_the_figure_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent()
    talk(answers=2).save(root)
    monkeypatch.setattr(catch_up, "_PATIENCE", 0.1)
    with closing(SqliteStore(ledger().parent)):
        assert spent() == 2 * PRICE


def test_a_ledger_that_is_damaged_does_not_stand_in_the_way(root: Path) -> None:
    ledger().parent.mkdir(parents=True)
    ledger().write_bytes(b"no database" * 1_000)

    assert spent() == PRICE


def test_a_file_closed_to_us_is_left_for_next_time(root: Path) -> None:
    spent()
    os.mkfifo(root / "projects" / "pipe")
    path = transcript(root)
    path.unlink()
    path.symlink_to(root / "projects" / "pipe")

    assert spent() == PRICE
