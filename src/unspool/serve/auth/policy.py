"""Whether a request is allowed, by its headers; pure, so that every case is a row of a table."""

from collections.abc import Callable, Hashable
from typing import ClassVar, Final, Literal, Protocol, TypeAlias

from litestar.types import Scope
from msgspec import Struct

from unspool.serve.auth.tokens import CodeState, FailedAttempts, OneTimeCodes
from unspool.serve.places import ServerNames

Kind: TypeAlias = Literal["http", "websocket"]

VISITOR: Final = "unspool.visitor"  # in a scope: who makes the request
ENTER: Final = "/api/enter"
ENTER_FORM: Final = "/enter"
LOG_OUT: Final = "/logout"
EVENTS: Final = "/api/events"
# What the sign-in page needs before there is a cookie; the same for everyone.
OPEN: Final = frozenset({ENTER_FORM, "/static/enter.css", "/static/enter.js"})
REVOKE, ROTATE = "/machines/revoke", "/machines/rotate"
# What our pages send without any script.
FORMS: Final = frozenset({ENTER_FORM, LOG_OUT, REVOKE, ROTATE})
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
    target: str = "/"  # path and query, as they were sent

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for known, value in self.headers if known == name]

    def get(self, name: str) -> str | None:
        """A header's first value."""
        return next(iter(self.all(name)), None)

    @property
    def host(self) -> str:
        """What it calls this server."""
        return (self.get("host") or "").lower()


MISDIRECTED: Final = Refusal(
    421, "Misdirected request", "The Host header does not name this server."
)
TOKEN_NEEDED: Final = Refusal(
    401,
    "Token needed",
    "Open the address that `unspool serve status` prints, or send `Authorization: Bearer`.",
)
# Whoever posts events is a script, most likely one that was written for a server without tokens.
EVENT_TOKEN_NEEDED: Final = Refusal(
    401,
    "Token needed",
    "Add this line to the curl command of your hook:"
    ' -H "Authorization: Bearer $(jq -r .ingestToken'
    ' "${UNSPOOL_HOME:-$HOME/.local/share/unspool}/runtime.json")"',
)
CROSS_SITE: Final = Refusal(403, "Cross-site request", "Only this server's own pages may call it.")
TOO_MANY: Final = Refusal(429, "Too many wrong tokens", "Wait a minute.", retry_after=60)
_BAD_CODES: Final[dict[CodeState, Refusal]] = {
    "used": Refusal(
        401,
        "Code used",
        "This code has already been used, and each works only once: "
        "`unspool serve status` prints an address with a new one.",
    ),
    "expired": Refusal(
        401,
        "Code expired",
        "This code is more than ten minutes old and has expired: "
        "`unspool serve status` prints an address with a new one.",
    ),
    "unknown": Refusal(
        401,
        "Code wrong",
        "This code is wrong, or older than the server: "
        "`unspool serve status` prints an address with a new one.",
    ),
}


class OneTimeCode(Struct, frozen=True):
    """A code that signs one browser in, once, within ten minutes, and where it does so."""

    code: str
    url: str

    @property
    def address(self) -> str:
        """What the browser opens; the part after `#` never leaves it."""
        return f"{self.url}{ENTER_FORM}#t={self.code}"


def request_info(kind: Kind, scope: Scope) -> RequestInfo:
    """The parts of an ASGI request that decide."""
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    client, query = scope.get("client"), scope.get("query_string") or b""
    target = (scope.get("raw_path") or b"/") + (b"?" + query if query else b"")
    return RequestInfo(
        kind=kind,
        method=str(scope.get("method", "GET")),
        path=scope["path"],
        address=client[0] if client else "",
        headers=tuple((name.lower(), value) for name, value in pairs),
        target=target.decode("latin-1"),
    )


class SignedIn(Struct, frozen=True):
    """A browser that showed a good secret: its cookie, or where it has to go for one.

    It has neither if it has a cookie already: it must know all that it was given to sign out.
    """

    cookie: str = ""
    invitation: OneTimeCode | None = None


class TokenCheck(Protocol):
    """Which tokens and cookies are good; `ServerTokens` are those of a server of one machine."""

    cookie_name: str

    def is_token(self, given: str) -> bool: ...
    def is_ingest(self, given: str) -> bool: ...
    def is_cookie(self, given: str) -> bool: ...
    def new_cookie(self, visitor: Hashable = None, address: str = "") -> str: ...
    def revoke(self, cookie: str) -> None: ...


