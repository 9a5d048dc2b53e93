"""What a terminal sends -> keys: letters as they are, all others by name."""

import re
from typing import Final

_NAMES: Final = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x0c": "redraw",
    "\x1b": "escape",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[F": "end",
    "\x1b[4~": "end",
}
_KEY: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])|[\s\S]")
_BEGUN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_LONGEST = 64


class Keys:
    """Holds back the beginning of a sequence until its end comes, or nothing does."""

    def __init__(self) -> None:
        self._held = b""

    @property
    def is_waiting(self) -> bool:
        """Whether what came last may be half of something."""
        return bool(self._held)

    def feed(self, data: bytes) -> list[str]:
        """Take what came; give the keys in it."""
        data = self._held + data
        whole = _whole_letters(data)
        begun = _BEGUN.search(data[:whole].decode("utf-8", "replace"))
        # Escape alone is a key too, but only time can tell.
        keep = len(data) - whole + (len(begun[0]) if begun else 0)
        self._held = data[len(data) - keep :] if 0 < keep <= _LONGEST else b""
        return _named(data[: len(data) - len(self._held)].decode("utf-8", "replace"))

    def flush(self) -> list[str]:
        """Nothing more came: what was held back is all there is."""
        held, self._held = self._held, b""
        return _named(held.decode("utf-8", "ignore"))


def _whole_letters(data: bytes) -> int:
    """How much of it is whole, as far as UTF-8 tells."""
    for back in range(1, min(len(data), 3) + 1):
        first = data[-back]
        if first >= 0xC0:
            needed = 2 + (first >= 0xE0) + (first >= 0xF0)
            return len(data) - back if back < needed else len(data)
        if first < 0x80:
            break
    return len(data)


def _named(text: str) -> list[str]:
    found = (_NAMES.get(_plain(key), key) for key in _KEY.findall(text))
    return [key for key in found if key in _NAMES.values() or key.isprintable()]


def _plain(key: str) -> str:
    """Both ways in which terminals send arrows are one."""
    return f"\x1b[{key[2:]}" if key.startswith("\x1bO") else key
