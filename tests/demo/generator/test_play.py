from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.demo.generator.made import Begin, begun, finished, readable
from unspool.demo.generator.eras import ERAS


def types_of(begin: Begin, era: str) -> set[str]:
    play = begin(era)
    play.turn(3)
    return {line["type"] for line in finished(play)}


@pytest.mark.parametrize("era", list(ERAS))
def test_a_turn_is_a_prompt_some_work_and_an_answer(begin: Begin, era: str) -> None:
    play = begin(era)
    play.turn(2)
    chain = [line for line in finished(play) if line["type"] in ("user", "assistant")]

    assert isinstance(chain[0]["message"]["content"], str)
    assert chain[-1]["message"]["content"][0]["type"] == "text"
    assert len(play.truth.tools) >= 2


def test_the_first_age_ends_in_a_summary(begin: Begin) -> None:
    assert types_of(begin, "1.0") == {"user", "assistant", "summary"}


def test_the_second_age_keeps_snapshots(begin: Begin) -> None:
    assert "file-history-snapshot" in types_of(begin, "2.0")


def test_the_newest_age_notes_titles_modes_and_cost(begin: Begin) -> None:
    notes = {"ai-title", "last-prompt", "mode", "permission-mode", "cost-state", "attachment"}

    assert notes <= types_of(begin, "2.1.270")


# format 15
def test_the_cost_noted_last_is_what_the_session_cost(begin: Begin) -> None:
    play = begin()
    play.turn(1)
    play.turn(1)
    states = [line for line in finished(play) if line["type"] == "cost-state"]

    assert len(states) == 2
    assert states[-1]["totalCostUSD"] == play.truth.total.pico / 1e12


def test_a_long_prompt_is_remembered_cut(begin: Begin) -> None:
    play = begin()
    play.prompt("a\n" * 150)

    assert play.last_prompt == "a " * 100 + "…"


def test_a_prompt_is_in_the_history(tmp_path: Path) -> None:
    play = begun(tmp_path, "2.1.270")
    play.prompt("hello")
    finished(play)
    play.stage.close()
    line = readable((tmp_path / "root" / "history.jsonl").read_bytes())[0]

    assert (line["display"], line["sessionId"]) == ("hello", play.session)


def test_a_finale_is_the_last_thing_in_the_file(begin: Begin) -> None:
    play = begin("1.0")
    play.finales.append(lambda: play.main.user("bye"))
    lines = finished(play)

    assert lines[-1]["message"]["content"] == "bye"


def test_a_full_context_is_compacted(begin: Begin) -> None:
    play = begin()
    play.main.context = 150_001
    play.work(play.main, 1)

    assert play.truth.compactions == 1


def test_the_truth_of_a_closed_session_is_written_down(tmp_path: Path) -> None:
    play = begun(tmp_path, "2.1.270")
    play.turn(1)
    lines = finished(play)
    written = json.loads(play.stage.close().path.read_bytes())["sessions"][play.session]

    assert written["lines"] == len(lines)
    assert written["title"] == play.title
