import re
import signal
from threading import Thread
from time import sleep

import pytest

from unspool.cli.budget import budget
from unspool.recall.regex import TimeUp


def test_a_pattern_that_never_ends_is_ended() -> None:
    with pytest.raises(TimeUp), budget(0.05):
        re.search("(a+)+b", "a" * 60)


def test_what_is_quick_enough_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with budget(60):
        pass

    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_in_another_thread_nobody_can_be_called() -> None:
    done: list[bool] = []

    def work() -> None:
        with budget(0.001):
            sleep(0.01)
            done.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()

    assert done == [True]
