"""Reports of costs as the server gives them: ccusage's names, and a few of our own."""

from msgspec import UNSET, Struct, UnsetType, field


class ModelCost(Struct, frozen=True, kw_only=True, rename="camel"):
    """One model's part of a row."""

    model_name: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    cost: float | None = 0.0


class CostSums(Struct, frozen=True, kw_only=True, rename="camel"):
    """Tokens and dollars; null dollars: nothing of it has a known price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    total_tokens: int = 0
    total_cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    lower_bound: bool = False
    responses: int = 0


class CostItem(CostSums, frozen=True, kw_only=True, rename="camel"):
    """A day, week, month, session, project or model."""

    date: str | UnsetType = UNSET
    week: str | UnsetType = UNSET
    month: str | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    project_id: str | UnsetType = UNSET
    project_path: str | UnsetType = UNSET
    model_name: str | UnsetType = UNSET
    first_activity: str | UnsetType | None = UNSET
    last_activity: str | UnsetType | None = UNSET
    models_used: tuple[str, ...] | UnsetType = UNSET
    model_breakdowns: tuple[ModelCost, ...] | UnsetType = UNSET


class BlockTokens(Struct, frozen=True, kw_only=True, rename="camel"):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0


class BurnRate(Struct, frozen=True, kw_only=True, rename="camel"):
    """How fast a block is being used."""

    tokens_per_minute: float
    tokens_per_minute_for_indicator: float
    cost_per_hour: float


class Projection(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a block comes to at that pace."""

    remaining_minutes: int
    total_tokens: int
    total_cost: float


class BlockItem(Struct, frozen=True, kw_only=True, rename="camel"):
    """Five hours that a plan counts usage in, or a gap between two."""

    id: str | None
    start_time: str | None = None
    end_time: str | None = None
    actual_end_time: str | None = None
    is_active: bool = False
    is_gap: bool = False
    entries: int = 0
    token_counts: BlockTokens = BlockTokens()
    total_tokens: int = 0
    cost_usd: float | None = field(default=0.0, name="costUSD")
    models: tuple[str, ...] = ()
    burn_rate: BurnRate | None = None
    projection: Projection | None = None
    unpriced: tuple[str, ...] = ()
    lower_bound: bool = False
    responses: int = 0


class CostAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """One of the lists, and what it comes to; blocks have no total."""

    daily: tuple[CostItem, ...] | UnsetType = UNSET
    weekly: tuple[CostItem, ...] | UnsetType = UNSET
    monthly: tuple[CostItem, ...] | UnsetType = UNSET
    sessions: tuple[CostItem, ...] | UnsetType = UNSET
    projects: tuple[CostItem, ...] | UnsetType = UNSET
    models: tuple[CostItem, ...] | UnsetType = UNSET
    blocks: tuple[BlockItem, ...] | UnsetType = UNSET
    totals: CostSums | UnsetType = UNSET
