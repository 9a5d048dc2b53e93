"""All files of one session, read and kept in step with the disk."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode
from unspool.decode.sidecars import agent_meta
from unspool.derive.agents.facts import FactsFold
from unspool.derive.approvals import HookState, hook_state
from unspool.derive.context.files import FileSizes
from unspool.derive.document import Assembler
from unspool.derive.hooks import distinct_events
from unspool.derive.row_facts import (
    Counts,
    agent_facts,
    hook_facts,
    join_agents,
    transcript_facts,
    with_hooks,
)
from unspool.derive.status import at_rest, is_busy
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.transcript import TranscriptFold
from unspool.derive.whole import AgentPart, Ownership, SessionJoin, Whole
from unspool.engine.archive import SessionOutputs
from unspool.engine.hook_story import HookTranscript
from unspool.engine.owners import SessionOwners
from unspool.engine.registered import Registered, Registry
from unspool.engine.related import RelationFacts, relation_facts
from unspool.engine.session_row import NO_HOOKS, status_of
from unspool.engine.setting import Setting
from unspool.engine.swept import Swept
from unspool.engine.transcript import TranscriptReader, opened
from unspool.errors import NotFound, UnspoolError
from unspool.model.document import Subagent
from unspool.model.files import SessionFiles, TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.message import LinkFacts
from unspool.model.session import AgentFacts, RowFacts, TranscriptState
from unspool.model.sidecars import AgentMeta
from unspool.source.context_files import ContextFiles
from unspool.source.files import is_gone
from unspool.source.safe_open import read_whole
from unspool.source.session_files import session_files
from unspool.source.tail import line_spans

_LONGEST_SIDECAR = 1024 * 1024
_LONGEST_LOG = 64 * 1024 * 1024


class Reel:
    """The main transcript, its agents' and what lies beside them; or `begun`, and that alone."""

    def __init__(
        self,
        file: TranscriptFile,
        setting: Setting,
        swept: Swept | None = None,
        begun: TranscriptReader | None = None,
    ) -> None:
        self.file = file
        self.setting = setting
        self._swept = swept
        self.main = begun or (swept and swept.transcript(file)) or opened(file, setting.now)
        self.agents: dict[str, TranscriptReader] = {}
        self.files = SessionFiles()
        self._metas: dict[str, AgentMeta | None] = {}
        self._journals: dict[str, _Journal] = {}
        self._working: list[str] = []
        self._whole: Whole | None = None
        self._join: SessionJoin | None = None
        self._owners = _owners(setting, file)
        self._ownership = Ownership(is_exact=False)
        self._assemblers: dict[tuple[str, bool], Assembler] = {}
        self._head: RelationFacts | None = None
        self._heard: tuple[object, list[HookEvent], HookState] | None = None
        if begun is None:
            self._look_around()
            self._look_back()
            if self.is_empty and (self.main.is_gone or self.main.is_swept):
                raise NotFound(f"{file.path} does not exist. Claude Code deletes old transcripts.")
            self._listen()
            self._ask_owners()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read, and nobody tells of the session."""
        has_lines = self.main.fold.lines or self.agents
        return not (has_lines or self.hooks() or self.registered())

    def refresh(self, setting: Setting) -> bool:
        """Take in what was written since; True where anything changed."""
        self.setting = setting
        if isinstance(self.main, HookTranscript) and not is_gone(self.file.path):
            self.main = TranscriptReader(self.file)
        changed = self.main.refresh(setting.now)
        changed |= self._look_around()
        changed |= self._listen()
        changed |= self._ask_owners()
        if changed:
            self._whole = self._head = None
        return changed

    def _listen(self) -> bool:
        """Where there is no transcript, let hooks tell the story; True where they tell another."""
        events = self.hooks() if self.main.is_gone and not self.main.fold.lines else []
        told = len(self.main.entries) if isinstance(self.main, HookTranscript) else 0
        if len(events) == told or self.file.agent_id:
            return False
        self.main = HookTranscript(self.file, events)
        return True

    def _look_around(self) -> bool:
        file = self.file
        self.files = session_files(file.root, os.path.dirname(file.path), file.session_id or "")
        changed = False
        # An agent whose session is gone is read alone: those beside it are no agents of its own.
        for found in self.files.subagents if file.agent_id is None else ():
            changed |= self._take_in(found)
        return changed | self._look_at_journals()

    def _look_at_journals(self) -> bool:
        changed = False
        for file in self.files.journals:
            known, stamp = self._journals.get(file.path), (file.mtime_ns, file.size)
            if known is None or known.stamp != stamp:
                self._journals[file.path] = _journal(_lines(file.path), stamp)
                changed = True
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
        self._journals[""] = _journal(self._swept.lines(self.file, "journal"))

    def _ask_owners(self) -> bool:
        """Ask which responses are of other sessions; whether that is different now."""
        if self._owners is None or self.setting.owners is None:
            return False
        self.setting.owners.follow()
        files = [self.main.fold.usage, *(agent.fold.usage for agent in self.agents.values())]
        before, self._ownership = self._ownership, self._owners.look(files)
        return before != self._ownership

    def _take_in(self, found: TranscriptFile) -> bool:
        id = found.agent_id or ""
        agent = self.agents.get(id) or TranscriptReader(found)
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

    @property
    def whole(self) -> Whole:
        """The session with its agents joined, as of the last refresh."""
        working = self._agents_at_work()
        if self._whole is None or working != self._working:
            parts = [
                AgentPart(agent.fold, self._metas[id], id in working)
                for id, agent in self.agents.items()
            ]
            journals = (one.facts for one in self._journals.values())
            self._whole = Whole(
                self.main.fold,
                parts,
                self._joined(),
                self._ownership,
                journals=journals,
                at_work=working,
            )
            self._working = working
            self._assemblers = {}
        return self._whole

    def _joined(self) -> SessionJoin:
        if self._join is None or self._join.prices != self.setting.prices:
            self._join = SessionJoin(self.setting.prices)
        return self._join

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
        if owner:
            return self._own_facts(owner), NO_HOOKS, None
        events, live = self.hooks(), self.registered()
        facts = self._own_facts(owner) if self.has_own else self._other_facts(events, live)
        if facts.origin == "transcript" and not facts.is_displayable:
            told = hook_facts(events, facts.project_id, facts.session_id)
            facts = with_hooks(facts, told, is_alive=live is not None and live.alive)
        return facts, self._heard[2] if self._heard else NO_HOOKS, live

    @property
    def has_own(self) -> bool:
        """Whether it has a transcript of its own, not of its agents alone."""
        return bool(self.file.agent_id or self.main.fold.lines) or not self.main.is_gone

    def _own_facts(self, owner: str) -> RowFacts:
        transcript, fold, whole = self.transcript(owner), self.fold(owner), self.whole
        counts = Counts(fold.messages, fold.compactions, len(fold.numbers), fold.bad_lines)
        return structs.replace(
            transcript_facts(whole.abouts[owner], self._state(owner), counts),
            session_id=owner or self.file.agent_id or self.file.session_id or "",
            project_id=self.file.project_id,
            transcript_path=transcript.file.path,
            size=transcript.size,
            last_write=transcript.last_write,
            source_gone=transcript.is_swept and is_gone(transcript.file.path),
            agents=tuple(self._agent_facts(agent, owner) for agent in whole.below(owner)),
        )

    def _other_facts(self, events: Sequence[HookEvent], live: Registered | None) -> RowFacts:
        """What hooks, the registry or its agents say of a session without a transcript."""
        file, whole = self.file, self.whole
        facts = hook_facts(events, file.project_id, file.session_id or "")
        if self.agents and not (events or live):
            facts = join_agents(agent_facts(whole.abouts[id]) for id in self.agents)
        files = [self.main] if self.main.is_swept else list(self.agents.values())
        return structs.replace(
            facts,
            session_id=file.session_id or "",
            project_id=file.project_id,
            transcript_path=file.path,
            source_gone=bool(files)
            and all(one.is_swept and is_gone(one.file.path) for one in files),
            agents=tuple(self._agent_facts(agent, "") for agent in whole.below("")) or None,
        )

    def _agent_facts(self, agent: Subagent, owner: str) -> AgentFacts:
        # An agent stands by its own lines, whatever the agents do that it sent.
        is_told = not owner and agent.id in self.whole.folds
        state = self._state(agent.id) if is_told else TranscriptState()
        return AgentFacts(agent.id, agent.metrics.message_count or 0, state)

    def _state(self, owner: str) -> TranscriptState:
        state = self.fold(owner).status.state
        return at_rest(state) if self._is_dismissed(owner) else state

    def _is_dismissed(self, owner: str) -> bool:
        """Whether it is an inline agent that nobody waits for: it ends with its call."""
        fold = self.transcript(owner).fold
        return self.fold(owner) is not fold and not fold.status.has_sent

    def _agents_at_work(self) -> list[str]:
        return [id for id in {**self.main.fold.inline, **self.agents} if self.is_ongoing(id)]

    def transcript(self, owner: str) -> TranscriptReader:
        """The file in which the lines of an agent, or of the main conversation, stand."""
        return self.agents.get(owner, self.main)

    def fold(self, owner: str) -> TranscriptFold:
        """What an agent, or the main conversation, says."""
        fold = self.transcript(owner).fold
        return fold.inline.get(owner, fold)

    def _sizes(self, cwd: str) -> FileSizes | None:
        """Sizes of the files around it, where its directory is on this machine."""
        if not cwd or "\0" in cwd or not os.path.isdir(cwd):
            return None
        setting, root = self.setting, Path(self.file.root.path)
        return ContextFiles(Path(cwd), root, setting.enterprise, setting.home)

    @property
    def head(self) -> RelationFacts:
        """What may tie it to other sessions."""
        if self._head is None:
            self._head = relation_facts(self.file, self.main.fold)
        return self._head

    def is_ongoing(self, owner: str) -> bool:
        """Whether an agent, or the main conversation, is at work now."""
        last_write = self.transcript(owner).last_write
        return is_ongoing(self._state(owner).is_ongoing, last_write, self.setting.now)

    @property
    def outputs(self) -> SessionOutputs:
        """Its long tool outputs."""
        file, store = self.file, self._swept.store if self._swept else None
        directory = os.path.join(os.path.dirname(file.path), file.session_id or "")
        return SessionOutputs(file.root.path, directory, store)

    def hooks(self) -> list[HookEvent]:
        """What hooks told about this session, oldest first; the same list while it is all."""
        spooled, id = self.setting.spooled, self.file.session_id
        told = spooled.of(self.file.project_id, id) if spooled and id else []
        stamps = [(log.path, log.size, log.mtime_ns) for log in self.files.hook_logs]
        if self._heard is None or self._heard[0] != (stamps, len(told)):
            events = distinct_events([*self._logged(), *told])
            self._heard = (stamps, len(told)), events, hook_state(events)
        return self._heard[1]

    def _logged(self) -> Iterator[HookEvent]:
        lines = [line for log in self.files.hook_logs for line in _lines(log.path)]
        if self._swept is not None:
            lines += self._swept.lines(self.file, "hook_log")
        yield from (event for event in map(hook_event, lines) if event is not None)

    def missing(self) -> str:
        """What of it is not on this machine, in a sentence; "" where its transcript is."""
        main = self.main
        if main.is_swept and is_gone(main.file.path):
            return "Its transcript is gone from disk: this is read from the archive."
        if main.is_swept:
            return "Its transcript cannot be read now: this is read from the archive."
        if main.fold.lines or not main.is_gone:
            return ""
        if self.agents:
            many = f"{len(self.agents)} agent transcripts remain"
            left = "1 agent transcript remains" if len(self.agents) == 1 else many
            return f"The session's own transcript is gone; {left}."
        if self.hooks():
            return "Known from hook events only: its transcript is not on this machine."
        return "Known from the registry of running sessions only: it has no transcript yet."

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


def _owners(setting: Setting, file: TranscriptFile) -> SessionOwners | None:
    if setting.owners is None:
        return None
    return SessionOwners(setting.owners, file.project_id, file.session_id or "")


class _Journal(Struct, frozen=True):
    """What a workflow's journal said when it was of this age and length."""

    facts: LinkFacts
    stamp: tuple[int, int] = (0, 0)


def _journal(lines: Iterable[bytes], stamp: tuple[int, int] = (0, 0)) -> _Journal:
    fold = FactsFold()
    for line in lines:
        for entry in decode(line):
            fold.feed_beside(entry)
    return _Journal(fold.facts(), stamp)


def _lines(path: str) -> list[bytes]:
    data = read_whole(path, _LONGEST_LOG) or b""
    return [data[offset : offset + length] for offset, length in line_spans(data)]
