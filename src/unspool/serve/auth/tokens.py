"""The secrets of a server, one-time codes, and a count of wrong tokens by address."""

import hmac
import secrets
from collections import defaultdict, deque
from collections.abc import Callable
from hashlib import sha256
from typing import Final

_MINUTE_MS: Final = 60_000
_MAX_WRONG_A_MINUTE: Final = 10
_MAX_ADDRESSES: Final = 1_000


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


class ServerTokens:
    """Only hashes are kept, and they are compared in constant time."""

    def __init__(self, token: str, ingest_token: str, port: int) -> None:
        self._token, self._ingest = _hash(token), _hash(ingest_token)
        self.cookie_name = f"unspool-{port}"
        # Derived from the token: with a token that survives a restart, pages stay signed in.
        self.cookie = hmac.new(token.encode(), b"unspool cookie", sha256).hexdigest()
        self._cookie = _hash(self.cookie)

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the whole server."""
        return hmac.compare_digest(_hash(given), self._token)

    def is_ingest(self, given: str) -> bool:
        """Whether this is the token that may only post events."""
        return hmac.compare_digest(_hash(given), self._ingest)

    def is_cookie(self, given: str) -> bool:
        """Whether this is the cookie that a page was given for its token."""
        return hmac.compare_digest(_hash(given), self._cookie)


class OneTimeCodes:
    """Codes that sign one browser in, once, within a minute.

    A browser is started with its address on the command line, which other users of this machine
    can see while it runs: the token itself must not be in it.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._open: dict[bytes, int] = {}

    def make(self) -> str:
        """A new code."""
        now, code = self._now(), new_token()
        self._open = {one: at for one, at in self._open.items() if _is_minute(now, at)}
        self._open[_hash(code)] = now
        return code

    def take(self, code: str) -> bool:
        """Whether a code is valid; it can be used only once."""
        created_at = self._open.pop(_hash(code), None)
        return created_at is not None and _is_minute(self._now(), created_at)


class FailedAttempts:
    """Wrong tokens of the last minute, by address.

    They slow down guessing, never a request with the right token: on one machine all requests
    come from the same address, and nobody may lock its owner out.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._wrong: defaultdict[str, deque[int]] = defaultdict(deque)

    def is_too_many(self, address: str) -> bool:
        """Count one more, and whether that exceeds the limit."""
        now, times = self._now(), self._wrong[address]
        while times and not _is_minute(now, times[0]):
            times.popleft()
        if len(times) >= _MAX_WRONG_A_MINUTE:
            return True
        times.append(now)
        if len(self._wrong) > _MAX_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))
        return False


def _is_minute(now: int, at: int) -> bool:
    return now - _MINUTE_MS < at <= now


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
