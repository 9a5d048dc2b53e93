"""Transcripts that others published: each can be read, and none does anything to a terminal."""

import unicodedata
from pathlib import Path

import pytest

from tests.cli.runs import here


@pytest.mark.slow
def test_every_published_transcript_can_be_read(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = sorted(corpus.rglob("*.jsonl"))
    said = {path: here(capsys, "show", path) for path in paths}
    letters = set().union(*(one.out for one in said.values())) - {"\n"}

    assert {path: one for path, one in said.items() if one.code} == {}
    assert not [letter for letter in letters if unicodedata.category(letter) in ("Cc", "Cs")]
