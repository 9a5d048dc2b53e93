"""Requests to a hub and what it answers; nothing about a network raises."""

import http.client
import random
import ssl
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from unspool.json_depth import shallow
from unspool.model.shipping import (
    EnrolAnswer,
    EnrolRequest,
    Receipt,
    ShipMode,
    SourceState,
    StatePage,
)

_SECONDS: Final = 60.0
_LONGEST: Final = 16 * 1024 * 1024
_TROUBLE: Final = (OSError, http.client.HTTPException, ssl.SSLError)
Kind = TypeVar("Kind")


class HubAnswer(NamedTuple):
    """A status, 0 where there was none; the body, and after how many seconds to try again."""

    status: int
    body: bytes = b""
    retry_after: float | None = None
    detail: str = ""
    takes: ShipMode | None = None  # where this machine's mode sends more than the hub takes

    @property
    def is_good(self) -> bool:
        """Whether it did what was asked."""
        return self.status == HTTPStatus.OK


class _Problem(Struct, frozen=True):
    detail: str = ""
    title: str = ""
    acked: tuple[SourceState, ...] = ()
    expected: tuple[SourceState, ...] = ()
    takes: ShipMode | None = None


class HubLink:
    """One connection to a hub at a time; used by one thread."""

    def __init__(self, url: str, key: str = "", seconds: float = _SECONDS) -> None:
        self._parts = urlsplit(url)
        self._key, self._seconds = key, seconds
        self._connection: http.client.HTTPConnection | None = None

    def enrol(self, asked: EnrolRequest) -> EnrolAnswer | HubAnswer:
        """Exchange a code for a key."""
        answer = self._ask("POST", "/api/enrol", msgspec.json.encode(asked))
        return _decoded(answer, EnrolAnswer)

    def states(self, after: int, forgotten: str = "") -> StatePage | HubAnswer:
        """A page of what the hub has; its tombstones, where they are not those of a digest."""
        beside = f"&forgotten={forgotten}" if forgotten else ""
        return _decoded(self._ask("GET", f"/api/ingest/state?after={after}{beside}"), StatePage)

    def send(self, body: bytes) -> Receipt | HubAnswer:
        """Send a sealed envelope; shipments that do not fit are in the receipt."""
        headers = {"Content-Encoding": "zstd", "Content-Type": "application/msgpack"}
        answer = self._ask("POST", "/api/ingest", body, headers)
        if answer.status == HTTPStatus.CONFLICT:
            told = _problem(answer)
            return Receipt(acked=told.acked, expected=told.expected)
        return _decoded(answer, Receipt)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> HubAnswer:
        given = {"Accept": "application/json", **(headers or {})}
        if self._key:
            given["Authorization"] = f"Bearer {self._key}"
        try:
            if self._connection is None:
                self._connection = self._opened()
            self._connection.request(method, self._parts.path + path, body or None, given)
            response = self._connection.getresponse()
            data = response.read(_LONGEST)
            answer = HubAnswer(response.status, data, _seconds(response.getheader("Retry-After")))
        except _TROUBLE as error:
            self.close()
            return HubAnswer(0, detail=f"{type(error).__name__}: {error}")
        if response.will_close or not answer.is_good:
            self.close()
        if answer.is_good:
            return answer
        told = _problem(answer)
        return answer._replace(detail=told.detail, takes=told.takes)

    def _opened(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(
                host, port, timeout=self._seconds, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(host, port, timeout=self._seconds)


def pause(failures: int, longest: float) -> float:
    """Seconds before the next try: up to twice as many each time, and not the same for all."""
    return random.uniform(0, min(longest, 2.0 ** min(max(failures, 1) - 1, 20)))  # noqa: S311


def _decoded(answer: HubAnswer, kind: type[Kind]) -> Kind | HubAnswer:
    if not answer.is_good:
        return answer
    try:
        return msgspec.json.decode(shallow(answer.body), type=kind)
    except (ValueError, RecursionError):
        return HubAnswer(0, detail="The hub's answer cannot be read.")


def _problem(answer: HubAnswer) -> _Problem:
    with suppress(ValueError, RecursionError):
        return msgspec.json.decode(shallow(answer.body), type=_Problem)
    return _Problem()


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdecimal() and len(text) < 6 else None
