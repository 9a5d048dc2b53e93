"""Who a request to the pages of a hub is from: people, by their tokens and cookies."""

from collections.abc import Callable, Hashable
from typing import ClassVar, Final

from unspool.errors import StoreError
from unspool.hub.keys import KeyCache
from unspool.model.shipping import PersonIdentity
from unspool.serve.auth.policy import (
    TOKEN_NEEDED,
    TOO_MANY,
    AccessPolicy,
    Refusal,
    RequestInfo,
    bearer_token,
)
from unspool.serve.auth.tokens import CodeState
from unspool.serve.places import ServerNames
from unspool.store.postgres.database import Pool
from unspool.store.postgres.logins import LoginTable
from unspool.store.postgres.people import PeopleTable

# With the time between two looks at who listens: less than five seconds until somebody who was
# closed, or sees less now, sees nothing new.
REMEMBERED_MS: Final = 2_500
_PRINTED_CODE_MS: Final = 10 * 60_000  # of an address that stays in a terminal and in a file
_LONGEST: Final = 200
DATABASE_AWAY: Final = Refusal(
    503, "Database unavailable", "The database of the hub does not answer.", retry_after=5
)
_ASK: Final = "ask for a new link, which `unspool hub person` prints on the hub."
_BAD_CODES: Final[dict[str, Refusal]] = {
    "used": Refusal(
        401, "Code used", f"This code has already been used, and each works only once: {_ASK}"
    ),
    "expired": Refusal(401, "Code expired", f"This code has expired: {_ASK}"),
    "unknown": Refusal(401, "Code wrong", f"This code is wrong: {_ASK}"),
}


class PeopleTokens:
    """Tokens and cookies of people, looked up in the database, and for a moment remembered."""

    def __init__(self, pool: Pool, now: Callable[[], int], port: int) -> None:
        self._logins, self._now, people = LoginTable(pool), now, PeopleTable(pool)
        self.cookie_name = f"unspool-{port}"
        self._tokens = KeyCache[PersonIdentity](people.by_token, now, REMEMBERED_MS)
        self._cookies = KeyCache[PersonIdentity](
            lambda cookie: self._logins.by_cookie(cookie, now()), now, REMEMBERED_MS
        )

    def by_token(self, given: str) -> PersonIdentity | None:
        """Whose token this is."""
        return self._tokens.of(given) if _looks_like(given, "up_") else None

    def by_cookie(self, given: str) -> PersonIdentity | None:
        """Whose cookie this is."""
        return self._cookies.of(given) if _looks_like(given, "uc_") else None

    def is_token(self, given: str) -> bool:
        """Whether somebody has this token."""
        return self.by_token(given) is not None

    def is_ingest(self, given: str) -> bool:
        """Never: events belong to the unspool of their machine."""
        return False

    def is_cookie(self, given: str) -> bool:
        """Whether a browser was given this cookie, and may still use it."""
        return self.by_cookie(given) is not None

    def new_cookie(self, visitor: Hashable = None, address: str = "") -> str:
        """A cookie for a browser of a person."""
        if not isinstance(visitor, PersonIdentity):
            raise TypeError("only people sign in")
        return self._logins.sign_in(visitor, self._now(), address)

    def revoke(self, cookie: str) -> None:
        """Never accept a cookie again."""
        self._logins.sign_out(cookie, self._now())
        self._cookies.forget(cookie)


class HubPolicy(AccessPolicy):
    """The rules of any server, for as many people as there are. It asks the database.

    `local` is the person who stands for the hub itself.
    """

    waits: ClassVar[bool] = True
    how_to_enter: ClassVar[str] = (
        "Open the link that you were given, or enter its code, the part after `#t=`."
        " Your token works, too."
    )

    def __init__(
        self,
        pool: Pool,
        names: ServerNames,
        *,
        port: int,
        now: Callable[[], int],
        local: PersonIdentity,
    ) -> None:
        self._people = PeopleTokens(pool, now, port)
        super().__init__(self._people, names, now=now)
        self._logins, self.now, self.local = LoginTable(pool), now, local

    def check(self, request: RequestInfo) -> tuple[Refusal | None, Hashable]:
        """The first reason to refuse a request; if it is allowed, who makes it."""
        try:
            refusal, person = self.refusal(request), self.visitor(request)
        except StoreError:
            return DATABASE_AWAY, None
        if refusal is None and person is None and not self.is_open(request):
            refusal = TOKEN_NEEDED  # a moment ago it was somebody's
        return refusal, person

    def visitor(self, request: RequestInfo, token: str = "") -> PersonIdentity | None:
        """The person of a request, by its headers or by the token it sent later."""
        if token or request.get("authorization") is not None:
            return self._people.by_token(token or bearer_token(request))
        if not self.gives_cookie(request.host):
            return None
        found = map(self._people.by_cookie, self.cookies(request))
        return next((person for person in found if person is not None), None)

    def new_code(self, visitor: Hashable) -> str:
        """A code for a person, or for the one who stands for the hub itself."""
        person = visitor if isinstance(visitor, PersonIdentity) else self.local
        return self._logins.new_code(person.owner, self.now(), _PRINTED_CODE_MS)

    def code_state(self, code: str, *, for_ms: int = 0) -> CodeState:
        """Whether a code can be used, now and for some time; good as long as nobody can say."""
        try:
            found = self._logins.code(code, self.now() + for_ms)
        except StoreError:
            return "good"
        return "good" if isinstance(found, PersonIdentity) else found

    def check_sign_in(self, secret: str, address: str) -> Refusal | Hashable:
        """Whose code or token this is, or why it may not be exchanged for a cookie.

        None is tried for an address that sent too many wrong ones.
        """
        if self.attempts.has_too_many(address):
            return TOO_MANY
        try:
            person = self._people.by_token(secret)
            found = person or self._logins.use_code(secret[:_LONGEST], self.now())
        except StoreError:
            return DATABASE_AWAY
        if isinstance(found, PersonIdentity):
            if person is None:
                self.on_code_used()
            return found
        self.wrong_code(found, address)
        return _BAD_CODES[found]


def _looks_like(given: str, kind: str) -> bool:
    return given.startswith(kind) and len(given) <= _LONGEST
