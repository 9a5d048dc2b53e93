"""What operating systems do differently, each with a way that works without it.

Nobody else asks which system this is, or uses a name that one of them lacks.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def optional_module(name: str) -> "Any":
    """A module of the standard library that some systems lack; None there."""
    try:
        return __import__(name)
    except ImportError:
        return None
