from argparse import Namespace
from pathlib import Path

import pytest

from tests.cli.runs import terminal
from unspool.cli import main, output
from unspool.demo import Transcript
from unspool.redact import Redactor
from unspool.show.spans import BLANK


def test_a_pipe_gets_words_alone(capsys: pytest.CaptureFixture[str]) -> None:
    output.write([(("bad", "oh"), ("", " no  ")), BLANK])

    assert capsys.readouterr().out == "oh no\n\n"


def test_no_sequence_reaches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    output.write([(("", "a\x1b[2Jb\x07"),)])

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
    output.write([(("bad", "oh"),)])

    assert capsys.readouterr().out == "\x1b[31moh\x1b[0m\n"


def test_json_is_written_as_it_comes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write_json([b"[1,", "é".encode(), b"]"])

    assert capfdbinary.readouterr().out == "[1,é]\n".encode()


def test_json_on_a_terminal_has_no_control_characters_and_in_a_pipe_it_has(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Transcript(session="s").user("a\x9b31m\x7f\u202e").save(tmp_path)
    options = ("--json", "--root", str(tmp_path))

    for command in (("show", "s"), ("ls",)):
        shown = terminal(*command, *options)

        assert not set(shown) & set("\x9b\x7f\u202e")
        assert "\\u009b31m\\u007f\\u202e" in shown
        assert main([*command, *options]) == 0
        assert "\x9b31m\x7f\u202e".encode() in capfdbinary.readouterr().out


def test_json_has_no_secret(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write_json([b'{"password":', b'"x"}', b'{"password":"hunter2x"}'], Redactor())

    assert capfdbinary.readouterr().out == b'{"password":"x"}{"password":"[redacted: password]"}\n'


def test_a_value_has_no_secret_unless_they_are_asked_for() -> None:
    assert output.redacted("password=hunter2x", Redactor()) == "password=[redacted: password]"
    assert output.redacted("password=hunter2x", None) == "password=hunter2x"


def test_who_asks_for_secrets_gets_no_redactor() -> None:
    asked = [output.redactor_for(Namespace(unredacted=one)) for one in (True, False)]

    assert [one is None for one in asked] == [True, False]
