"""What a machine and the hub say to each other: shipments, how far a source has come, enrolment.

A shipment is packed with msgpack; everything else is JSON.
"""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Meta, Struct

from unspool.model.files import OutputFile
from unspool.model.rows import Batch
from unspool.remote_paths import MACHINE_NAME

PROTOCOL: Final = 1
ShipMode: TypeAlias = Literal["summary", "metadata", "redacted", "raw"]
MODES: Final[tuple[ShipMode, ...]] = get_args(ShipMode)  # each sends more than those before it
WITH_BYTES: Final[tuple[ShipMode, ...]] = ("redacted", "raw")
Role: TypeAlias = Literal["member", "lead", "admin"]

# What PostgreSQL has room for, and what a machine may be called: `audit` is a page beside theirs.
Place: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
MachineName: TypeAlias = Annotated[str, Meta(pattern=rf"^(?!audit\Z){MACHINE_NAME}\Z")]


class ShippedPiece(Struct, frozen=True, array_like=True):
    """Raw bytes from one place of a source to another, packed."""

    begins: Place
    ends: Place
    checksum: Place
    packed: bytes


class Shipment(Struct, frozen=True, kw_only=True):
    """What some bytes of one source change: the rows of a batch, and the bytes.

    The batch names its source as the machine does. `edition` counts how often a source began again
    on the hub: one more than the hub has begins it again. `before` and `after` are marks of the
    bytes that lie before the batch's begin and its end, as they are on the machine.
    """

    batch: Batch
    edition: Place = 0
    before: bytes = b""
    after: bytes = b""
    pieces: list[ShippedPiece] = []
    withheld: Place = 0  # up to here the machine has bytes, where its mode sends none
    refused: bytes = b""  # the rows as the hub refused them before: they go into quarantine


class ShippedOutput(Struct, frozen=True, kw_only=True):
    """Some bytes of a long tool output, which follow on those that the hub has of it.

    Its generation is the time of its file: another one begins it again.
    """

    local_id: Place
    file: OutputFile
    begins: Place
    pieces: list[ShippedPiece] = []

    @property
    def ends(self) -> int:
        """Up to where its bytes go."""
        return self.pieces[-1].ends if self.pieces else self.begins


class MachineReport(Struct, frozen=True, kw_only=True):
    """What a machine says of itself with an envelope; None, and "", are not known."""

    version: Annotated[str, Meta(max_length=100)] = ""  # of unspool
    platform: Annotated[str, Meta(max_length=200)] = ""
    waiting_bytes: Place | None = None  # whole lines that the hub lacks after this envelope
    waiting_at: Place | None = None  # when the newest of them was written


class ShippedTombstone(Struct, frozen=True, array_like=True):
    """A session that was forgotten on its machine, or restored after that; the later one counts.

    `name` is a hash of project and session: not even the ids of a forgotten session are sent.
    """

    name: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    at: Place
    is_restored: bool = False


class Envelope(Struct, frozen=True, kw_only=True):
    """One request: shipments of one machine, in the order in which they are to be taken."""

    v: int
    sent_at: int
    mode: ShipMode
    rules: Place = 0  # of the redactor
    shipments: list[Shipment] = []
    filling: bytes = b""  # random, where rows would be packed too well
    report: MachineReport | None = None
    outputs: list[ShippedOutput] = []
    forgotten: list[ShippedTombstone] = []  # obeyed before the shipments are looked at


class SourceState(Struct, frozen=True, kw_only=True, rename="camel"):
    """How far a source of a machine has come on the hub."""

    local_id: Place
    edition: Place = 0
    generation: Place = 0  # the machine's, of which this edition is
    offset: Place = 0
    mark: str = ""  # of the bytes before the offset, in hexadecimal digits
    archived: Place = 0  # up to here there are bytes, those of an unfinished line included
    is_gone: bool = False
    # Of all that is held of it; where it was sent in several ways, the mode that sends most, and
    # rules that nobody has.
    mode: ShipMode = "raw"
    rules: int = 0


