"""All files of one session, read and kept in step with the disk."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import structs

from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode
from unspool.decode.sidecars import agent_meta
from unspool.derive.approvals import HookState, hook_state
from unspool.derive.context.lookup import FileSizes
from unspool.derive.document import Assembler
from unspool.derive.row_facts import Counts, hook_facts, transcript_facts, with_hooks
from unspool.derive.status import is_busy
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.whole import AgentPart, Whole
from unspool.errors import UnspoolError
from unspool.model.document import Subagent
from unspool.model.files import SessionFiles, TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.listing import AgentFacts, RowFacts, TranscriptState
from unspool.model.sidecars import AgentMeta
from unspool.recall.heads import Head, head_of
from unspool.recall.hooks import in_order
from unspool.recall.registered import Registered, Registry
from unspool.recall.session_row import NO_HOOKS, status_of
from unspool.recall.setting import Setting
from unspool.recall.swept import Swept
from unspool.recall.transcript import Transcript, opened
from unspool.source.files import is_gone
from unspool.source.lines import scan
from unspool.source.reader import read_whole
from unspool.source.session_files import session_files
from unspool.source.weights import ContextFiles

_LONGEST_SIDECAR = 1024 * 1024
_LONGEST_LOG = 64 * 1024 * 1024


class Reel:
    """The main transcript, its agents' and what lies beside them; or `begun`, and that alone."""

    def __init__(
        self,
        file: TranscriptFile,
        setting: Setting,
        swept: Swept | None = None,
        begun: Transcript | None = None,
    ) -> None:
        self.file = file
        self.setting = setting
        self._swept = swept
        self.main = begun or (swept and swept.transcript(file)) or opened(file, setting.now)
        self.agents: dict[str, Transcript] = {}
        self.files = SessionFiles()
        self._metas: dict[str, AgentMeta | None] = {}
        self._journals: dict[str, int] = {}
        self._working: list[str] = []
        self._whole: Whole | None = None
        self._assemblers: dict[tuple[str, bool], Assembler] = {}
        self._head: Head | None = None
        self._heard: tuple[object, list[HookEvent], HookState] | None = None
        if begun is None:
            self._look_around()
            self._look_back()

    def refresh(self, setting: Setting) -> bool:
        """Take in what was written since; True where anything changed."""
        self.setting = setting
        changed = self.main.refresh(setting.now)
        changed |= self._look_around()
        if changed:
            self._whole = self._head = None
        return changed

    def _look_around(self) -> bool:
        file = self.file
        self.files = session_files(file.root, os.path.dirname(file.path), file.session_id or "")
        changed = False
        # An agent whose session is gone is read alone: those beside it are no agents of its own.
        for found in self.files.subagents if file.agent_id is None else ():
            changed |= self._take_in(found)
        for journal in self.files.journals:
            changed |= self._journals.get(journal.path) != journal.mtime_ns
            self._journals[journal.path] = journal.mtime_ns
            self._read_journal(_lines(journal.path))
        return changed

    def _look_back(self) -> None:
        """Take in what the disk no longer has."""
        if self._swept is None or self.file.agent_id is not None:
            return
        metas = self._swept.metas(self.file)
        for agent in self._swept.agents(self.file):
            id = agent.file.agent_id or ""
            self.agents.setdefault(id, agent)
            self._metas.setdefault(id, metas.get(id))
        self._read_journal(self._swept.lines(self.file, "journal"))

    def _take_in(self, found: TranscriptFile) -> bool:
        id = found.agent_id or ""
        agent = self.agents.get(id) or Transcript(found)
        try:
            changed = not agent.has_all(found) and agent.refresh(self.setting.now)
        except UnspoolError:
            return False  # one closed file does not close the session
        meta = self._meta(found.path)
        changed |= id not in self.agents or meta != self._metas[id]
        self.agents[id], self._metas[id] = agent, meta
        return changed

    def _meta(self, transcript: str) -> AgentMeta | None:
        path = self.files.metas.get(transcript)
        data = read_whole(path, _LONGEST_SIDECAR) if path else None
        return agent_meta(data) if data else None

    def _read_journal(self, lines: Iterable[bytes]) -> None:
        # Facts are kept by agent: a journal read again says nothing twice.
        for line in lines:
            for entry in decode(line):
                self.main.fold.facts.feed_beside(entry)

    @property
    def whole(self) -> Whole:
        """The session with its agents joined, as of the last refresh."""
        working = [id for id, agent in self.agents.items() if self.is_ongoing(agent)]
        if self._whole is None or working != self._working:
            parts = [
                AgentPart(agent.fold, self._metas[id], id in working)
                for id, agent in self.agents.items()
            ]
            self._whole = Whole(self.main.fold, parts, self.setting.prices)
            self._working = working
            self._assemblers = {}
        return self._whole

    def assembler(self, owner: str) -> Assembler:
        """What makes the documents of one transcript, kept until something changes."""
        whole = self.whole
        key = (owner, is_busy(status_of(*self.known(owner), self.setting.now)))
        if key not in self._assemblers:
            sizes = self._sizes(whole.abouts[owner].cwd)
            self._assemblers[key] = Assembler(whole, owner, is_busy=key[1], sizes=sizes)
        return self._assemblers[key]

    def known(self, owner: str) -> tuple[RowFacts, HookState, Registered | None]:
        """What the row of the session, or of one of its agents, is made of."""
        transcript, whole = self.agents[owner] if owner else self.main, self.whole
        fold = transcript.fold
        counts = Counts(
            fold.messages,
            sum(span.type == "compact" for span in fold.chunks.spans),
            fold.lines,
            fold.bad_lines,
        )
        facts = structs.replace(
            transcript_facts(whole.abouts[owner], fold.status.state, counts),
            session_id=owner or self.file.agent_id or self.file.session_id or "",
            project_id=self.file.project_id,
            transcript_path=transcript.file.path,
            size=transcript.size,
            last_write=transcript.last_write,
            source_gone=transcript.is_swept and is_gone(transcript.file.path),
            agents=tuple(self._agent_facts(agent, owner) for agent in whole.below(owner)),
        )
        if owner:
            return facts, NO_HOOKS, None
        events, live = self.hooks(), self.registered()
        if not facts.is_displayable:
            told = hook_facts(events, facts.project_id, facts.session_id)
            facts = with_hooks(facts, told, is_alive=live is not None and live.alive)
        return facts, self._heard[2] if self._heard else NO_HOOKS, live

    def _agent_facts(self, agent: Subagent, owner: str) -> AgentFacts:
        # An agent stands by its own lines, whatever the agents do that it sent.
        fold = None if owner else self.whole.folds.get(agent.id)
        state = fold.status.state if fold else TranscriptState()
        return AgentFacts(agent.id, agent.metrics.message_count or 0, state)

    def _sizes(self, cwd: str) -> FileSizes | None:
        """Sizes of the files around it, where its directory is on this machine."""
        if not cwd or "\0" in cwd or not os.path.isdir(cwd):
            return None
        setting, root = self.setting, Path(self.file.root.path)
        return ContextFiles(Path(cwd), root, setting.enterprise, setting.home)

    @property
    def head(self) -> Head:
        """What may tie it to other sessions."""
        if self._head is None:
            self._head = head_of(self.file, self.main.fold)
        return self._head

    def is_ongoing(self, transcript: Transcript) -> bool:
        """Whether somebody is at work on a transcript now."""
        was_ongoing = transcript.fold.status.is_ongoing
        return is_ongoing(was_ongoing, transcript.last_write, self.setting.now)

    @property
    def directory(self) -> str:
        """Where the session keeps its agents and long results."""
        return os.path.join(os.path.dirname(self.file.path), self.file.session_id or "")

    def hooks(self) -> list[HookEvent]:
        """What hooks told about this session, oldest first; the same list while it is all."""
        spooled = self.setting.spooled
        told = spooled.of(self.file.session_id) if spooled and self.file.session_id else []
        stamps = [(log.path, log.size, log.mtime_ns) for log in self.files.hook_logs]
        if self._heard is None or self._heard[0] != (stamps, len(told)):
            events = in_order([*self._logged(), *told])
            self._heard = (stamps, len(told)), events, hook_state(events)
        return self._heard[1]

    def _logged(self) -> Iterator[HookEvent]:
        lines = [line for log in self.files.hook_logs for line in _lines(log.path)]
        if self._swept is not None:
            lines += self._swept.lines(self.file, "hook_log")
        yield from (event for event in map(hook_event, lines) if event is not None)

    def registered(self) -> Registered | None:
        """The session's entry in the live registry, and whether its process lives."""
        known = Registry([self.file.root] if self.files.registry else []).sessions()
        return known.get(self.file.session_id or "")

    @property
    def weight(self) -> int:
        """About how many bytes of memory this holds."""
        return self.main.fold.weight + sum(one.fold.weight for one in self.agents.values())

    @property
    def generations(self) -> tuple[int, ...]:
        """Changes when any of its files was rewritten, cut or replaced."""
        return self.main.generation, *(one.generation for one in self.agents.values())


def _lines(path: str) -> list[bytes]:
    data = read_whole(path, _LONGEST_LOG) or b""
    return [data[offset : offset + length] for offset, length in scan(data)]
