"""Messages and metadata lines of one transcript -> what it says about subagents."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct, structs

from unspool.derive.reading import tags
from unspool.derive.reading.clock import millis
from unspool.derive.reading.heads import beginning
from unspool.json_depth import shallow
from unspool.model.blocks import Text
from unspool.model.document import Proof
from unspool.model.message import AgentClaim, AgentReport, FactsKind, LinkFacts, Message, SpawnCall
from unspool.model.metadata import AgentMetadata, QueueOperation, Result, Started
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import Entry, Progress, User

_END_STATES: Final = frozenset({"completed", "failed", "killed", "stopped", "cancelled", "error"})
WARMUP: Final = "Warmup"
_HEAD: Final = 500  # characters, as many as a call has of its description


class _QueuedTask(Struct, frozen=True, gc=False):
    """A background task in a queue operation."""

    task_id: str | None = None
    tool_use_id: str | None = None


class _Opening(Struct, frozen=True, gc=False):
    """The first user message, as far as linking needs it."""

    digest: str = ""
    is_warmup: bool = False
    teammate_id: str = ""
    teammate_summary: str = ""


_string: Final = msgspec.json.Decoder(str)
_queued: Final = msgspec.json.Decoder(_QueuedTask)
_TROUBLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)


class FactsFold(Struct):
    """Collects what linking needs from one transcript, or from a workflow's journal."""

    id: str = ""
    path: str = ""
    kind: FactsKind = "main"
    _start: int | None = None
    _end: int | None = None
    _messages: int = 0
    _opening: _Opening | None = None
    _first_parent_uuid: str = ""
    _last_uuid: str = ""
    _calls: dict[str, SpawnCall] = {}
    _claims: dict[tuple[str, str, str], AgentClaim] = {}
    _labels: dict[str, str] = {}
    _finished: dict[str, int | None] = {}
    _metadata: AgentMeta | None = None

    def feed(self, message: Message, entry: Entry | None = None) -> None:
        """Add the next message; its entry has the first prompt, of which the message has a part."""
        at = message.at
        if at is not None:
            self._extend(at)
        if not self._messages:
            self._first_parent_uuid = message.parent_uuid
        self._messages += 1
        self._last_uuid = message.uuid or self._last_uuid
        if self._opening is None and message.type == "user":
            self._open(message, entry)
        for piece in message.pieces:
            if piece.spawn is not None:
                call = SpawnCall(piece.id, piece.spawn, piece.name, at, message.line)
                self._calls.setdefault(piece.id, call)
            elif piece.report is not None:
                self._claim("agentId", structs.replace(piece.report, tool_use_id=piece.id), at)
        for report in message.reports:
            self._claim("notification", report, at)

    def feed_beside(self, entry: Entry) -> None:
        """Add a line that is not a message."""
        read = _READERS.get(type(entry))
        if read is not None:
            read(self, entry)

    def facts(self, *, meta: AgentMeta | None = None, is_ongoing: bool = False) -> LinkFacts:
        """The facts so far, with the file's sidecar and whether it still runs."""
        opening = self._opening or _Opening()
        return LinkFacts(
            id=self.id,
            path=self.path,
            kind=self.kind,
            workflow=_folder(self.path) if self.kind == "workflow_subagent" else "",
            start=self._start,
            end=self._end,
            messages=self._messages,
            prompt_digest=opening.digest,
            is_warmup=opening.is_warmup,
            teammate_id=opening.teammate_id,
            teammate_summary=opening.teammate_summary,
            first_parent_uuid=self._first_parent_uuid,
            last_uuid=self._last_uuid,
            calls=tuple(self._calls.values()),
            claims=tuple(self._claims.values()),
            labels=dict(self._labels),
            finished=dict(self._finished),
            meta=meta or self._metadata,
            is_ongoing=is_ongoing,
        )

    def _extend(self, at: int) -> None:
        if self._start is None or at < self._start:
            self._start = at
        if self._end is None or at > self._end:
            self._end = at

    def _open(self, message: Message, entry: Entry | None) -> None:
        text = _text(entry) if type(entry) is User else message.head
        mates = tags.teammates(text) or [tags.Teammate("", "", "", "")]
        summary = beginning(mates[0].summary, _HEAD)
        self._opening = _Opening(tags.digest(text), text.strip() == WARMUP, mates[0].id, summary)

    def _claim(self, proof: Proof, report: AgentReport, at: int | None) -> None:
        name = report.agent_id or report.run_id
        if not name:
            return
        if report.status in _END_STATES:
            self._finished[name] = at
        # The last report counts, in the order of the first.
        self._claims[proof, name, report.tool_use_id] = AgentClaim(proof, report)

    def _progress(self, entry: Progress) -> None:
        self._last_uuid = entry.uuid or self._last_uuid
        data = entry.data or entry.progress_data
        if data is None or data.type != "agent_progress":
            return
        agent, call = data.agent_id or "", entry.parent_tool_use_id or ""
        if agent and call and ("progress", agent, call) not in self._claims:
            self._claim("progress", AgentReport(agent, call), None)

    def _queue(self, entry: QueueOperation) -> None:
        try:
            text = _string.decode(entry.content)
            if text.startswith("{"):
                task = _queued.decode(shallow(text))
                self._claim("queue", AgentReport(task.task_id or "", task.tool_use_id or ""), None)
        except _TROUBLE:
            return
        for report in tags.notifications(text):
            self._claim("notification", report, millis(entry.timestamp))

    def _started(self, entry: Started) -> None:
        if entry.agent_id and entry.label:
            self._labels[entry.agent_id] = entry.label

    def _result(self, entry: Result) -> None:
        if entry.agent_id:
            self._finished[entry.agent_id] = millis(entry.timestamp)

    def _described(self, entry: AgentMetadata) -> None:
        self._metadata = AgentMeta(entry.agent_type, entry.description, entry.tool_use_id)


def with_journals(main: LinkFacts, journals: Iterable[LinkFacts]) -> LinkFacts:
    """The main transcript's facts with those of workflow journals, which take precedence."""
    for journal in journals:
        main = structs.replace(
            main,
            labels=main.labels | journal.labels,
            finished=main.finished | journal.finished,
            claims=main.claims + journal.claims,
        )
    return main


_READERS: Final[dict[type, Callable[[FactsFold, Any], None]]] = {
    Progress: FactsFold._progress,
    QueueOperation: FactsFold._queue,
    Started: FactsFold._started,
    Result: FactsFold._result,
    AgentMetadata: FactsFold._described,
}


def _text(entry: User) -> str:
    content = entry.message.content if entry.message else None
    if isinstance(content, list):
        return "\n".join(block.text for block in content if type(block) is Text)
    return content or ""


def _folder(path: str) -> str:
    """The name of the directory that a file is in."""
    return path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
