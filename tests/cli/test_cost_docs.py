"""What docs/cost.md shows, asked as it stands there."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.runs import here
from tests.docs.pages import DOCS, fences
from tests.engine.usage.spending import talk
from unspool.cli.cost import make_parser

Capsys = pytest.CaptureFixture[str]
TEXT = (DOCS / "cost.md").read_text()


def test_the_document_is_as_it_is_shown(tmp_path: Path, capsys: Capsys) -> None:
    talk().save(tmp_path)
    (document,) = fences(DOCS / "cost.md", "json")
    said = here(capsys, "cost", "--json", "--root", tmp_path, "--timezone", "UTC")

    assert json.loads(said.out) == json.loads(document.text)


def test_every_option_is_named_and_every_name_is_an_option() -> None:
    told = set(re.findall(r"`(--?[a-z][a-z-]*)", TEXT))
    known = {name for action in make_parser()._actions for name in action.option_strings}

    assert told <= known
    assert known - told == {"-h", "--help"}


def test_a_price_of_one_s_own_is_used(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("UNSPOOL_HOME", str(home))
    (example,) = (
        one.text for one in fences(DOCS / "configuration.md", "toml") if "[models." in one.text
    )
    (home / "prices.toml").write_text(example.replace("larch", "claude-opus-4-5"))
    talk().save(tmp_path / "root")

    assert "$3.00" in here(capsys, "cost", "--root", tmp_path / "root").out
