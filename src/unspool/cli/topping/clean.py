"""What is not to be seen -> a mark in its place: the one way to a screen for text of sessions."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from unspool.redact import Redactor


class Clean(Struct, frozen=True):
    """Takes secrets out of a text, or of all texts in a value of any shape."""

    text: Callable[[str], str]
    value: Callable[[Any], Any]


def cleaner(redactor: Redactor | None) -> Clean:
    """What cleans; without a redactor everything is left as it is."""
    if redactor is None:
        return Clean(str, lambda value: value)
    return Clean(redactor.text, redactor.value)
