"""Secrets as given -> whether they are ours; wrong ones are counted by address."""

import hmac
import secrets
from collections import defaultdict, deque
from collections.abc import Callable
from hashlib import sha256
from typing import Final

_MINUTE_MS: Final = 60_000
_WRONG_A_MINUTE: Final = 10
_MOST_ADDRESSES: Final = 1_000


def new_token() -> str:
    """256 bits nobody can guess."""
    return secrets.token_urlsafe(32)


class Tokens:
    """What opens the door. Only hashes are kept, and they are compared in constant time."""

    def __init__(self, token: str, ingest_token: str, port: int) -> None:
        self._token, self._ingest = _hash(token), _hash(ingest_token)
        self.cookie_name = f"unspool-{port}"
        # Made from the token: a token that is kept over a restart keeps its pages open.
        self.cookie = hmac.new(token.encode(), b"unspool cookie", sha256).hexdigest()
        self._cookie = _hash(self.cookie)

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the whole server."""
        return hmac.compare_digest(_hash(given), self._token)

    def is_ingest(self, given: str) -> bool:
        """Whether this is the secret that may only hand in events."""
        return hmac.compare_digest(_hash(given), self._ingest)

    def is_cookie(self, given: str) -> bool:
        """Whether this is what a page was given for its token."""
        return hmac.compare_digest(_hash(given), self._cookie)


class Invitations:
    """Codes that let one browser in, once and soon.

    A browser is started with its address on the command line, which others on this machine can
    see for as long as it runs: the token itself must not stand there.
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
        """Whether a code is good; from now on it is not."""
        made = self._open.pop(_hash(code), None)
        return made is not None and _is_minute(self._now(), made)


class Attempts:
    """Wrong tokens of the last minute, by address.

    They slow down whoever guesses, never whoever has the right one: on one machine all come from
    the same address, and nobody may lock its owner out.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._wrong: defaultdict[str, deque[int]] = defaultdict(deque)

    def is_too_many(self, address: str) -> bool:
        """Count one more, and say whether that is one too many."""
        now, times = self._now(), self._wrong[address]
        while times and not _is_minute(now, times[0]):
            times.popleft()
        if len(times) >= _WRONG_A_MINUTE:
            return True
        times.append(now)
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))
        return False


def _is_minute(now: int, at: int) -> bool:
    return now - _MINUTE_MS < at <= now


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
