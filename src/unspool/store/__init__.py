"""Where results are kept. This protocol is the whole contract: what is not here, no caller may
rely on, and `tests/store/test_contract.py` runs it against every store.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from unspool.model.files import OutputFile
    from unspool.model.query import (
        BadLinePlace,
        Change,
        Facets,
        LineLocation,
        ModelUsage,
        OddityCount,
        ProjectTotal,
        Scope,
        SearchHit,
        SessionKey,
        SessionListing,
        SessionQuery,
        StoreStatus,
        TextQuery,
        TotalsQuery,
        UsageTotal,
    )
    from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SourceRow
    from unspool.model.usage import Price, UsageRow
else:
    Protocol = object  # a report that only reads sums passes through here and needs no types


class Store(Protocol):
    """Synchronous on purpose: the CLI and library call it plainly; the server hops threads."""

    def sources(self) -> list[SourceRow]:
        """Every file known, in its newest generation, with its checkpoint."""

    def source(self, source_id: int) -> SourceRow | None:
        """One of them."""

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        """Those of one session."""

    def roots(self) -> list[str]:
        """The roots they are of."""

    def spools(self) -> list[SourceRow]:
        """The files of the spool among them, without going through all others."""

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        """Keep raw bytes and the names of new generations, before `commit`; again: no change."""

    def generations(self) -> list[SourceRow]:
        """Every generation the archive was told of, oldest first: what a rebuild reads."""

    def archived(self, source_id: int, generation: int) -> int:
        """Up to which offset a generation is archived without a gap."""

    def segments(self, source_id: int, generation: int) -> Iterator[Segment]:
        """A generation's raw bytes, in order."""

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """One line's bytes out of the archive; None where it is not there."""

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        """Keep the files of long tool outputs; one that was kept before is replaced."""

    def outputs(self) -> list[OutputFile]:
        """Every output that is archived, as its file was then."""

    def output(self, root: str, path: str) -> bytes | None:
        """An archived output; None where it is not there, or damaged."""

    def commit(self, batches: Sequence[Batch], price: Price = ...) -> int:
        """Write rows, feed and checkpoints in one transaction; the seq of the last change.

        A response is priced when all that is known of it is merged.
        """

    def reprice(self, price: Price, prices: str) -> None:
        """Price the whole ledger anew; `prices` names the table it was done by."""

    def hooks(self, project_id: str, session_id: str) -> list[HookRow]:
        """All that hooks told of a session, oldest first: records of one event share a key."""

    def hook_sessions(self) -> list[tuple[str, str]]:
        """Project and id of the sessions that only hooks tell of."""

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        """What linking needs of each source of a session."""

    def unlinked(self) -> list[tuple[str, str]]:
        """Projects and sessions that have new facts since their agents were put."""

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        """Replace a session's agents; unchanged rows are no change."""

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        """Note that files are no longer on disk; their rows and raw bytes stay."""

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        """Sessions, newest activity first. Never all of them at once."""

    def search(self, query: TextQuery) -> list[SearchHit]:
        """Lines that hold the terms. User text is never query syntax."""

    def owners(self, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Project and session that each of these responses counts for, where it is known."""

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        """Every response that counts for a session."""

    def totals(self, query: TotalsQuery) -> Iterator[UsageTotal]:
        """The ledger, added up: what every cost report is made from."""

    def projects(self, scope: Scope = None) -> list[ProjectTotal]:
        """Projects that have listed sessions, each with their sum, by id."""

    def facets(self, *, limit: int) -> Facets:
        """The most frequent branches and models of the listed sessions."""

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        """The line that begins at a place."""

    def file_states(self) -> list[tuple[str, str, int, int]]:
        """Root, path, size and mtime_ns of every file that is not gone."""

    def line_counts(self) -> dict[tuple[int, int], int]:
        """How many lines before its checkpoint each source and generation has, good and bad."""

    def bad_lines(self, *, limit: int) -> list[BadLinePlace]:
        """Lines that could not be read, those of the last written files first."""

    def oddities(self, *, limit: int) -> list[OddityCount]:
        """What is unknown to this version, most frequent first."""

    def unpriced_models(self, *, limit: int) -> list[tuple[str, int]]:
        """Models without a price and how many responses they gave, most frequent first."""

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        """What some sessions own of it, by model; nothing for those that own nothing."""

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        """What `put_agents` was given as facts of the agents of some sessions."""

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        """The feed since `after`: what live pages, `--follow` and collectors read."""

    def head(self) -> int:
        """The newest seq, or 0."""

    def merge(self) -> Iterator[None]:
        """Merge what was written piece by piece, so that searches are quick; step by step."""

    def settle(self) -> None:
        """Have all that was written so far outlast a power cut."""

    def status(self) -> StoreStatus:
        """Counts and sizes."""

    def close(self) -> None:
        """Let go of the files. Safe to call twice."""
