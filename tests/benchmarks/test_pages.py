"""A session that is written for a page to follow: a line at a time, each with its moment."""

import json
import re
from pathlib import Path

from benchmarks.pages import Talk


def test_each_write_adds_one_line_that_says_when(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "talk")
    for _ in range(12):
        talk.write()
    (path,) = tmp_path.rglob("talk.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]

    assert len(lines) == 12
    assert all(re.search(r"at \d{13}\.", json.dumps(line["message"])) for line in lines)


def test_a_prompt_begins_every_tenth_line(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "talk")
    for _ in range(21):
        talk.write()
    (path,) = tmp_path.rglob("talk.jsonl")
    kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]

    assert [n for n, kind in enumerate(kinds) if kind == "user"] == [0, 10, 20]
