"""Roots -> what was used in them: by the index, and by a scan of the files it has not read.

Nothing is written but `cost.cache`. What is not always needed is loaded when it is: a report that
is asked for again loads neither SQLite nor msgspec.
"""

import os
from contextlib import contextmanager, suppress
from typing import TypeAlias

from unspool.derive.usage import reports
from unspool.derive.usage.responses import ledger_changes, merge_rows
from unspool.engine import dates
from unspool.engine.usage.price_files import PriceFiles
from unspool.engine.usage.scan import cache
from unspool.engine.usage.scan.cache import ScanJob, ScannedUsage, Snapshot, hashes_of, key_hash
from unspool.errors import StoreError
from unspool.model.usage import OwnedUsage, TotalRow
from unspool.source import forgotten, roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unspool.engine.dates import Offset
    from unspool.engine.sessions.grouping import Grouping
    from unspool.engine.usage.scan.cache import FileKey
    from unspool.engine.usage.scan.processes import Scanner
    from unspool.source.roots import Scope
    from unspool.store.sqlite.ledger_reader import LedgerReader

# Sums of whole days on the clock of here, and that clock.
_Days: TypeAlias = tuple[list[TotalRow], list[tuple[int, int]]]

_QUARTER = 900_000
_PATIENCE_MS = 5_000


class UsageSource:
    """Some roots at one moment, the home of their index and cache, and the prices in force."""

    def __init__(
        self, scope: "Scope", prices: PriceFiles, now: int, *, may_fork: bool = True
    ) -> None:
        self.scope, self.price_files, self.now = scope, prices, now
        self.may_fork = may_fork  # not in a process that may have threads
        self.places, self.home = scope
        self.prices = prices.version

    def groups(self) -> "Grouping":
        """Which project each checkout belongs to."""
        from unspool.engine.sessions.project_groups import ProjectGroups  # noqa: PLC0415

        return ProjectGroups(self.places, self.home, self.price_files.home).current()

    @property
    def index(self) -> str:
        """The file of the index, whether there is one or not."""
        return os.path.join(self.home, roots.INDEX)

    def index_state(self) -> tuple[int, ...]:
        """A value that changes with every write to the index; empty without an index."""
        state: tuple[int, ...] = ()
        try:
            info = os.stat(self.index)
            state = info.st_ino, info.st_size, info.st_mtime_ns
            log = os.stat(f"{self.index}-wal")
        except OSError:
            return state
        # Readers create an empty log and remove it.
        return (*state, log.st_size, log.st_mtime_ns) if log.st_size else state

    @property
    def tombstones(self) -> str:
        """The log of the forgotten sessions of these roots."""
        return self.places[0].tombstones if self.places else ""

    def is_obedient(self) -> bool:
        """Whether nothing that was forgotten is in the index any more."""
        return not forgotten.pending(self.tombstones, self.home)

    def files(self) -> "list[FileKey]":
        """Every transcript of the roots as it is now."""
        from unspool.source.files import TRANSCRIPT_KINDS, scan_files  # noqa: PLC0415

        return [
            (*file.state, file.project_id)
            for place in self.places
            for file in scan_files(place, TRANSCRIPT_KINDS, with_sessions=False)
        ]

    def folders(self) -> list[str]:
        """Every directory in which a transcript can appear."""
        from unspool.source.files import scan_folders  # noqa: PLC0415

        return [path for place in self.places for path in scan_folders(place)]

    def has_file(self, path: str) -> bool:
        """Whether a path is one of a transcript of the roots, if it is one at all."""
        tops = (os.path.join(place.projects, place.only or "") for place in self.places)
        return any(path.startswith(top.rstrip(os.sep) + os.sep) for top in tops)

    def is_about(self) -> "Callable[[str], bool]":
        """Whether a project is of these roots: the index may hold others of the user's too."""
        mine = {place.prefix for place in self.places}
        every = mine | {root.prefix for root in roots.known_roots(self.home)}
        only = {place.prefix + place.only for place in self.places if place.only is not None}

        def is_mine(project: str) -> bool:
            prefix = project.partition("~")[0] + "~"
            return (prefix if prefix in every else "") in mine

        if only:
            return only.__contains__
        return is_mine if every != mine else lambda _: True


