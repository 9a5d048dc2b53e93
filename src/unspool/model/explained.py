"""How one session's figure came to be, step by step."""

from msgspec import Struct


class Dropped(Struct, frozen=True, rename="camel"):
    """Lines that repeat what another line says."""

    why: str  # streamed | sidechain | fork | copy
    lines: int


class Rated(Struct, frozen=True, rename="camel"):
    """Tokens of one kind at one price."""

    kind: str
    tokens: int
    usd_per_million: float
    cost_usd: float


class Charge(Struct, frozen=True, kw_only=True, rename="camel"):
    """Responses that were priced by the same row, tier and factors."""

    model: str
    responses: int
    since: str | None = None  # the days the row holds for; None is open
    until: str | None = None
    above: int | None = None  # the tier: prompts longer than this
    fast: float | None = None  # factors
    geo: float | None = None
    kinds: tuple[Rated, ...] = ()
    searches: int = 0
    searches_usd: float = 0.0
    cost_usd: float | None = None  # None: no price is known


class Difference(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where another tool counts otherwise: what it has more, or less, by one of its rules."""

    rule: str
    responses: int
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cost_usd: float = 0.0


class Compared(Struct, frozen=True, kw_only=True, rename="camel"):
    """Another tool's figure for the same lines."""

    tool: str
    total_cost: float
    difference: float
    because: tuple[Difference, ...] = ()


class Explanation(Struct, frozen=True, kw_only=True, rename="camel"):
    """Lines read, responses, copies dropped, rates, and the sum."""

    session_id: str
    project_id: str
    files: int
    lines: int
    usage_lines: int
    responses: int
    dropped: tuple[Dropped, ...] = ()
    elsewhere: dict[str, int] = {}  # responses that count for another session, by its id
    earlier: int = 0  # responses that only an earlier version of a file has told
    charges: tuple[Charge, ...] = ()
    total_cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    lower_bound: int = 0  # responses whose output may be more
    cost_state_usd: float | None = None  # the client's own figure
    cost_state_difference: float | None = None
    ccusage: Compared | None = None