class AccessPolicy:
    """The host names of this server, and the secrets it accepts.

    `on_code_used` is called after a one-time code was used. One that `waits` may ask a database:
    no event loop may call it.
    """

    waits: ClassVar[bool] = False
    # For the page of a browser that is not signed in.
    how_to_enter: ClassVar[str] = (
        "Open the address that `unspool serve status` prints, or enter its code,"
        " the part after `#t=`."
    )

    def __init__(self, tokens: TokenCheck, names: ServerNames, *, now: Callable[[], int]) -> None:
        self.tokens, self.names = tokens, names
        self.codes = OneTimeCodes(now)
        self.on_code_used: Callable[[], None] = lambda: None
        self.attempts = FailedAttempts(now)

    def refusal(self, request: RequestInfo) -> Refusal | None:
        """The first reason to refuse a request, or None."""
        return (
            self._headers_too_long(request)
            or self._wrong_host(request)
            or self._wrong_origin(request)
            or self._no_secret(request)
        )

    def check(self, request: RequestInfo) -> tuple[Refusal | None, Hashable]:
        """The first reason to refuse a request; if it is allowed, who makes it."""
        return self.refusal(request), None

    def visitor(self, request: RequestInfo, token: str = "") -> Hashable:
        """Who makes a request that is not refused, by its headers or by the token it sent later.

        None is the one visitor of a server of one machine.
        """
        return None

    def max_body(self, path: str) -> int:
        """How many bytes the body of a request to a path may have."""
        limits = {EVENTS: _EVENTS_BODY, ENTER: _ENTER_BODY, ENTER_FORM: _ENTER_BODY}
        return limits.get(path, _BODY)

    def invitation(self, visitor: Hashable = None) -> OneTimeCode:
        """A new code for somebody, or for who runs the server, and where to use it."""
        return OneTimeCode(self.new_code(visitor), self.names.browser_url)

    def new_code(self, visitor: Hashable) -> str:
        """A new code for somebody."""
        return self.codes.make()

    def code_state(self, code: str, *, for_ms: int = 0) -> CodeState:
        """Whether a code can be used, now and for some time."""
        return self.codes.state(code, for_ms=for_ms)

    def gives_cookie(self, host: str) -> bool:
        """Whether a browser is signed in under this name, or sent on to another."""
        return host.lower() in self.names.sign_in_hosts

    def has_cookie(self, request: RequestInfo) -> bool:
        """Whether a request has a cookie that is valid, under a name where they are given."""
        return self.gives_cookie(request.host) and any(
            map(self.tokens.is_cookie, self.cookies(request))
        )

    def sign_in(self, secret: str, request: RequestInfo) -> SignedIn | Refusal:
        """Exchange a one-time code or a token for a cookie."""
        visitor = self.check_sign_in(secret, request.address)
        if isinstance(visitor, Refusal):
            return visitor
        if not self.gives_cookie(request.host):
            return SignedIn(invitation=self.invitation(visitor))
        if self.has_cookie(request) and self.visitor(request) == visitor:
            return SignedIn()
        return SignedIn(self.tokens.new_cookie(visitor, request.address))

    def check_sign_in(self, secret: str, address: str) -> Refusal | Hashable:
        """Whose one-time code or token this is, or why it may not be exchanged for the cookie."""
        state = self.codes.take(secret)
        if state == "good":
            self.on_code_used()
            return None
        if state == "unknown" and self.tokens.is_token(secret):
            return None
        return self.wrong_code(state, address)

    def wrong_code(self, state: CodeState, address: str) -> Refusal:
        """Why a code is refused; wrong ones are counted."""
        if state == "unknown" and self.attempts.is_too_many(address):
            return TOO_MANY
        return _BAD_CODES[state]

    def may_send_token(self, request: RequestInfo) -> bool:
        """Whether a WebSocket came without any secret, so that its first message may be one."""
        has_no_secret = request.get("authorization") is None and not self.cookies(request)
        return request.kind == "websocket" and has_no_secret

    def is_logged_out(self, request: RequestInfo) -> bool:
        """Whether a request came with a cookie that has been revoked since."""
        has_cookie = request.get("authorization") is None and self.cookies(request)
        return bool(has_cookie) and not self.has_cookie(request)

    def log_out(self, request: RequestInfo) -> None:
        """Never accept the cookie of a request again."""
        for cookie in self.cookies(request):
            self.tokens.revoke(cookie)

    def check_token(self, token: str, address: str) -> Refusal | None:
        """Why a token is refused."""
        if not token:
            return TOKEN_NEEDED
        return None if self.tokens.is_token(token) else self._wrong(address)

    def _headers_too_long(self, request: RequestInfo) -> Refusal | None:
        size = sum(len(name) + len(value) + 4 for name, value in request.headers)
        if size <= _MAX_HEADERS:
            return None
        return Refusal(431, "Headers too long", f"Headers are limited to {_MAX_HEADERS:,} bytes.")

    def _wrong_host(self, request: RequestInfo) -> Refusal | None:
        # Against a fixed list: a name rebound to us must not become an origin we trust.
        hosts = request.all("host")
        is_ours = len(hosts) == 1 and hosts[0].lower() in self.names.origins
        return None if is_ours else MISDIRECTED

    def _wrong_origin(self, request: RequestInfo) -> Refusal | None:
        site, origins = request.get("sec-fetch-site"), request.all("origin")
        is_safe = request.kind == "http" and request.method in _SAFE_METHODS
        navigates = is_safe and request.get("sec-fetch-mode") == "navigate"
        # To the sign-in page, which is the same for everyone, a link may lead from anywhere.
        may_lead_here = navigates and (site == "none" or request.path == ENTER_FORM)
        if site is not None and site != "same-origin" and not may_lead_here:
            return CROSS_SITE
        own = self.names.origins[request.host]
        if any(origin != own for origin in origins) or len(origins) > 1:
            return Refusal(403, "Wrong origin", f"The origin must be {own}.")
        browser = any(name.startswith("sec-fetch-") for name, _ in request.headers)
        if not origins and (request.kind == "websocket" or (browser and not is_safe)):
            return Refusal(403, "Origin missing", f"Send the header Origin: {own}")
        return None

    def is_open(self, request: RequestInfo) -> bool:
        """Whether a request needs no secret in its headers: the sign-in page, and its form."""
        is_asset = request.method in _SAFE_METHODS and request.path in OPEN
        signs_in = request.method == "POST" and request.path in (ENTER, ENTER_FORM)
        return request.kind == "http" and (is_asset or signs_in)

    def _no_secret(self, request: RequestInfo) -> Refusal | None:
        if self.is_open(request):
            return self._forged(request)
        if request.get("authorization") is not None:
            return self._bearer(request)
        if not self.has_cookie(request):
            return TOKEN_NEEDED
        return self._forged(request)

    def _bearer(self, request: RequestInfo) -> Refusal | None:
        token, method, path = bearer_token(request), request.method, request.path
        posts_events = request.kind == "http" and (method, path) == ("POST", EVENTS)
        if token and (
            self.tokens.is_token(token) or (posts_events and self.tokens.is_ingest(token))
        ):
            return None
        return self._wrong(request.address)

    def _wrong(self, address: str) -> Refusal:
        return TOO_MANY if self.attempts.is_too_many(address) else TOKEN_NEEDED

    def cookies(self, request: RequestInfo) -> list[str]:
        """The cookies of a request that could be ours."""
        name = self.tokens.cookie_name
        return [value for header in request.all("cookie") for value in cookies(header, name)]

    def _forged(self, request: RequestInfo) -> Refusal | None:
        """Another site's form can carry our cookie, but neither of these headers."""
        if request.kind == "websocket" or request.method in _SAFE_METHODS:
            return None
        content = (request.get("content-type") or "").partition(";")[0].strip().lower()
        if content == "application/json" or request.get("x-requested-with") is not None:
            return None
        # A form of ours says where it comes from, and that was checked: see `_wrong_origin`.
        if request.path in FORMS and request.all("origin"):
            return None
        return Refusal(403, "Possible forgery", "Send a JSON body, or the header X-Requested-With.")


def bearer_token(request: RequestInfo) -> str:
    """The token in the header `Authorization`, or ""."""
    scheme, _, token = (request.get("authorization") or "").partition(" ")
    return token if scheme.lower() == "bearer" else ""


def cookies(header: str, name: str) -> list[str]:
    """The values of one cookie; other servers on this host set cookies of their own."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return [value.strip('"') for known, _, value in pairs if known == name]
