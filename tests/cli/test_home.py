import json
from pathlib import Path

import pytest

from tests.cli.runs import here
from unspool.demo import Transcript


def test_alone_it_lists_sessions_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript(session="one").user("Read this").save(tmp_path)
    said = here(capsys, "--root", tmp_path)

    assert said.code == 0
    assert "Read this" in said.out
    assert said.out.endswith("unspool show SESSION` reads one; see unspool --help.\n")


def test_alone_it_gives_json_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(here(capsys, "--json").out) == {"items": [], "nextCursor": None}
