import os
import signal
import termios
from collections.abc import Iterator

import pytest

from tests.cli.top.ptys import Pty, pty
from unspool.cli.top.terminal import open_terminal


@pytest.fixture
def person() -> Iterator[Pty]:
    with pty() as made:
        yield made


def test_the_terminal_is_taken_and_given_back(person: Pty) -> None:
    before = person.modes()
    with open_terminal(person.theirs, person.theirs):
        during = person.modes()
        entered = person.shown()

    assert during != before
    assert "\x1b[?1049h" in entered
    assert person.modes() == before
    assert person.shown().endswith("\x1b[?1049l")


def test_an_exception_gives_it_back_too(person: Pty) -> None:
    before = person.modes()
    with pytest.raises(RuntimeError), open_terminal(person.theirs, person.theirs):
        raise RuntimeError

    assert person.modes() == before
    assert "\x1b[?25h" in person.shown()


@pytest.mark.parametrize(
    ("number", "event"),
    [
        (signal.SIGTERM, "leave"),
        (signal.SIGINT, "leave"),
        (signal.SIGHUP, "leave"),
        (signal.SIGQUIT, "leave"),
        (signal.SIGTSTP, "stop"),
        (signal.SIGCONT, "resume"),
        (signal.SIGWINCH, "size"),
    ],
)
def test_a_signal_is_an_event(person: Pty, number: int, event: str) -> None:
    with open_terminal(person.theirs, person.theirs) as terminal:
        os.kill(os.getpid(), number)

        assert terminal.wait(60) == {event}


def test_handlers_are_as_before_when_it_is_over(person: Pty) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTSTP, signal.SIGWINCH)]
    with open_terminal(person.theirs, person.theirs):
        assert signal.getsignal(signal.SIGINT) != before[0]

    after = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTSTP, signal.SIGWINCH)]
    assert after == before


def test_keys_and_news_wake_it(person: Pty) -> None:
    with open_terminal(person.theirs, person.theirs) as terminal:
        person.type("q")
        assert terminal.wait(60) == {"keys"}
        assert terminal.read() == b"q"
        terminal.wake()

        assert terminal.wait(60) == {"news"}


def test_nothing_happens_when_nothing_does(person: Pty) -> None:
    with open_terminal(person.theirs, person.theirs) as terminal:
        assert terminal.wait(0.01) == set()


def test_its_size_is_the_terminals(person: Pty) -> None:
    with open_terminal(person.theirs, person.theirs) as terminal:
        assert terminal.size() == (80, 24)
        termios.tcsetwinsize(person.theirs, (10, 30))

        assert terminal.size() == (30, 10)