class RootUsage:
    """All that was used in some roots. Call `write_cache` once it is shown."""

    def __init__(self, source: UsageSource) -> None:
        self._source = source
        self._index = source.index_state()
        self._state = (*self._index, *forgotten.log_stamp(source.tombstones))
        self._last = self._snapshot()
        self._folders: list[tuple[str, int]] = []
        self._files: list[FileKey] = []
        self._cached: dict[str, ScannedUsage] = {}
        self._scanned: dict[str, ScannedUsage] = {}
        self._is_whole = True  # no file was closed to us
        self._totals: list[TotalRow] | None = None
        self._days: _Days | None = None

    def _snapshot(self) -> Snapshot | None:
        last = cache.read_snapshot(self._source.home)
        if last and last.is_of(self._source.places, self._source.prices):
            return last if last.stands(self._state) else None
        return None

    def totals(self, clock: "Offset | None" = None) -> list[TotalRow]:
        """Sums by quarters of an hour.

        With a clock, for reports by its days, they may be of whole days and name only the model.
        """
        last = self._last
        if clock and last and dates.offset_changes(clock, *last.span) == last.clock:
            return last.days
        with self._reading() as (ledger, scanner):
            found = self._all_totals(ledger, scanner)
        is_about = self._source.is_about()
        self._totals = [total for total in found if is_about(str(total[1]))]
        if clock:
            self._days = _days(self._totals)
            if dates.offset_changes(clock, *cache.span_of(self._days[0])) == self._days[1]:
                return self._days[0]
        return self._totals

    def _all_totals(self, ledger: "LedgerReader | None", scanner: "Scanner") -> list[TotalRow]:
        self._scan(self._behind(ledger), ledger, scanner)
        usages = self._scanned.values()
        rows, known = merge_rows(_rows(usages)), dict[str, OwnedUsage]()
        is_priced = ledger is not None and ledger.prices() == self._source.prices
        if ledger and is_priced:
            known = ledger.responses(rows)
        elif ledger:  # its sums have old prices until it is written again
            rows = merge_rows([*ledger.every_response(), *rows.values()])
        found = [total for usage in usages for total in usage.totals]
        if rows:
            found += ledger_changes(rows, known, self._source.price_files.pricer().price_of)
        return _combined(ledger.totals(), found) if ledger and is_priced else found

    def responses(self) -> "list[OwnedUsage]":
        """Each response once, with its owner."""
        with self._reading() as (ledger, scanner):
            found = self._scan_rows(self._behind(ledger), None, scanner)
            known = ledger.every_response() if ledger else ()
            return list(merge_rows([*known, *found]).values())

    def owners(self, keys: "Iterable[str]") -> dict[str, tuple[str, str]]:
        """Project and session that each of some responses counts for."""
        wanted = set(keys)
        hashes = frozenset(map(key_hash, wanted))
        with self._reading() as (ledger, scanner):
            behind = self._behind(ledger)
            self._scan(behind, ledger, scanner)
            have = [file for file in behind if self._has_any(file, hashes)]
            found = self._scan_rows(have, hashes, scanner)
            known = ledger.responses(wanted) if ledger else {}
        every = merge_rows([*known.values(), *found])
        return {key: every[key][:2] for key in wanted if key in every}

    def write_cache(self, now_ns: int) -> None:
        """Save what was found for the next report."""
        home = self._source.home
        with suppress(OSError):  # a read-only home: only the next report is slower
            roots.remember(home, self._source.places)
        if self._last or self._totals is None:
            return
        snapshot = None
        if self._is_whole and cache.are_settled(self._folders, now_ns):
            state = self._source.places, self._source.prices, self._state, self._folders
            keys = {path: usage.key for path, usage in self._scanned.items()}
            files = [keys.get(file[0], file) for file in self._files]
            snapshot = Snapshot(*state, files, *(self._days or _days(self._totals)))
        others = (one for path, one in self._cached.items() if not self._source.has_file(path))
        usages = [*others, *self._scanned.values()]
        if snapshot or {one.path: one.key for one in usages} != self._cached_keys():
            cache.write(home, snapshot, self._source.prices, usages)

    def _cached_keys(self) -> "dict[str, FileKey]":
        return {path: one.key for path, one in self._cached.items()}

    @contextmanager
    def _reading(self) -> "Iterator[tuple[LedgerReader | None, Scanner]]":
        """The index, if there is one that can be read, and a scanner for the rest."""
        from unspool.engine.usage.scan.processes import Scanner  # noqa: PLC0415

        source = self._source
        pricer = source.price_files.pricer
        scanner = Scanner(source.scope, pricer, source.now, may_fork=source.may_fork)
        ledger = self._ledger()
        try:
            yield ledger, scanner
        finally:
            scanner.close()
            if ledger:
                ledger.close()

    def _ledger(self) -> "LedgerReader | None":
        if not self._index or not self._source.is_obedient():
            return None
        from unspool.store.sqlite.ledger_reader import LedgerReader  # noqa: PLC0415

        with suppress(StoreError):  # what is wrong with it is for others to say
            return LedgerReader(self._source.index, _PATIENCE_MS)
        return None

    def _behind(self, ledger: "LedgerReader | None") -> "list[FileKey]":
        """The files that the index does not have as they are."""
        if self._last:
            self._files = [(path, size, at, id) for path, size, at, id in self._last.files]
        else:
            # In this order: a file that comes in between shows in its directory's time.
            self._folders = cache.folder_times(self._source.folders())
            self._files = self._source.files()
        self._cached = cache.read_usages(self._source.home, self._source.prices)
        known = {(path, *state[1:]) for path, state in ledger.sources().items()} if ledger else ()
        return [file for file in self._files if file[:3] not in known]

    def _scan(
        self, files: "Sequence[FileKey]", ledger: "LedgerReader | None", scanner: "Scanner"
    ) -> None:
        """Find what each file used, from the cache where it is unchanged.

        Rows are taken only of responses that two of the files have, or one and the index.
        """
        cached = (self._cached.get(path) for path, *_ in files)
        wanted = set(files)
        found = {one.path: one for one in cached if one and one.key in wanted}
        jobs = [ScanJob(path, size) for path, size, *_ in files if path not in found]
        found |= {one.path: one for one in scanner.scan(jobs)}
        hashes = {path: hashes_of(one) for path, one in found.items()}
        seen: set[int] = set()
        shared: set[int] = set()
        for mine in hashes.values():
            shared |= seen & mine
            seen |= mine
        if ledger:
            shared |= ledger.hashes(seen)
        again = [
            ScanJob(path, one.size, frozenset(hashes[path] & shared))
            for path, one in found.items()
            if not shared.isdisjoint(hashes[path])
            and not hashes[path] & shared <= {key_hash(row.message_key) for row in one.rows}
        ]
        found |= {one.path: one for one in scanner.scan(again)}
        self._scanned = found
        self._is_whole = len(found) == len(files)

    def _has_any(self, file: "FileKey", hashes: frozenset[int]) -> bool:
        found = self._scanned.get(file[0])
        return found is not None and not hashes.isdisjoint(hashes_of(found))

    def _scan_rows(
        self, files: "Iterable[FileKey]", hashes: frozenset[int] | None, scanner: "Scanner"
    ) -> "list[OwnedUsage]":
        """Rows of the responses of these hashes, or of all."""
        return list(_rows(scanner.scan([ScanJob(path, size, hashes) for path, size, *_ in files])))


