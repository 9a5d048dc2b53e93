import os
import select

import pytest

from unspool.system.terminals import has_key_mode, is_ready, key_mode, restore_mode, wake_pipe


def test_keys_come_one_by_one_until_the_mode_is_restored() -> None:
    ours, theirs = os.openpty()
    before = key_mode(theirs)
    os.write(ours, b"q")
    key = is_ready(theirs, 60) and os.read(theirs, 9)
    restore_mode(theirs, before)
    again = key_mode(theirs)
    os.close(ours)
    restore_mode(theirs, before)  # its window is closed
    os.close(theirs)

    assert has_key_mode()
    assert (key, again) == (b"q", before)


def test_a_pipe_is_ready_when_there_is_something_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    woken, waker = wake_pipe()
    empty = is_ready(woken, 0)
    os.write(waker, b"!")
    full = is_ready(woken, 0)
    os.read(woken, 1)
    monkeypatch.delattr(select, "poll")

    assert (empty, full, is_ready(woken, 0)) == (False, True, True)
    os.close(woken)
    os.close(waker)
