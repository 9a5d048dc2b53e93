"""Whether a request is allowed, by its headers; pure, so that every case is a row of a table."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.serve.auth.tokens import FailedAttempts, OneTimeCodes, ServerTokens

Kind: TypeAlias = Literal["http", "websocket"]

ENTER: Final = "/api/enter"
EVENTS: Final = "/api/events"
# What the sign-in page needs before there is a cookie; the same for everyone.
OPEN: Final = frozenset({"/static/enter.css", "/static/enter.js"})
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_MAX_HEADERS: Final = 16 * 1024
_BODY, _EVENTS_BODY, _ENTER_BODY = 1024 * 1024, 8 * 1024 * 1024, 4 * 1024


class Refusal(Struct, frozen=True):
    """Why a request is refused."""

    status: int
    title: str
    detail: str
    retry_after: int | None = None


class RequestInfo(Struct, frozen=True):
    """The parts of a request that decide."""

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
    421, "Misdirected request", "The Host header is not a name of this server."
)
TOKEN_NEEDED: Final = Refusal(
    401, "Token needed", "Open the address that unspool printed, or send `Authorization: Bearer`."
)


class AccessPolicy:
    """The host names of this server, and the secrets it accepts."""

    def __init__(
        self,
        tokens: ServerTokens,
        hosts: Iterable[str],
        *,
        scheme: Literal["http", "https"] = "http",
        now: Callable[[], int],
    ) -> None:
        self.tokens = tokens
        self.scheme = scheme
        self._hosts = frozenset(host.lower() for host in hosts)
        self._attempts, self._codes = FailedAttempts(now), OneTimeCodes(now)

    def refusal(self, request: RequestInfo) -> Refusal | None:
        """The first reason to refuse a request, or None."""
        return (
            self._headers_too_long(request)
            or self._wrong_host(request)
            or self._wrong_origin(request)
            or self._no_secret(request)
        )

    def max_body(self, path: str) -> int:
        """How many bytes the body of a request to a path may have."""
        return {EVENTS: _EVENTS_BODY, ENTER: _ENTER_BODY}.get(path, _BODY)

    def new_code(self) -> str:
        """A one-time code to use instead of the token."""
        return self._codes.make()

    def check_sign_in(self, token: str, address: str) -> Refusal | None:
        """Why a token or a one-time code may not be exchanged for the cookie."""
        return None if self._codes.take(token) else self.check_token(token, address)

    def may_send_token(self, request: RequestInfo) -> bool:
        """Whether a WebSocket came without any secret, so that its first message may be one."""
        given = (cookies(one, self.tokens.cookie_name) for one in request.all("cookie"))
        has_no_secret = request.get("authorization") is None and not any(given)
        return request.kind == "websocket" and has_no_secret

    def check_token(self, token: str, address: str) -> Refusal | None:
        """Why a token is refused."""
        if not token:
            return TOKEN_NEEDED
        return None if self.tokens.is_token(token) else self._wrong(address)

    def _headers_too_long(self, request: RequestInfo) -> Refusal | None:
        size = sum(len(name) + len(value) + 4 for name, value in request.headers)
        if size <= _MAX_HEADERS:
            return None
        return Refusal(431, "Headers too long", f"Headers may have at most {_MAX_HEADERS:,} bytes.")

    def _wrong_host(self, request: RequestInfo) -> Refusal | None:
        # Against a fixed list: a name rebound to us must not become an origin we trust.
        hosts = request.all("host")
        is_ours = len(hosts) == 1 and hosts[0].lower() in self._hosts
        return None if is_ours else MISDIRECTED

    def _wrong_origin(self, request: RequestInfo) -> Refusal | None:
        site, origins = request.get("sec-fetch-site"), request.all("origin")
        is_safe = request.kind == "http" and request.method in _SAFE_METHODS
        navigates = is_safe and request.get("sec-fetch-mode") == "navigate"
        if site is not None and site != "same-origin" and not (site == "none" and navigates):
            return Refusal(403, "Cross-site request", "Only this server's own pages may call it.")
        own = f"{self.scheme}://{(request.get('host') or '').lower()}"
        if any(origin != own for origin in origins) or len(origins) > 1:
            return Refusal(403, "Wrong origin", f"The origin must be {own}.")
        browser = any(name.startswith("sec-fetch-") for name, _ in request.headers)
        if not origins and (request.kind == "websocket" or (browser and not is_safe)):
            return Refusal(403, "Origin missing", f"Send the header Origin: {own}")
        return None

    def _no_secret(self, request: RequestInfo) -> Refusal | None:
        if request.kind == "http" and request.method in _SAFE_METHODS and request.path in OPEN:
            return None
        if request.kind == "http" and request.method == "POST" and request.path == ENTER:
            return self._forged(request)  # its token is in the body
        bearer = request.get("authorization")
        if bearer is not None:
            return self._bearer(request, bearer)
        if not self._has_cookie(request):
            return TOKEN_NEEDED
        return self._forged(request)

    def _bearer(self, request: RequestInfo, given: str) -> Refusal | None:
        scheme, _, token = given.partition(" ")
        if scheme.lower() == "bearer":
            method, path = request.method, request.path
            posts_events = request.kind == "http" and (method, path) == ("POST", EVENTS)
            if self.tokens.is_token(token) or (posts_events and self.tokens.is_ingest(token)):
                return None
        return self._wrong(request.address)

    def _wrong(self, address: str) -> Refusal:
        if self._attempts.is_too_many(address):
            return Refusal(429, "Too many wrong tokens", "Wait a minute.", retry_after=60)
        return TOKEN_NEEDED

    def _has_cookie(self, request: RequestInfo) -> bool:
        return any(
            self.tokens.is_cookie(value)
            for header in request.all("cookie")
            for value in cookies(header, self.tokens.cookie_name)
        )

    def _forged(self, request: RequestInfo) -> Refusal | None:
        """Another site's form can carry our cookie, but neither of these headers."""
        if request.kind == "websocket" or request.method in _SAFE_METHODS:
            return None
        content = (request.get("content-type") or "").partition(";")[0].strip().lower()
        if content == "application/json" or request.get("x-requested-with") is not None:
            return None
        return Refusal(403, "Possible forgery", "Send a JSON body, or the header X-Requested-With.")


def cookies(header: str, name: str) -> list[str]:
    """The values of one cookie; other servers on this host set cookies of their own."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return [value.strip('"') for known, _, value in pairs if known == name]
