"""Lines -> the entries and prices of ccusage 20, to explain how its figure differs from ours.

The rules are those of its daily report in version 20.0.24, as tests with it have shown.
"""

import re
from typing import Final

from msgspec import Struct, ValidationError, field
from msgspec.json import Decoder

from unspool.derive.reading.clock import millis
from unspool.derive.usage.prices import find_prices, model_names
from unspool.json_depth import shallow
from unspool.model.prices import PriceTable, Rates

VERSION: Final = "20.0.24"
REPORT: Final = "daily"
_NEWER: Final = frozenset({"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"})
# Names that it does not resolve.
_UNKNOWN: Final = frozenset({"claude-opus-4-0", "claude-sonnet-4-0", "claude-3-5-sonnet-latest"})
_STEP: Final = 200_000
_MARK: Final = b'"usage":{'
_NULL: Final = re.compile(
    rb'"(?:id|cwd|model|speed|costUSD|version|sessionId|requestId|isApiErrorMessage'
    rb'|cache_read_input_tokens|cache_creation_input_tokens)"\s*:null'
)
_RELEASE: Final = re.compile(r"\d+\.\d+\.\d")
_REGIONAL: Final = re.compile(r"(?:us|eu|jp|au)\.anthropic\.claude-\w+-(?:4-[5-9]|[5-9])")
_ZONED: Final = re.compile(r"T.+(?:Z|[+-]\d\d:\d\d)\Z")


class _Split(Struct, gc=False):
    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class _Usage(Struct, gc=False):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation: _Split | None = None
    speed: str | None = None


class _Message(Struct, gc=False):
    usage: _Usage
    model: str = ""
    id: str | None = None


class _Line(Struct, rename="camel", gc=False):
    timestamp: str
    message: _Message
    version: str | None = None
    session_id: str | None = None
    request_id: str | None = None
    is_sidechain: bool | None = None
    cost_usd: float | None = field(default=None, name="costUSD")


class _Echoed(Struct, gc=False):
    message: _Line


class _Echo(Struct, rename="camel", gc=False):
    """A progress line, which has an agent's line inside."""

    data: _Echoed
    session_id: str | None = None


class CcusageEntry(Struct, frozen=True, kw_only=True):
    """A line that ccusage counts, before it drops copies."""

    id: str | None
    request: str | None
    session: str
    at: int
    model: str
    input: int
    output: int
    read: int
    write_5m: int
    write_1h: int
    speed: str | None
    is_sidechain: bool
    cost_usd: float | None

    @property
    def name(self) -> str:
        """The model as ccusage lists it."""
        return f"{self.model}-fast" if self.speed == "fast" else self.model

    @property
    def total(self) -> int:
        """The sum that decides between copies."""
        return self.input + self.output + self.read + self.write_5m + self.write_1h


_line: Final = Decoder(_Line)
_echo: Final = Decoder(_Echo)


def read_entry(line: bytes, session: str) -> CcusageEntry | str:
    """Read a line as ccusage does, or return why it skips it; `session` is the file's."""
    if _MARK not in line:
        return "spaces in the JSON, which it does not expect"
    if _NULL.search(line):
        return "null in a field that it requires a value for"
    try:
        try:
            parsed = _line.decode(shallow(line))
        except ValidationError:
            echo = _echo.decode(line)
            parsed = echo.data.message
            parsed.session_id, parsed.version = echo.session_id, None
    except ValidationError:
        return "a field it needs is missing"
    except (ValueError, RecursionError):
        return "damaged, and it reads only whole lines"
    return _entry(parsed, session) or "a field it needs is invalid or empty"


def _entry(line: _Line, session: str) -> CcusageEntry | None:
    message, used = line.message, line.message.usage
    at = millis(line.timestamp) if _ZONED.search(line.timestamp) else None
    empty = "" in (line.session_id, line.request_id, message.id, message.model)
    odd = line.version is not None and not _RELEASE.match(line.version)
    if at is None or empty or odd or message.model == "<synthetic>":
        return None
    split = used.cache_creation
    return CcusageEntry(
        id=message.id,
        request=line.request_id,
        session=line.session_id or session,
        at=at,
        model=message.model,
        input=used.input_tokens,
        output=used.output_tokens,
        read=used.cache_read_input_tokens,
        write_5m=split.ephemeral_5m_input_tokens if split else used.cache_creation_input_tokens,
        write_1h=split.ephemeral_1h_input_tokens if split else 0,
        speed=used.speed,
        is_sidechain=line.is_sidechain is True,
        cost_usd=line.cost_usd,
    )


class CcusageEntries:
    """The entries that are left when ccusage has dropped copies, in file order."""

    def __init__(self) -> None:
        self.entries: list[CcusageEntry] = []
        self._by_id: dict[str, list[int]] = {}

    def add(self, new: CcusageEntry) -> int:
        """Add the next entry; the index of the one that it is, replaces or copies."""
        same = self._by_id.setdefault(new.id, []) if new.id is not None else []
        for at in same:
            if _is_copy(new, self.entries[at]):
                if _is_better(new, self.entries[at]):
                    self.entries[at] = new
                return at
        self.entries.append(new)
        same.append(len(self.entries) - 1)
        return len(self.entries) - 1


def _is_copy(new: CcusageEntry, known: CcusageEntry) -> bool:
    if new.request == known.request and (
        new.request is not None or (new.session, new.at) == (known.session, known.at)
    ):
        return True
    return new.session == known.session and (new.is_sidechain or known.is_sidechain)


def _is_better(new: CcusageEntry, known: CcusageEntry) -> bool:
    if new.is_sidechain != known.is_sidechain:
        return known.is_sidechain
    if new.total != known.total:
        return new.total > known.total
    return new.speed is not None and known.speed is None


def ccusage_price(one: CcusageEntry, table: PriceTable) -> int | None:
    """The price ccusage gives an entry: its own costUSD if it has one, else by undated rates.

    None if it is not known here: ccusage has prices of many more models than `table`, which is
    that of this version, without the user's own prices.
    """
    if one.cost_usd is not None:
        return round(one.cost_usd * 10**12)
    if is_unpriced(one.model):
        return 0
    rows = find_prices(one.model, table.models, table.aliases)
    if rows is None:
        return None
    base = rows[-1].rates
    above = next((tier.rates for tier in rows[-1].tiers if tier.above == _STEP), base)
    fast = max(row.fast or 10 for row in rows) if one.speed == "fast" else 10
    region = 11 if is_regional(one.model) else 10
    return _stepped(one, base, above) * fast * region // 100


def is_unpriced(model: str) -> bool:
    """Whether ccusage takes a model to cost nothing: it is newer than its prices, or renamed."""
    return model in _UNKNOWN or not _NEWER.isdisjoint(model_names(model))


def is_regional(model: str) -> bool:
    """Whether ccusage has a higher price for a model under this name."""
    return _REGIONAL.match(model) is not None


def _stepped(one: CcusageEntry, base: Rates, above: Rates) -> int:
    """Of each kind of token only those above 200,000 cost more."""
    kinds = (
        (one.input, base.input, above.input),
        (one.output, base.output, above.output),
        (one.read, base.read, above.read),
        (one.write_5m, base.write_5m, above.write_5m),
        (one.write_1h, base.write_1h, above.write_1h),
    )
    return sum(min(count, _STEP) * low + max(0, count - _STEP) * high for count, low, high in kinds)
