"""Where results are kept, and all that callers may ask of it.

`Store` is the whole contract: what is not here, no caller may rely on. The tests in
`tests/store/test_contract*.py` run it against every store.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Any, Protocol

    from unspool.model.api import Marks, MarksUpdate
    from unspool.model.edits import EditLine, EditQuery, FileEdits
    from unspool.model.files import OutputFile
    from unspool.model.health import StoreStatus
    from unspool.model.insights import (
        ActivityStrip,
        CallFact,
        CauseReport,
        PromptFact,
        ResponseFact,
    )
    from unspool.model.query import (
        BadLinePlace,
        CauseQuery,
        Change,
        Facets,
        HitCounts,
        LineLocation,
        ModelUsage,
        OddityCount,
        ProjectTotal,
        Scope,
        SearchHits,
        SessionKey,
        SessionListing,
        SessionQuery,
        TextQuery,
        TotalsQuery,
        UsageTotal,
    )
    from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SourceRow
    from unspool.model.usage import Price, UsageRow
    from unspool.store.event_rows import SessionEvents
else:
    Protocol = object  # a report that only reads sums passes through here and needs no types


class RawStore(Protocol):
    """The archive: raw bytes, which nothing else could bring back."""

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        """Keep raw bytes and the names of new generations, before `commit`; again: no change."""

    def generations(self) -> list[SourceRow]:
        """Every generation the archive was given, oldest first: what a rebuild reads."""

    def archived(self, source_id: int, generation: int) -> int:
        """Up to which offset a generation is archived without a gap."""

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        """A generation's raw bytes in order: all segments that have some after a place."""

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """One line's bytes; None where the archive does not have all of them."""

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        """Keep the files of long tool outputs; one that was kept before is replaced."""

    def outputs(self) -> list[OutputFile]:
        """Every output that is archived, as its file was then."""

    def output(self, root: str, path: str) -> bytes | None:
        """An archived output; None where it is not there, or damaged."""

    def erase(
        self,
        source_ids: Collection[int],
        outputs: Collection[tuple[str, str]] = (),
        instead: Iterable[Segment] = (),
    ) -> None:
        """Take sources and outputs (root and path) out for good: no byte of them is left.

        `instead` are segments for the places where others of the same length are, as thoroughly.
        """

    def settle(self) -> None:
        """Make all that was written so far survive a power cut."""


class IndexWriter(Protocol):
    """What the indexer calls: rows, and how far each file has been read."""

    def commit(self, batches: Sequence[Batch], price: Price = ...) -> int:
        """Write rows, feed and checkpoints in one transaction; the seq of the last change.

        A response is priced when all that is known of it is merged.
        """

    def prices(self) -> str:
        """The name of the table the ledger was last priced by, or ""."""

    def reprice(self, price: Price, prices: str) -> None:
        """Price the whole ledger again; `prices` names the table."""

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        """What linking needs of each source of a session."""

    def fold_state(self, source_id: int, generation: int) -> tuple[int, bytes] | None:
        """The last state that batches of a generation brought, and the offset it is of.

        None if it was never stored, or dropped for those of other sources.
        """

    def message_uuids(self, source_id: int, generation: int, end: int) -> list[tuple[str, str]]:
        """The uuid of each message before an offset, and the agent of one that is inline."""

    def unlinked(self) -> list[SessionKey]:
        """Sessions that have new facts since their agents were put."""

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        """Replace a session's agents; unchanged rows are no change."""

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        """Note that files are no longer on disk; their rows and raw bytes stay."""

    def merge(self) -> Iterator[None]:
        """Merge what was written piece by piece, so that searches are quick; step by step."""

    def rebuild_into(self, fill: Callable[[Store], None]) -> None:
        """Have a new index filled, which replaces this one at the end.

        Readers see the old one until then. Archive and marks stay, and the feed goes on counting.
        """

    def check(self, *, thorough: bool = False) -> list[str]:
        """What is damaged; thorough looks at every index entry and every checksum."""

    def status(self) -> StoreStatus:
        """Counts and sizes."""


class FileIndex(Protocol):
    """The files that were read."""

    def sources(self) -> list[SourceRow]:
        """Every file, in its newest generation, with its checkpoint. For the indexer alone."""

    def source(self, source_id: int) -> SourceRow | None:
        """One of them."""

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        """Those of one session."""

    def spools(self) -> list[SourceRow]:
        """Those of the spool."""

    def roots(self) -> list[str]:
        """The roots they are of."""

    def file_states(self) -> list[tuple[str, str, int, int]]:
        """Root, path, size and mtime_ns of every file that is not gone."""

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        """The line that begins at a place."""

    def line_counts(self) -> dict[tuple[int, int], int]:
        """How many lines before its checkpoint each source and generation has, good and bad."""

    def edited_files(self, query: EditQuery) -> list[FileEdits]:
        """Files that calls have edited, the newest edit first, then by path."""

    def edits_of(self, path: str, query: EditQuery) -> list[EditLine]:
        """The edits of one file by its whole path, newest first; `path` and `after` of the query
        do not matter.
        """

    def bad_lines(self, *, limit: int) -> list[BadLinePlace]:
        """Lines that could not be read, those of the last written files first."""

    def oddities(self, *, limit: int) -> list[OddityCount]:
        """What is unknown to this version, most frequent first."""