class StatePage(Struct, frozen=True, kw_only=True, rename="camel"):
    """Some sources of a machine in the order of their ids; the next page begins after `next`."""

    sources: tuple[SourceState, ...] = ()
    next: int | None = None
    # All that the hub has, where the machine has others; None: both have the same.
    forgotten: tuple[ShippedTombstone, ...] | None = None
    takes: ShipMode | None = None  # the mode that sends the most the hub takes; None: any


class Receipt(Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of an envelope; it is on the hub's disk when this is said."""

    acked: tuple[SourceState, ...] = ()
    expected: tuple[SourceState, ...] = ()  # of shipments that do not follow on what is there
    refused: tuple[Place, ...] = ()  # sources of sessions that were forgotten
    seq: int = 0


class EnrolRequest(Struct, frozen=True, kw_only=True):
    """A machine that has a code asks for its key."""

    code: Annotated[str, Meta(max_length=200)]
    name: MachineName
    platform: Annotated[str, Meta(max_length=200)] = ""


class EnrolAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """The machine's name on the hub, and its key, which nobody can ask for again."""

    machine: str
    key: str


class MachineIdentity(Struct, frozen=True):
    """Who sends, by the key they showed; nothing of it is ever taken from a body."""

    machine: int
    owner: int
    name: str


class PersonIdentity(Struct, frozen=True):
    """Who asks, by the token they showed."""

    owner: int
    name: str
    role: Role


class MachineRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A machine as command, API and page show it; times in milliseconds, None is not known."""

    name: str
    person: str
    platform: str | None = None
    version: str | None = None
    mode: str | None = None
    enrolled_at: int
    seen_at: int | None = None
    connected_at: int | None = None  # since when its WebSocket is open; None: none is
    revoked_at: int | None = None
    queue_bytes: int | None = None  # that the hub lacks
    lag_ms: int | None = None  # from the newest line here to the newest line there
    skew_ms: int | None = None  # the hub's clock minus the machine's, the way included
    sources: int = 0
    bytes: int = 0
    quarantined: int = 0
    sessions_today: int = 0  # with a response today, on the hub's clock
    cost_today_usd: float | None = None  # None: of its responses today, none has a price
    is_lower_bound: bool = False  # a response of today has no price, or was not finished


class MachineProject(Struct, frozen=True, rename="camel"):
    """A project of a machine; when somebody worked on it last, in milliseconds."""

    project_id: str
    sessions: int
    last_activity: int | None


class QuarantineReason(Struct, frozen=True, rename="camel"):
    """Why rows of a machine were not taken, how often, and when last."""

    reason: str
    count: int
    last_at: int


class WaitingFile(Struct, frozen=True, rename="camel"):
    """A file that was longer than what had been sent of it, as of its last shipment."""

    path: str
    bytes: int
    written_at: int


class MachineDetail(Struct, frozen=True, kw_only=True, rename="camel"):
    """A machine, and what it sent."""

    machine: MachineRow
    projects: tuple[MachineProject, ...] = ()
    quarantine: tuple[QuarantineReason, ...] = ()
    waiting: tuple[WaitingFile, ...] = ()


class TeamToday(Struct, frozen=True, kw_only=True, rename="camel"):
    """All machines of a hub together, on its clock; for everybody who has a token."""

    machines: int  # that are not revoked
    sessions: int
    cost_usd: float | None
    is_lower_bound: bool = False


class PersonRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A person as `unspool hub person` lists them."""

    name: str
    role: Role
    machines: int  # that are not revoked
    created_at: int
    closed_at: int | None = None


class AuditEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that was done; without a person it was a command on the hub, or a machine."""

    id: int
    at: int
    person: str | None
    machine: str | None
    what: str
    about: str
    address: str | None
