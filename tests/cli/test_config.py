import io
import os
import signal
from pathlib import Path

import pytest

from unspool.cli import config


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_unspool_keeps_its_files_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSPOOL_HOME", "/somewhere")

    assert config.unspool_home() == Path("/somewhere")


def test_unspool_keeps_its_files_below_home_when_nobody_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSPOOL_HOME")

    assert config.unspool_home().is_relative_to(home)


def test_the_users_prices_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    home = config.unspool_home()
    home.mkdir()
    (home / "prices.toml").write_text('[[models."my-model"]]\ninput = 1\noutput = 2\n')

    assert "my-model" in config.prices().models
    assert capsys.readouterr().err == ""


def test_prices_that_cannot_be_read_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    home = config.unspool_home()
    home.mkdir()
    (home / "prices.toml").write_text("[oops")

    assert config.prices().models
    assert "prices.toml cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("out", "env", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_terminals_unless_somebody_says_otherwise(
    out: io.StringIO, env: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    assert config.has_colour(out) is coloured


def test_a_pipe_has_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    assert config.frame(io.StringIO()).width is None
    assert config.frame(Terminal()).width == 40


def test_a_terminal_is_asked_for_its_width() -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "w") as _, os.fdopen(theirs, "w") as out:
        assert config.frame(out).width == 80  # a fresh one has none, and 80 is the custom


def test_a_stream_that_is_no_file_is_eighty_wide() -> None:
    assert config.frame(Terminal()).width == 80


def test_the_clock_runs() -> None:
    assert abs(config.local_now().timestamp() * 1_000 - config.now()) < 60_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_event_and_raises_nothing(number: int) -> None:
    with config.stop_event() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)

        assert stop.is_set()


def test_afterwards_signals_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with config.stop_event():
        assert signal.getsignal(signal.SIGINT) != before[0]

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_signal_that_was_ignored_before_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with config.stop_event() as stop:
        os.kill(os.getpid(), signal.SIGINT)

        assert not stop.is_set()
    signal.signal(signal.SIGINT, before)
