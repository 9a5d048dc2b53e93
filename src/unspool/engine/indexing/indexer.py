"""Roots -> the store: one way for a first index and for one new line."""

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Final

from msgspec import structs

from unspool.derive.usage.prices import Pricer
from unspool.engine.ids import source_id
from unspool.engine.indexing.commits import Commits
from unspool.engine.indexing.intake import Intake, IntakePiece
from unspool.engine.indexing.outputs import Outputs
from unspool.engine.indexing.rows import relink
from unspool.engine.indexing.run import Between, Progress, Queue, Run, has_more, share
from unspool.engine.indexing.run import SweepReport as SweepReport
from unspool.engine.indexing.segments import repair_archive
from unspool.engine.indexing.spool import delete_old_files, spool_sources, with_projects
from unspool.engine.indexing.survey import PendingFile, changed, survey
from unspool.engine.indexing.workers import WorkerLost, Workers
from unspool.errors import SourceError
from unspool.model.files import Root, TranscriptFile
from unspool.model.prices import PriceTable
from unspool.model.rows import SourceRow
from unspool.source.session_files import transcript_at
from unspool.source.tail import restart
from unspool.store import Store

# Less than this is done sooner alone.
WORTH_WORKERS: Final = 20 * 1024 * 1024
# After this much, merging what it left in pieces takes a thirtieth of the time it took.
WORTH_MERGING: Final = 100 * 1024 * 1024
_STILL_IN_USE: Final = 3_600_000
_MOST_INTAKES: Final = 1_024
_MOST_LINES: Final = 200_000  # about what they hold of memory
_LIVE: Final = 600_000


