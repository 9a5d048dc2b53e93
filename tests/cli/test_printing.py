from pathlib import Path

import pytest

from tests.cli.runs import terminal
from unspool.cli import printing
from unspool.demo import Transcript
from unspool.show.spans import BLANK


def test_a_pipe_gets_words_alone(capsys: pytest.CaptureFixture[str]) -> None:
    printing.write([(("bad", "oh"), ("", " no  ")), BLANK])

    assert capsys.readouterr().out == "oh no\n\n"


def test_no_sequence_reaches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    printing.write([(("", "a\x1b[2Jb\x07"),)])

    assert capsys.readouterr().out == "ab␇\n"


def test_a_terminal_gets_colour_unless_it_wants_none(tmp_path: Path) -> None:
    talk = Transcript(session="s").user("go").calls("Bash", command="x").returns("no", failed=True)
    talk.save(tmp_path)
    args = ("show", "latest", "--root", tmp_path)

    assert "\x1b[31m✗\x1b[0m" in terminal(*args)
    assert "\x1b" not in terminal(*args, NO_COLOR="1")


def test_colour_is_painted_where_it_is_wanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    printing.write([(("bad", "oh"),)])

    assert capsys.readouterr().out == "\x1b[31moh\x1b[0m\n"


def test_json_is_written_as_it_comes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    printing.write_json([b"[1,", "é".encode(), b"]"])

    assert capfdbinary.readouterr().out == "[1,é]\n".encode()
