"""Text in pieces -> the same pieces without secrets, however they were cut."""

from typing import Final

from unspool.redact.redactor import Redactor

# No secret and what leads to it is longer; less than this is never given out while more may come.
_HELD: Final = 20_480
# What was given out already, for those rules that look at what stands before.
_BEHIND: Final = 512
_STEP: Final = 131_072


class Stream:
    """Feed it text; what comes back lags behind by a bounded part, which `close` gives."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._behind = ""
        self._held: list[str] = []
        self._size = 0

    def feed(self, text: str) -> str:
        """All that no later piece can turn into a secret."""
        self._held.append(text)
        self._size += len(text)
        return self._given(self._size - _HELD) if self._size >= _HELD + _STEP else ""

    def close(self) -> str:
        """The rest."""
        return self._given(self._size)

    def _given(self, until: int) -> str:
        whole = "".join((self._behind, *self._held))
        skip = len(self._behind)
        clean, end = self._redactor.part(whole, skip, skip + until)
        self._behind = whole[max(0, end - _BEHIND) : end]
        self._held = [whole[end:]]
        self._size = len(whole) - end
        return clean