class SessionIndex(Protocol):
    """Sessions: lists, searches, what happened in them, and the feed of changes."""

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        """Sessions, newest activity first. Never all of them at once."""

    def project_ids(self) -> list[str]:
        """The projects they are of, listed or not, by id."""

    def facets(self, *, limit: int, newest: int = 2_000) -> Facets:
        """The most frequent branches and models of the newest listed sessions."""

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        """What `put_agents` was given as facts of the agents of some sessions."""

    def related(self, ties: Collection[int]) -> list[str]:
        """The transcripts of sessions that have one of these ties, whether or not on disk."""

    def hooks(self, project_id: str, session_id: str) -> list[HookRow]:
        """All hook records of a session, oldest first: records of one event share a key."""

    def hook_times(self, session_id: str, key: str) -> list[int]:
        """When the hook records with a key are from, whichever project the session is of."""

    def hook_sessions(self) -> list[SessionKey]:
        """The sessions that only hooks know."""

    def strips(self, keys: Iterable[SessionKey]) -> dict[SessionKey, ActivityStrip]:
        """When things happened in some sessions; nothing for those that are not known."""

    def facts_of(
        self,
        since: int,
        until: int,
        *,
        projects: Collection[str] | None = None,
        scope: Scope = None,
        sessions: Collection[int] | None = None,
    ) -> ActivityFacts:
        """Calls and responses of some time, of some projects by their whole ids, and of some
        sessions by the numbers that facts have.
        """

    def causes(self, query: CauseQuery) -> CauseReport | None:
        """Sums by cause, where a store keeps them; None: they are made from `facts_of`."""

    def events_of(self, project_id: str, session_id: str) -> SessionEvents:
        """What the timeline of a session is made from."""

    def search(self, query: TextQuery) -> SearchHits:
        """Lines that hold the terms. User text is never query syntax."""

    def count_hits(self, query: TextQuery, roots: Collection[str] = ()) -> HitCounts:
        """How many lines `search` finds in files of some roots, by session and kind.

        `kinds`, `before` and `limit` do not matter.
        """

    def words_with(self, parts: Collection[str], limit: int) -> dict[str, list[str] | None]:
        """The words that contain each part, for `one_of`; None if there are more than `limit`.

        A part is letters and digits in lower case. A long word may stand as a prefix.
        """

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        """The feed since `after`: what live pages, `--follow` and collectors read."""

    def head(self) -> int:
        """The newest seq, or 0."""


class Ledger(Protocol):
    """Every response once, whichever files repeat it, and its sums."""

    def owners(self, keys: Iterable[str]) -> dict[str, SessionKey]:
        """The session that each of these responses counts for, where it is known."""

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        """Every response that counts for a session."""

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        """What some sessions own, by model; nothing for those that own nothing."""

    def totals(self, query: TotalsQuery) -> Iterator[UsageTotal]:
        """The ledger, added up: what every cost report is made from."""

    def projects(
        self, scope: Scope = None, *, ids: Collection[str] | None = None
    ) -> list[ProjectTotal]:
        """Projects that have listed sessions, all or some, each with their sum, by id."""

    def unpriced_models(self, *, limit: int) -> list[tuple[str, int]]:
        """Models without a price and how many responses they gave, most frequent first."""


class Store(RawStore, IndexWriter, FileIndex, SessionIndex, Ledger, Protocol):
    """Synchronous on purpose: the CLI and library call it plainly; the server hops threads."""

    @property
    def marks(self) -> MarkBook:
        """What the user decided about sessions."""

    def close(self) -> None:
        """Let go of the files. Safe to call twice."""


class ActivityFacts(Protocol):
    """Calls and responses of some time, each once; a session goes by a number of the store's."""

    def calls(self) -> list[CallFact]:
        """By session, agent, time and id."""

    def responses(self) -> list[ResponseFact]:
        """By session, agent, time and key."""

    def waits(self) -> dict[str, int]:
        """For how many milliseconds calls waited for approval, by call; as hooks tell."""

    def compactions(self) -> dict[int, list[int]]:
        """When each session was compacted."""

    def prompts(self) -> list[PromptFact]:
        """When something was asked in main conversations, by session and time."""

    def agent_types(self) -> dict[tuple[int, str], str]:
        """The type of each agent, by session and id."""

    def across(self) -> list[int]:
        """Sessions that used something in that time, and went on before or after it."""

    def event_ids(self, lines: Collection[int]) -> dict[int, str]:
        """The event ids of lines, by the numbers that responses have."""


class MarkBook(Protocol):
    """Pins, hidden sessions and titles, from any thread."""

    def all(self) -> Mapping[SessionKey, Marks]:
        """Every mark, by session."""

    def of(self, project_id: str, session_id: str) -> Marks:
        """What was decided about one session."""

    def stamp(self) -> Hashable:
        """Differs whenever any mark does."""

    def change(self, project_id: str, session_id: str, given: MarksUpdate) -> Marks:
        """Keep what is given of a decision; one that says nothing is dropped."""

    def erase(self, names: Collection[SessionKey]) -> None:
        """Take what was decided about some sessions out for good."""


class SqlStore(Protocol):
    """A store that answers questions in SQL that a user typed."""

    def sql(
        self, text: str, params: Sequence[Any] = (), *, limit: int = 1000, seconds: float = 10.0
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows of one SELECT over the documented tables."""

    def tables(self) -> dict[str, list[str]]:
        """The documented tables, each with its columns."""
