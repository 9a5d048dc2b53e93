from __future__ import annotations

import json
from pathlib import Path

from tests.demo.generator.made import PRICES
from unspool.demo.generator.eras import model_named
from unspool.demo.generator.money import Prices, Usage
from unspool.demo.generator.truth import Ledger, SessionTruth, Tally

OPUS = model_named("claude-opus-5")


def ledger_in(directory: Path) -> Ledger:
    return Ledger(directory / "truth.json", Prices(PRICES))


def test_a_tally_sums_responses() -> None:
    tally = Tally()
    for finished in (True, False):
        tally.add(Usage(input=2, write_1h=3, unsplit=4), 10, finished=finished)

    assert tally.document()["cacheCreationTokens"] == 14
    assert (tally.messages, tally.input, tally.pico, tally.unfinished) == (2, 4, 20, 1)


def test_a_response_counts_for_its_session_its_model_and_its_day(tmp_path: Path) -> None:
    ledger, session = ledger_in(tmp_path), SessionTruth("s", {})
    ledger.message(OPUS, "2026-09-01", Usage(input=7), session.subagents, finished=True)
    ledger.close_session(session)
    truth = ledger.finish()

    assert truth.days["2026-09-01"]["claude-opus-5"]["inputTokens"] == 7
    assert truth.sessions["s"]["subagents"]["inputTokens"] == 7
    assert truth.sessions["s"]["main"]["inputTokens"] == 0


def test_an_unpriced_response_is_listed_and_free(tmp_path: Path) -> None:
    ledger, lantern = ledger_in(tmp_path), model_named("x")

    assert ledger.message(lantern, "2026-09-01", Usage(input=1), finished=True) is None
    assert ledger.finish().unpriced == ["x"]


def test_the_file_is_json_and_holds_what_is_returned(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    for name in ("a", "b"):
        ledger.close_session(SessionTruth(name, {"cwd": "/é"}))
    truth = ledger.finish()
    written = json.loads((tmp_path / "truth.json").read_bytes())

    assert list(written["sessions"]) == ["a", "b"]
    assert (written["totals"], written["counts"]) == (truth.totals, truth.counts)