class IntakeCache:
    """Intakes of the files last written to, so that an append costs an append.

    Of the two that have waited longest the shorter one goes. So the longest never does: its state
    takes most to load.
    """

    def __init__(self, most: int = _MOST_INTAKES, most_lines: int = _MOST_LINES) -> None:
        self._most = most
        self._most_lines = most_lines
        self._lines = 0
        self._intakes: OrderedDict[int, Intake] = OrderedDict()

    def __len__(self) -> int:
        return len(self._intakes)

    def take(self, source_id: int) -> Intake | None:
        """The intake of a file, which is then no longer kept."""
        intake = self._intakes.pop(source_id, None)
        if intake is not None:
            self._lines -= intake.lines
        return intake

    def put(self, intake: Intake) -> None:
        """Keep one, and let go of others where there are too many."""
        self._intakes[intake.source.source_id] = intake
        self._lines += intake.lines
        while len(self) > 1 and (len(self) > self._most or self._lines > self._most_lines):
            self.take(min(islice(self._intakes, 2), key=lambda id: self._intakes[id].lines))

    def clear(self) -> None:
        """Forget all of them."""
        self._intakes.clear()
        self._lines = 0


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
        spool: str | None = None,
    ) -> None:
        self._store = store
        self._roots = roots
        self._spool = spool
        self._price = Pricer(prices).price_of
        self._workers = workers
        self._progress = progress
        self._is_repaired = False
        self._known: dict[int, SourceRow] | None = None
        self._intakes = IntakeCache()
        self._queue = Queue()
        self._outputs = Outputs(store)

    def sweep(self, now: int, between: Between | None = None) -> SweepReport:
        """Look at every file and take in what is new; `between` may `look` at some meanwhile."""
        known = self.sources()
        trouble = [] if self._is_repaired else repair_archive(self._store, known.values())
        self._is_repaired = True
        seen = survey(self._roots, known)
        self._mark_gone(seen.gone, now)
        found = changed(spool_sources(self._spool), known) + seen.found
        run = Run(known, found, self._progress, between)
        with self._taking(run) as commits:
            live, rest = _apart(found, now) if between else ([], found)
            self._queue = run.queue = Queue([*live, *rest])
            self._alone(islice(self._queue, len(live)), now, commits, run)
            self._alone(self._together(now, commits, run), now, commits, run)
            self._queue = Queue()
            run.trouble += self._outputs.sweep(self._roots, lambda: run.done(()))
            sessions = self.link()
            if run.bytes >= WORTH_MERGING:
                for _ in self._store.merge():
                    run.done(())
        return structs.replace(
            run.report(),
            files=seen.files,
            changed=len(found),
            gone=len(seen.gone),
            sessions=sessions,
            skipped=tuple(seen.skipped),
            trouble=(*trouble, *run.trouble),
        )

    def look(self, paths: Iterable[str], now: int) -> SweepReport:
        """Take in what is new in these files, of large ones a piece at a time, in one commit."""
        files = [file for path in dict.fromkeys(paths) for file in self._placed(path)]
        found = changed(files, self.sources())
        mine = share([one for one in found if self._queue.claim(one)])
        run = Run(self.sources(), mine, None, None)
        with self._taking(run) as commits:
            self._alone(mine, now, commits, run, is_bounded=True)
            run.trouble += self._outputs.look(one.file for one in mine)
        left = {one.file.path: None for one in found}
        for one in mine:
            del left[one.file.path]
        return structs.replace(run.report(), changed=len(mine), again=(*left, *run.again))

    def lost(self, paths: Iterable[str], now: int) -> int:
        """Note that files are gone from the disk; of how many that is news."""
        names = ((root.path, path) for path in paths for root in self._roots)
        ids = {source_id(root, path.removeprefix(root + os.sep)) for root, path in names}
        known = self.sources()
        gone = [id for id in ids if id in known and known[id].gone_at is None]
        self._mark_gone(gone, now)
        return len(gone)

    def link(self) -> int:
        """Link the agents of sessions that have new facts; of how many."""
        return relink(self._store)

    def tidy(self, now: int) -> None:
        """Delete what is no longer needed of the spool."""
        if self._spool:
            known = self.sources().values()
            self._mark_gone(delete_old_files(self._spool, known, now, self._store.settle), now)

    def sources(self) -> dict[int, SourceRow]:
        """Every source and how far it has been taken in."""
        if self._known is None:
            self._known = {source.source_id: source for source in self._store.sources()}
        return self._known

    def head(self) -> int:
        """The newest seq of the feed."""
        return self._store.head()

    def begin_anew(self, source: SourceRow) -> None:
        """Have a file read from its first byte, as a new generation."""
        self.look_again(structs.replace(source, tail=restart(source.tail)))

    def look_again(self, source: SourceRow) -> None:
        """Have the next sweep look at a file, though nothing about it seems new."""
        self.sources()[source.source_id] = structs.replace(source, mtime_ns=0)
        self._intakes.take(source.source_id)

    def reset(self) -> None:
        """Remember nothing: the index is another."""
        self._known, self._is_repaired = None, False
        self._intakes.clear()
        self._queue, self._outputs = Queue(), Outputs(self._store)

    def _placed(self, path: str) -> list[TranscriptFile]:
        file = transcript_at(self._roots, path)
        return [file] if file else spool_sources(self._spool, path)

    def _mark_gone(self, ids: Sequence[int], now: int) -> None:
        if ids:
            self._store.mark_gone(ids, now)
            known = self.sources()
            for id in ids:
                known[id] = structs.replace(known[id], gone_at=now)
                self._intakes.take(id)  # it would find a file that comes back unchanged

    @contextmanager
    def _taking(self, run: Run) -> Iterator[Commits]:
        commits = Commits(self._store, self._price, run.done)
        try:
            yield commits
        except BaseException:
            # What was read and not written is read again.
            self._known = None
            self._intakes.clear()
            self._queue = Queue()
            raise

    def _together(self, now: int, commits: Commits, run: Run) -> Iterable[PendingFile]:
        """Have the workers read; gives back what is left to do."""
        if self._workers is None or run.total < WORTH_WORKERS:
            return self._queue
        lost = []
        with closing(self._workers.run(self._queue, now)) as read:
            for made in read:
                if isinstance(made, WorkerLost):
                    lost.append(made.found)
                elif made.batch is not None:
                    self._intakes.take(made.batch.source.source_id)
                    self._add((made.segments, made.batch), commits, run)
                elif made.trouble:
                    run.trouble.append(made.trouble)
        commits.flush()
        return lost

    def _alone(
        self,
        found: Iterable[PendingFile],
        now: int,
        commits: Commits,
        run: Run,
        *,
        is_bounded: bool = False,
    ) -> None:
        for one in found:
            intake = self._intake(one)
            try:
                for taken in intake.batches(now):
                    self._add(taken, commits, run)
                    # The bytes of a very long line are archived before the checkpoint moves.
                    is_moved = taken[1].source.offset > taken[1].begins
                    if is_bounded and is_moved and has_more(intake.source):
                        run.again.append(one.file.path)
                        break
            except SourceError as error:
                run.trouble.append(str(error))
                run.later.append(one.file.path)
            else:
                self._keep(intake, now)
                if intake.source.tail.pending:
                    run.later.append(one.file.path)
        commits.flush()

    def _add(self, taken: IntakePiece, commits: Commits, run: Run) -> None:
        segments, batch = taken
        commits.add((segments, with_projects(batch, self._roots)))
        if run.is_enough(batch):
            commits.flush()

    def _intake(self, found: PendingFile) -> Intake:
        file, id = found.file, source_id(found.file.root.path, found.file.relpath)
        kept = self._intakes.take(id)
        if kept is None:
            return Intake(file, self.sources().get(id), self._store)
        kept.file = file
        return kept

    def _keep(self, intake: Intake, now: int) -> None:
        """Remember a file that may well grow again."""
        if now - intake.file.mtime_ns // 1_000_000 <= _STILL_IN_USE:
            self._intakes.put(intake)


def _apart(found: Sequence[PendingFile], now: int) -> tuple[list[PendingFile], list[PendingFile]]:
    """Files that are being written to, the shortest first, and those that can wait."""
    fresh = [one for one in found if now - one.file.mtime_ns // 1_000_000 < _LIVE]
    live: dict[str, PendingFile] = {}
    room = WORTH_WORKERS
    for one in sorted(fresh, key=lambda one: one.new_bytes):
        room -= one.new_bytes
        if room > 0:
            live[one.file.path] = one
    return [*live.values()], [one for one in found if one.file.path not in live]
