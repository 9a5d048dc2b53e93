"""A request's headers -> whether it may come in; pure, so that every case is a line of a table."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.serve.door.tokens import Attempts, Invitations, Tokens

Kind: TypeAlias = Literal["http", "websocket"]

ENTER: Final = "/api/enter"
EVENTS: Final = "/api/events"
# What a browser needs before it has the cookie: a file of ours, the same for everybody.
OPEN: Final = frozenset({"/static/enter.css", "/static/enter.js"})
_LOOKS: Final = frozenset({"GET", "HEAD"})
_LONGEST_HEADERS: Final = 16 * 1024
_BODY, _EVENTS_BODY, _ENTER_BODY = 1024 * 1024, 8 * 1024 * 1024, 4 * 1024


class Refusal(Struct, frozen=True):
    """Why somebody stays outside."""

    status: int
    title: str
    detail: str
    retry_after: int | None = None


class Visit(Struct, frozen=True):
    """What the door looks at of a request."""

    kind: Kind
    method: str
    path: str
    address: str
    headers: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for known, value in self.headers if known == name]

    def get(self, name: str) -> str | None:
        """A header's first value."""
        return next(iter(self.all(name)), None)


MISDIRECTED: Final = Refusal(
    421, "Misdirected request", "This server answers to its own names only; see its address."
)
UNKNOWN: Final = Refusal(
    401, "Token needed", "Open the address that unspool printed, or send `Authorization: Bearer`."
)


class Door:
    """The list of names this server answers to, and the secrets that open it."""

    def __init__(
        self,
        tokens: Tokens,
        hosts: Iterable[str],
        *,
        scheme: Literal["http", "https"] = "http",
        now: Callable[[], int],
    ) -> None:
        self.tokens = tokens
        self.scheme = scheme
        self._hosts = frozenset(host.lower() for host in hosts)
        self._attempts, self._invitations = Attempts(now), Invitations(now)

    def refusal(self, visit: Visit) -> Refusal | None:
        """None where a request may come in; the first thing wrong with it otherwise."""
        return (
            self._too_long(visit)
            or self._misdirected(visit)
            or self._foreign(visit)
            or self._unknown(visit)
        )

    def longest_body(self, path: str) -> int:
        """How many bytes a request to a path may bring."""
        return {EVENTS: _EVENTS_BODY, ENTER: _ENTER_BODY}.get(path, _BODY)

    def invite(self) -> str:
        """A code that lets one browser in, instead of the token."""
        return self._invitations.make()

    def enters(self, token: str, address: str) -> Refusal | None:
        """Whether a token, or a code, may be swapped for the cookie."""
        return None if self._invitations.take(token) else self.introduction(token, address)

    def may_introduce_itself(self, visit: Visit) -> bool:
        """Whether a socket gave no secret at all, so that its first words may be one."""
        given = (cookies(one, self.tokens.cookie_name) for one in visit.all("cookie"))
        is_silent = visit.get("authorization") is None and not any(given)
        return visit.kind == "websocket" and is_silent

    def introduction(self, token: str, address: str) -> Refusal | None:
        """What is wrong with a token that is said."""
        if not token:
            return UNKNOWN
        return None if self.tokens.is_token(token) else self._wrong(address)

    def _too_long(self, visit: Visit) -> Refusal | None:
        size = sum(len(name) + len(value) + 4 for name, value in visit.headers)
        if size <= _LONGEST_HEADERS:
            return None
        return Refusal(431, "Headers too long", f"At most {_LONGEST_HEADERS:,} bytes of them.")

    def _misdirected(self, visit: Visit) -> Refusal | None:
        # Against a fixed list: a rebound name must not become an origin we trust.
        hosts = visit.all("host")
        is_ours = len(hosts) == 1 and hosts[0].lower() in self._hosts
        return None if is_ours else MISDIRECTED

    def _foreign(self, visit: Visit) -> Refusal | None:
        site, origins = visit.get("sec-fetch-site"), visit.all("origin")
        looks = visit.kind == "http" and visit.method in _LOOKS
        navigates = looks and visit.get("sec-fetch-mode") == "navigate"
        if site is not None and site != "same-origin" and not (site == "none" and navigates):
            return Refusal(403, "Another site's request", "Only this server's own pages may ask.")
        own = f"{self.scheme}://{(visit.get('host') or '').lower()}"
        if any(origin != own for origin in origins) or len(origins) > 1:
            return Refusal(403, "Another origin's request", f"The origin must be {own}.")
        browser = any(name.startswith("sec-fetch-") for name, _ in visit.headers)
        if not origins and (visit.kind == "websocket" or (browser and not looks)):
            return Refusal(403, "No origin", f"Say where it comes from: Origin: {own}")
        return None

    def _unknown(self, visit: Visit) -> Refusal | None:
        if visit.kind == "http" and visit.method in _LOOKS and visit.path in OPEN:
            return None
        if visit.kind == "http" and visit.method == "POST" and visit.path == ENTER:
            return self._unforced(visit)  # its token is in the body
        bearer = visit.get("authorization")
        if bearer is not None:
            return self._bearer(visit, bearer)
        if not self._has_cookie(visit):
            return UNKNOWN
        return self._unforced(visit)

    def _bearer(self, visit: Visit, given: str) -> Refusal | None:
        scheme, _, token = given.partition(" ")
        if scheme.lower() == "bearer":
            hands_in = visit.kind == "http" and (visit.method, visit.path) == ("POST", EVENTS)
            if self.tokens.is_token(token) or (hands_in and self.tokens.is_ingest(token)):
                return None
        return self._wrong(visit.address)

    def _wrong(self, address: str) -> Refusal:
        if self._attempts.is_too_many(address):
            return Refusal(429, "Too many wrong tokens", "Wait a minute.", retry_after=60)
        return UNKNOWN

    def _has_cookie(self, visit: Visit) -> bool:
        return any(
            self.tokens.is_cookie(value)
            for header in visit.all("cookie")
            for value in cookies(header, self.tokens.cookie_name)
        )

    def _unforced(self, visit: Visit) -> Refusal | None:
        """A page elsewhere can send a form with our cookie, but neither of these headers."""
        if visit.kind == "websocket" or visit.method in _LOOKS:
            return None
        content = (visit.get("content-type") or "").partition(";")[0].strip().lower()
        if content == "application/json" or visit.get("x-requested-with") is not None:
            return None
        return Refusal(403, "Not sent by a page of ours", "Send JSON, or X-Requested-With.")


def cookies(header: str, name: str) -> list[str]:
    """The values of one cookie; what others set on this host is none of our business."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return [value.strip('"') for known, _, value in pairs if known == name]
