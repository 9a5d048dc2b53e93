import os
from typing import Any

import pytest

from unspool.ingest.scan.links import Link, Lost


@pytest.fixture
def ends() -> Any:
    (a, b), (c, d) = os.pipe(), os.pipe()
    one, two = Link(a, d), Link(c, b)
    yield one, two
    one.close()
    two.close()


@pytest.mark.parametrize("value", [(), [("a", 1, None)], b"\0\n", "\ud800", 10**30])
def test_a_value_arrives_as_it_was_sent(ends: Any, value: Any) -> None:
    one, two = ends
    one.send(value)
    one.send("next")

    assert (two.receive(), two.receive()) == (value, "next")


def test_whoever_is_gone_sends_nothing(ends: Any) -> None:
    one, two = ends
    one.close()

    with pytest.raises(Lost):
        two.receive()


def test_nothing_can_be_sent_to_whoever_is_gone(ends: Any) -> None:
    one, two = ends
    two.close()

    with pytest.raises(Lost):
        one.send(b"x" * 100)


def test_half_a_value_is_none(ends: Any) -> None:
    one, two = ends
    os.write(one._out.fileno(), (100).to_bytes(8, "big") + b"half")
    one.close()

    with pytest.raises((Lost, ValueError, EOFError)):
        two.receive()
