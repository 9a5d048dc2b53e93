from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES, readable
from unspool.demo.generator.stage import Stage


def test_a_root_is_never_written_over_another(tmp_path: Path) -> None:
    Stage(tmp_path, 1, PRICES).close()

    with pytest.raises(FileExistsError):
        Stage(tmp_path, 1, PRICES)


def test_a_finished_file_is_counted(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1, PRICES)
    reel = stage.reel(tmp_path / "projects" / "s.jsonl")
    stage.finish(reel.user("a"))
    counts = stage.close().counts

    assert counts == {"files": 1, "lines": 1, "bytes": reel.size}
    assert stage.size == reel.size


def test_history_is_a_line_per_prompt(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1, PRICES)
    stage.remember("hi", 1_000, "/repo", "s")
    stage.close()
    line = readable((tmp_path / "history.jsonl").read_bytes())[0]

    assert (line["display"], line["timestamp"], line["project"]) == ("hi", 1_000, "/repo")


def test_small_files_are_text_or_json(tmp_path: Path) -> None:
    stage = Stage(tmp_path, 1, PRICES)
    text, listed = stage.put("plans/a.md", "é\n"), stage.put("todos/a.json", [{"a": 1}])
    stage.close()

    assert text.read_bytes() == "é\n".encode()
    assert json.loads(listed.read_bytes()) == [{"a": 1}]
