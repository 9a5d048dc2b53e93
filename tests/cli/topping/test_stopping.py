import os
import signal

import pytest

from unspool.cli.topping.stopping import stopping


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_event_and_raises_nothing(number: int) -> None:
    with stopping() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)

        assert stop.is_set()


def test_afterwards_signals_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with stopping():
        assert signal.getsignal(signal.SIGINT) != before[0]

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_signal_that_was_ignored_before_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stopping() as stop:
        os.kill(os.getpid(), signal.SIGINT)

        assert not stop.is_set()
    signal.signal(signal.SIGINT, before)
