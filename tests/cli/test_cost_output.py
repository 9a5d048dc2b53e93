import json
import os

import pytest

from unspool.cli.cost import _width, _write, _write_json

Capsys = pytest.CaptureFixture[str]


def test_a_pipe_has_no_width() -> None:
    assert _width() is None


def test_a_terminal_has_the_width_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    assert _width() == 100

    monkeypatch.setenv("COLUMNS", "wide")
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((72, 20)))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1)
    assert _width() == 72


def test_lines_are_written_one_by_one(capsys: Capsys) -> None:
    _write(["a", "b"])

    assert capsys.readouterr().out == "a\nb\n"


def test_a_document_on_a_terminal_has_no_control_characters(
    capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _write_json({"project": "a\x9b\u202e"})

    assert capsys.readouterr().out == '{"project":"a\\u009b\\u202e"}\n'


def test_a_document_is_one_line(capsys: Capsys) -> None:
    _write_json({"name": "naïve", "n": [1, None]})
    out = capsys.readouterr().out

    assert out.count("\n") == 1
    assert json.loads(out) == {"name": "naïve", "n": [1, None]}
