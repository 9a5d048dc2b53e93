from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.demo.generator.made import Begin, begun, finished, readable
from unspool.demo.generator.eras import ERAS


def types_of(begin: Begin, era: str) -> set[str]:
    builder = begin(era)
    builder.turn(3)
    return {line["type"] for line in finished(builder)}


@pytest.mark.parametrize("era", list(ERAS))
def test_a_turn_is_a_prompt_some_work_and_an_answer(begin: Begin, era: str) -> None:
    builder = begin(era)
    builder.turn(2)
    chain = [line for line in finished(builder) if line["type"] in ("user", "assistant")]

    assert isinstance(chain[0]["message"]["content"], str)
    assert chain[-1]["message"]["content"][0]["type"] == "text"
    assert len(builder.truth.tools) >= 2


def test_the_first_age_ends_in_a_summary(begin: Begin) -> None:
    assert types_of(begin, "1.0") == {"user", "assistant", "summary"}


def test_the_second_age_keeps_snapshots(begin: Begin) -> None:
    assert "file-history-snapshot" in types_of(begin, "2.0")


def test_the_newest_age_notes_titles_modes_and_cost(begin: Begin) -> None:
    notes = {"ai-title", "last-prompt", "mode", "permission-mode", "cost-state", "attachment"}

    assert notes <= types_of(begin, "2.1.270")


# format 15
def test_the_cost_noted_last_is_what_the_session_cost(begin: Begin) -> None:
    builder = begin()
    builder.turn(1)
    builder.turn(1)
    states = [line for line in finished(builder) if line["type"] == "cost-state"]

    assert len(states) == 2
    assert states[-1]["totalCostUSD"] == builder.truth.total.pico / 1e12


def test_a_long_prompt_is_remembered_cut(begin: Begin) -> None:
    builder = begin()
    builder.prompt("a\n" * 150)

    assert builder.last_prompt == "a " * 100 + "…"


def test_a_prompt_is_in_the_history(tmp_path: Path) -> None:
    builder = begun(tmp_path, "2.1.270")
    builder.prompt("hello")
    finished(builder)
    builder.root.close()
    line = readable((tmp_path / "root" / "history.jsonl").read_bytes())[0]

    assert (line["display"], line["sessionId"]) == ("hello", builder.session)


def test_a_finale_is_the_last_thing_in_the_file(begin: Begin) -> None:
    builder = begin("1.0")
    builder.at_close.append(lambda: builder.main.user("bye"))
    lines = finished(builder)

    assert lines[-1]["message"]["content"] == "bye"


def test_a_full_context_is_compacted(begin: Begin) -> None:
    builder = begin()
    builder.main.context = 150_001
    builder.work(builder.main, 1)

    assert builder.truth.compactions == 1


def test_the_truth_of_a_closed_session_is_written_down(tmp_path: Path) -> None:
    builder = begun(tmp_path, "2.1.270")
    builder.turn(1)
    lines = finished(builder)
    written = json.loads(builder.root.close().path.read_bytes())["sessions"][builder.session]

    assert written["lines"] == len(lines)
    assert written["title"] == builder.title
