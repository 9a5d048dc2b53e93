"""What a machine and the hub say to each other on `WS /api/secondary`: one JSON object a message.

Who speaks is decided by the key that opened the socket: no message says so.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from unspool.model.session import BoardRow
from unspool.model.shipping import Place, ShipMode

PATH: Final = "/api/secondary"
# Beyond these a message is not read, and a row not sent.
MOST_MESSAGE: Final = 1024 * 1024
MOST_ROW: Final = 64 * 1024
MOST_ROWS: Final = 500  # of one machine
MOST_LINES: Final = 100  # of one read
MOST_READ: Final = 4 * 1024 * 1024
BOARD_EVERY_MS: Final = 500

Name: TypeAlias = Annotated[str, Meta(max_length=255)]
Text: TypeAlias = Annotated[str, Meta(max_length=1_000)]
Id: TypeAlias = Annotated[str, Meta(max_length=40)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]


class Hello(Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """The first message of a machine."""

    version: Annotated[str, Meta(max_length=100)] = ""
    platform: Annotated[str, Meta(max_length=200)] = ""
    clock: Place = 0
    mode: ShipMode = "redacted"


class BoardMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="board"):
    """Rows of the machine's own board that are new or changed, and names of those that left it.

    A `whole` one replaces what was said before: it is the first of a socket.
    """

    rows: Annotated[tuple[BoardRow, ...], Meta(max_length=MOST_ROWS)] = ()
    gone: Annotated[tuple[tuple[Name, Name], ...], Meta(max_length=MOST_ROWS)] = ()
    whole: bool = False


class QueueMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="queue"):
    """What waits on the machine: whole lines in bytes, and when the newest of them was written."""

    bytes: Place = 0
    newest: Place | None = None


class Pong(Struct, frozen=True, kw_only=True, tag_field="type", tag="pong"):
    """The `at` of a ping, and what time it is on the machine."""

    at: Place
    clock: Place


class ReadPart(Struct, frozen=True, array_like=True):
    """Bytes of the place with this number; those of a long one come in several parts."""

    number: Annotated[int, Meta(ge=0, lt=MOST_LINES)]
    data: bytes


class LinesMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="lines"):
    """An answer to a read, or the reason for a refusal; more of it may follow."""

    id: Id
    items: Annotated[tuple[ReadPart, ...], Meta(max_length=MOST_LINES)] = ()
    refused: Text = ""
    more: bool = False


class WaitingState(Struct, frozen=True):
    """What a session of claude-code-monitor waits for."""

    type: Text = ""
    since: int | float | Text | None = None


class SessionMetadata(
    Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="session_metadata"
):
    """A session as the secondary of claude-code-monitor tells of it."""

    session_id: Name
    project_id: Name = ""
    cwd: Text = ""
    status: Literal["active", "waiting", "ended"] = "active"
    waiting_state: WaitingState | None = None
    start_time: Place | None = None
    last_activity: Place | None = None
    git_branch: Text | None = None
    model: Text | None = None
    event_count: Count = 0


class EventsAdded(
    Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="events_added"
):
    """There is something new in a session: a hint."""

    session_id: Name = ""


class EventsInserted(
    Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="events_inserted"
):
    """The same, and not at its end."""

    session_id: Name = ""


FromMachine: TypeAlias = (
    Hello
    | BoardMessage
    | QueueMessage
    | Pong
    | LinesMessage
    | SessionMetadata
    | EventsAdded
    | EventsInserted
)


class Ping(Struct, frozen=True, kw_only=True, tag_field="type", tag="ping"):
    """What time it is on the hub."""

    at: Place


class RawPlace(Struct, frozen=True, array_like=True):
    """Bytes of a source, as the machine numbers it."""

    local_id: Place
    generation: Place
    offset: Place
    length: Annotated[int, Meta(gt=0, le=MOST_READ)]


class ReadMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="read"):
    """Somebody asks for raw lines."""

    id: Id
    places: Annotated[tuple[RawPlace, ...], Meta(min_length=1, max_length=MOST_LINES)]
    by: Text = ""


class PolicyMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="policy"):
    """How much the hub takes; it can only ask for less."""

    board_every_ms: Place = BOARD_EVERY_MS
    most_rows: Annotated[int, Meta(ge=0, le=MOST_ROWS)] = MOST_ROWS


class Revoked(Struct, frozen=True, kw_only=True, tag_field="type", tag="revoked"):
    """This key opens nothing any more."""


FromHub: TypeAlias = Ping | ReadMessage | PolicyMessage | Revoked
