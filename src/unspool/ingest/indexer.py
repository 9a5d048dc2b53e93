"""Roots -> the store: one way for a first index and for one new line."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Final, TypeAlias

from msgspec import Struct, structs

from unspool.derive.money.pricer import Pricer
from unspool.errors import SourceError
from unspool.ingest.commits import Commits
from unspool.ingest.ids import source_id
from unspool.ingest.intake import Intake
from unspool.ingest.mend import mend
from unspool.ingest.relink import relink
from unspool.ingest.survey import Found, changed, placed, survey
from unspool.ingest.workers import Lost, Workers
from unspool.model.files import Root, Skipped
from unspool.model.prices import PriceTable
from unspool.model.rows import Batch, SourceRow
from unspool.source.chain import restarted
from unspool.store import Store

# Less than this is done sooner alone.
WORTH_WORKERS: Final = 20 * 1024 * 1024
_STILL_IN_USE: Final = 3_600_000
_MOST_KEPT: Final = 64
_MOST_LINES_KEPT: Final = 200_000

Progress: TypeAlias = Callable[[int, int], None]  # bytes done, bytes there are to do


class SweepReport(Struct, frozen=True, kw_only=True):
    """What one sweep found and did."""

    files: int = 0
    changed: int = 0
    gone: int = 0
    lines: int = 0
    bytes: int = 0
    sessions: int = 0
    skipped: tuple[Skipped, ...] = ()
    trouble: tuple[str, ...] = ()


class Indexer:
    """The one writer of an index; what it remembers of files in use makes an append cheap."""

    def __init__(
        self,
        store: Store,
        roots: Sequence[Root],
        prices: PriceTable,
        *,
        workers: Workers | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._store = store
        self._roots = roots
        self._pricer = Pricer(prices)
        self._workers = workers
        self._progress = progress
        self._is_mended = False
        self._known: dict[int, SourceRow] | None = None
        self._intakes: OrderedDict[int, Intake] = OrderedDict()

    def sweep(self, now: int) -> SweepReport:
        """Look at every file of the roots and take in what is new."""
        known = self.sources()
        unmended = [] if self._is_mended else mend(self._store, known.values())
        self._is_mended = True
        seen = survey(self._roots, known)
        if seen.gone:
            self._store.mark_gone(seen.gone, now)
            known.update({id: structs.replace(known[id], gone_at=now) for id in seen.gone})
        report = self._take(seen.found, now)
        return structs.replace(
            report,
            files=seen.files,
            gone=len(seen.gone),
            skipped=tuple(seen.skipped),
            trouble=(*unmended, *report.trouble),
        )

    def look(self, paths: Iterable[str], now: int) -> SweepReport:
        """Take in what is new in these files; what is no transcript is left to the sweep."""
        files = [file for path in paths if (file := placed(self._roots, path))]
        return self._take(changed(files, self.sources()), now)

    def sources(self) -> dict[int, SourceRow]:
        """Every source and how far it has been taken in."""
        if self._known is None:
            self._known = {source.source_id: source for source in self._store.sources()}
        return self._known

    def begin_anew(self, source: SourceRow) -> None:
        """Have a file read from its first byte, as a new generation."""
        self.look_again(structs.replace(source, tail=restarted(source.tail)))

    def look_again(self, source: SourceRow) -> None:
        """Have the next sweep look at a file, though nothing about it seems new."""
        self.sources()[source.source_id] = structs.replace(source, mtime_ns=0)
        self._intakes.pop(source.source_id, None)

    def _take(self, found: list[Found], now: int) -> SweepReport:
        run = _Run(self.sources(), found, self._progress)
        commits = Commits(self._store, run.done)
        try:
            left = self._together(found, now, commits, run)
            self._alone(left, now, commits, run)
            sessions = relink(self._store)
        except BaseException:
            # What was read and not written is read again.
            self._known = None
            self._intakes.clear()
            raise
        return SweepReport(
            changed=len(found),
            lines=run.lines,
            bytes=run.bytes,
            sessions=sessions,
            trouble=tuple(run.trouble),
        )

    def _together(self, found: list[Found], now: int, commits: Commits, run: "_Run") -> list[Found]:
        """Have the workers read; gives back what is left to do."""
        if self._workers is None or run.total < WORTH_WORKERS:
            return found
        lost = []
        self._intakes.clear()
        with closing(self._workers.run(found, now)) as read:
            for made in read:
                if isinstance(made, Lost):
                    lost.append(made.found)
                elif made.batch is not None:
                    commits.add((made.segments, made.batch))
                elif made.trouble:
                    run.trouble.append(made.trouble)
        commits.flush()
        return lost

    def _alone(self, found: list[Found], now: int, commits: Commits, run: "_Run") -> None:
        for one in found:
            intake = self._intake(one)
            try:
                for taken in intake.batches(now):
                    commits.add(taken)
            except SourceError as error:
                run.trouble.append(str(error))
            else:
                self._keep(intake, now)
        commits.flush()

    def _intake(self, found: Found) -> Intake:
        file, id = found.file, source_id(found.file.root.path, found.file.relpath)
        kept = self._intakes.pop(id, None)
        if kept is None:
            return Intake(file, self.sources().get(id), self._pricer)
        kept.file = file
        return kept

    def _keep(self, intake: Intake, now: int) -> None:
        """Remember the files last written to: they will grow again."""
        if now - intake.file.mtime_ns // 1_000_000 > _STILL_IN_USE:
            return
        self._intakes[intake.source.source_id] = intake
        lines = sum(kept.lines for kept in self._intakes.values())
        while len(self._intakes) > 1 and (
            len(self._intakes) > _MOST_KEPT or lines > _MOST_LINES_KEPT
        ):
            _, oldest = self._intakes.popitem(last=False)
            lines -= oldest.lines


class _Run:
    """What one sweep has done so far."""

    def __init__(
        self, known: dict[int, SourceRow], found: list[Found], progress: Progress | None
    ) -> None:
        self.total = sum(one.new_bytes for one in found)
        self.lines = 0
        self.bytes = 0
        self.trouble: list[str] = []
        self._known = known
        self._progress = progress

    def done(self, batches: Sequence[Batch]) -> None:
        """Note what has been committed."""
        for batch in batches:
            self._known[batch.source.source_id] = batch.source
            self.lines += len(batch.lines)
            self.bytes += batch.source.offset - batch.begins
        if self._progress is not None:
            self._progress(min(self.bytes, self.total), self.total)