def devtools_totals(source: UsageSource) -> list[TotalRow]:
    """The sums, priced as claude-devtools counted: rates without dates, a tier for each field."""
    found = {owned.row.message_key: owned for owned in RootUsage(source).responses()}
    is_about, price = source.is_about(), source.price_files.pricer("devtools").price_of
    return [one for one in ledger_changes(found, {}, price) if is_about(str(one[1]))]


def _rows(usages: "Iterable[ScannedUsage]") -> "Iterable[OwnedUsage]":
    for usage in usages:
        for row in usage.rows:
            yield OwnedUsage(usage.project_id, usage.session_id, row)


def _combined(totals: list[TotalRow], more: list[TotalRow]) -> list[TotalRow]:
    """Sums and what is to be added to them; those of which nothing is left are left out."""
    parts: dict[TotalRow, list[TotalRow]] = {}
    for total in more:
        parts.setdefault(total[:5], []).append(total)
    found = []
    for total in totals:
        if total[:5] in parts:
            parts[total[:5]].append(total)
        else:
            found.append(total)
    for name, group in parts.items():
        spend = reports.sum_spend(group, len(name))
        if spend.responses:
            found.append((*name, *spend))
    return found


def _days(found: list[TotalRow]) -> _Days:
    report = reports.build_report(found, reports.period_names("daily", dates.day_numbers(None)))
    every = [(model, spend) for row in report.rows for model, spend in row.models.items()]
    sums: list[TotalRow] = [(spend.first_at, "", "", "", model, *spend) for model, spend in every]
    times = [spend.first_at for _, spend in every if spend.first_at]
    clock = dates.offset_changes(
        dates.utc_offset(None), min(times, default=0), max(times, default=0)
    )
    # A day that begins within a quarter is not told by its first response.
    return sums, [] if any(shift % _QUARTER for _, shift in clock) else clock
