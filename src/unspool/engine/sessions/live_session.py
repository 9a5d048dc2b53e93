"""One session in this process: its files are read and folded once, for all users."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any

from msgspec import structs

from unspool.decode.hooks import hook_event
from unspool.derive.agents.facts import WARMUP
from unspool.derive.agents.links import is_process
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
from unspool.derive.status import is_busy
from unspool.derive.transcript import Views
from unspool.derive.usage.session_usage import SessionUsage
from unspool.derive.whole import MAIN, AgentPart, Ownership, SessionJoin, Whole
from unspool.engine.hooks.events import StoredEvents
from unspool.engine.sessions.options import ReadingOptions
from unspool.engine.sessions.ownership import SessionOwners
from unspool.engine.sessions.registry import RegisteredProcess, Registry
from unspool.engine.sessions.related import RelationFacts, relation_facts
from unspool.engine.sessions.row import NO_HOOKS, status_of
from unspool.engine.sessions.session_transcripts import SessionTranscripts, whole_lines
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.engine.transcripts.from_hooks import HookTranscript
from unspool.engine.transcripts.reader import Listener, TranscriptReader
from unspool.errors import NotFound
from unspool.model.files import TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.message import LinkFacts
from unspool.model.session import AgentFacts, RowFacts, TranscriptState
from unspool.remote_paths import is_remote
from unspool.source.context_files import ContextFiles

_versions = count(1)


class LiveSession(SessionTranscripts):
    """One session as it is now, for pages, commands, board and library.

    Hold `lock` while you use it from several threads. `version` changes with every change.
    """

    def __init__(
        self,
        file: TranscriptFile,
        setting: ReadingOptions,
        swept: ArchivedSessions | None = None,
        begun: TranscriptReader | None = None,
        *,
        views: Views = Views.PAGE,
        listener: Callable[[str], Listener] | None = None,
    ) -> None:
        self.lock = RLock()
        self.version = next(_versions)
        self.weight = 0  # about how many bytes of memory it holds
        self.memo: dict[Any, Any] = {}  # of pages, cleared with the story
        self._working: list[str] = []
        self._whole: Whole | None = None
        self._join: SessionJoin | None = None
        self._owners = _owners(setting, file)
        self._ownership = Ownership(is_exact=False)
        self._assemblers: dict[tuple[str, bool], Assembler] = {}
        self._head: RelationFacts | None = None
        self._heard: tuple[object, list[HookEvent], HookState] | None = None
        self._heard_in: ReadingOptions | None = None
        self._hook_events: StoredEvents | None = None
        super().__init__(file, setting, swept, begun, views=views, listener=listener)
        if begun is None:
            if self.is_empty and not self.is_on_disk:
                raise NotFound(f"{file.path} does not exist. Claude Code deletes old transcripts.")
            self._listen()
            self._ask_owners()
        self._weigh()

    def attach(self, listener: Callable[[str], Listener]) -> None:
        """Have every line heard by a listener, which is given its agent; those before, at once."""
        with self.lock:
            if self._listener != listener:
                self._listener = listener
                self._start_over()

    def read_story(self, setting: ReadingOptions) -> None:
        """Read it again from the start, with what a page shows."""
        if not self.has_story:
            self.setting = setting
            self._views |= Views.STORY
            self._start_over()

    def drop_story(self) -> None:
        """Drop what only a page shows."""
        self._views &= ~Views.STORY
        self._join = None
        for reader in (self.main, *self.agents.values()):
            reader.drop_story()
        self.memo = {}
        self._forget_joined()

    def _start_over(self) -> None:
        self._join, self._owners = None, _owners(self.setting, self.file)
        self._read_again()
        self._listen()
        self._ask_owners()
        self._changed()

    def _changed(self) -> None:
        self.version = next(_versions)
        self._forget_joined()

    def _forget_joined(self) -> None:
        self._whole = self._head = None
        self._assemblers = {}
        self._weigh()

    def _weigh(self) -> None:
        self.weight = sum(fold.weight for fold in self.file_folds())

    @property
    def is_empty(self) -> bool:
        """Whether there are no lines, no hook events and no registry entry."""
        return not (self.has_lines or self.hooks() or self.registered())

    @property
    def has_lines(self) -> bool:
        """Whether there is a line of a transcript."""
        return bool(self.main.fold.lines or self.agents)

    def refresh(self, setting: ReadingOptions) -> bool:
        """Read what was written since; whether anything changed."""
        self.setting = setting
        before = self.main
        self._look_for_main()
        changed = self._read(self.main) or self.main is not before
        changed |= self._look_around()
        changed |= (self.main.is_swept or is_remote(self.file.path)) and self._look_back()
        changed |= self._listen()
        if self.setting.owners is not None:
            self.setting.owners.follow()
        changed |= self._ask_owners()
        return self._note(changed)

    def read_file(self, path: str, now: int) -> bool:
        """Read what was written to one of its files; whether anything changed."""
        self.setting = structs.replace(self.setting, now=now)
        known = [one for one in (self.main, *self.agents.values()) if one.file.path == path]
        changed = any([self._read(one) for one in known]) if known else self._look_around()
        return self._note(changed)

    def _note(self, changed: bool) -> bool:
        self._at_work = self._heard_in = None
        if self._is_outdated:
            self._start_over()
        elif changed:
            self._changed()
        return changed

    def read_unfinished(self, now: int) -> None:
        """Read last lines that lack only their newline, once the files are quiet."""
        for reader in (self.main, *self.agents.values()):
            if reader.is_unfinished:
                self.read_file(reader.file.path, now)

    def _listen(self) -> bool:
        """Without a transcript, read the hook events instead; whether anything changed."""
        events = self.hooks() if self.main.is_gone and not self.main.fold.lines else []
        told = len(self.main.entries) if isinstance(self.main, HookTranscript) else 0
        if len(events) == told or self.file.agent_id:
            return False
        self.main = HookTranscript(self.file, events)
        return True

    def ask_owners(self) -> None:
        """Ask the index again which responses belong to other sessions."""
        self._note(self._ask_owners())

    def _ask_owners(self) -> bool:
        """Ask which responses belong to other sessions; whether that changed."""
        if self._owners is None:
            return False
        if self._owners.is_outdated:
            self._is_outdated, self._may_settle = True, False
        before = self._ownership
        self._ownership = self._owners.look([fold.usage for fold in self.file_folds()])
        return before != self._ownership

    @property
    def whole(self) -> Whole:
        """The session with its agents joined, as of the last refresh."""
        working = self._agents_at_work()
        if self._whole is None or working != self._working:
            parts = [
                AgentPart(agent.fold, self._metas.get(id), id in working)
                for id, agent in self.agents.items()
            ]
            self._whole = Whole(
                self.main.fold,
                parts,
                self._joined(),
                self._ownership,
                journals=self.journals(),
                at_work=working,
            )
            self._working = working
            self._assemblers = {}
        return self._whole

    def _joined(self) -> SessionJoin:
        if self._join is None or self._join.prices != self.setting.prices:
            self._join = SessionJoin(self.setting.prices, by_line=self.has_story)
        return self._join

    def assembler(self, owner: str) -> Assembler:
        """The assembler of one transcript's documents, kept until something changes."""
        whole = self.whole
        key = (owner, is_busy(status_of(*self.known(owner), self.setting.now)))
        if key not in self._assemblers:
            sizes = self._sizes(whole.abouts[owner].cwd)
            self._assemblers[key] = Assembler(whole, owner, is_busy=key[1], sizes=sizes)
        return self._assemblers[key]

    def known(self, owner: str) -> tuple[RowFacts, HookState, RegisteredProcess | None]:
        """What the row of the session, or of an agent, is made from."""
        if owner:
            return self._agent_row(owner), NO_HOOKS, None
        events, live = self.hooks(), self.registered()
        told = hook_facts(events, self.file.project_id, self.file.session_id or "")
        facts = self.facts(told, live, is_told=bool(events or live))
        return facts, self._heard[2] if self._heard else NO_HOOKS, live

    def facts(self, hooks: RowFacts, live: RegisteredProcess | None, *, is_told: bool) -> RowFacts:
        """The facts of its row, from its transcripts, hook events and registry entry."""
        agents = tuple(self._agent_states())
        if self.has_own:
            facts = structs.replace(self._own_facts(MAIN), agents=agents)
            if facts.origin != "transcript" or facts.is_displayable:
                return facts
            return with_hooks(facts, hooks, is_alive=live is not None and live.alive)
        file, alone = self.file, [agent_facts(one.fold.known()) for one in self.agents.values()]
        read = [self.main] if self.main.is_swept else list(self.agents.values())
        return structs.replace(
            hooks if is_told or not alone else join_agents(alone),
            session_id=file.session_id or "",
            project_id=file.project_id,
            transcript_path=file.path,
            source_gone=bool(read) and all(one.is_deleted for one in read),
            agents=agents or None,
        )

    @property
    def has_own(self) -> bool:
        """Whether it has a main transcript, not only those of agents."""
        return bool(self.file.agent_id or self.main.fold.lines) or not self.main.is_gone

    def _own_facts(self, owner: str) -> RowFacts:
        transcript, fold = self.transcript(owner), self.fold(owner)
        counts = Counts(fold.messages, fold.compactions, len(fold.numbers), fold.bad_lines)
        return structs.replace(
            transcript_facts(fold.known(), self._state(owner), counts),
            session_id=owner or self.file.agent_id or self.file.session_id or "",
            project_id=self.file.project_id,
            transcript_path=transcript.file.path,
            size=transcript.size,
            last_write=transcript.last_write,
            source_gone=transcript.is_deleted,
        )

    def _agent_row(self, owner: str) -> RowFacts:
        # An agent stands by its own lines, whatever the agents do that it sent.
        sent = [
            AgentFacts(agent.id, agent.metrics.message_count or 0, TranscriptState())
            for agent in self.whole.below(owner)
        ]
        return structs.replace(self._own_facts(owner), agents=tuple(sent))

    def _agent_states(self) -> Iterator[AgentFacts]:
        """Its agents without warm-ups; an agent with a file is read there."""
        for id in self.main.fold.inline | self.agents:
            fold = self.fold(id)
            is_warmup = fold.known().opening.strip() == WARMUP
            if is_process(LinkFacts(id=id, messages=fold.messages, is_warmup=is_warmup)):
                yield AgentFacts(id, fold.messages, self._state(id))

    def _sizes(self, cwd: str) -> FileSizes | None:
        """Sizes of the files around it, where its directory is on this machine."""
        setting, root = self.setting, Path(self.file.root.path)
        if not cwd or "\0" in cwd or is_remote(self.file.path) or not os.path.isdir(cwd):
            return None
        return ContextFiles(Path(cwd), root, setting.enterprise, setting.home)

    @property
    def head(self) -> RelationFacts:
        """What may link it to other sessions."""
        if self._head is None:
            self._head = relation_facts(self.file, self.main.fold)
        return self._head

    def hooks(self, owner: str = MAIN) -> list[HookEvent]:
        """Its hook events, oldest first; the same list until there are more.

        For its agents, which may be thousands, the store is asked once between two refreshes.
        """
        if owner and self._heard is not None and self._heard_in is self.setting:
            return self._heard[1]
        self._heard_in = self.setting
        spooled, id = self.setting.spooled, self.file.session_id
        told: list[HookEvent] = []
        if spooled and id:
            self._hook_events = self._hook_events or spooled.stored(self.file.project_id, id)
            told = spooled.of(self.file.project_id, id, self._hook_events)
        stamps = [(log.path, log.size, log.mtime_ns) for log in self.files.hook_logs]
        if self._heard is None or self._heard[0] != (stamps, len(told)):
            events = distinct_events([*self._logged(), *told])
            self._heard = (stamps, len(told)), events, hook_state(events)
        return self._heard[1]

    def _logged(self) -> Iterator[HookEvent]:
        lines = [line for log in self.files.hook_logs for line in whole_lines(log.path)]
        if self._swept is not None:
            lines += self._swept.lines(self._swept.sources(self.file), "hook_log")
        yield from (event for event in map(hook_event, lines) if event is not None)

    def usage(self) -> SessionUsage:
        """Its usage, each response once."""
        join = self._joined()
        join.update(self.file_folds(), self._ownership)
        if self._may_settle and not self.has_story:
            self._settle(join.usage)
        return join.usage

    def _settle(self, usage: SessionUsage) -> None:
        """Drop responses that are complete and counted: a day of work takes little memory."""
        owners = self._owners
        for fold in self.file_folds():
            keys = fold.usage.settle(owners.is_settled if owners else _anything)
            if keys:
                self._has_settled = True
                usage.settle(keys)
                if owners is not None:
                    owners.settle(keys)

    @property
    def is_exact(self) -> bool:
        """Whether an index was asked which responses are its own."""
        return self._ownership.is_exact

    @property
    def may_own_less(self) -> bool:
        """Whether the index changed since it was asked which responses are its own."""
        return self._owners is not None and self._owners.is_stale

    def errands(self, now: int) -> list[str]:
        """The tasks of the agents at work now."""
        self.setting = structs.replace(self.setting, now=now)
        return [self.errand(id) for id in self._agents_at_work() if not self._is_dismissed(id)]

    def missing(self) -> str:
        """A sentence on what is missing; "" if its transcript is here."""
        main = self.main
        if main.is_deleted:
            return "Its transcript is gone from disk: this is read from the archive."
        if main.is_swept and not is_remote(main.file.path):
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

    def registered(self) -> RegisteredProcess | None:
        """Its registry entry, and whether its process is alive."""
        known = Registry([self.file.root] if self.files.registry else []).sessions()
        return known.get(self.file.session_id or "")


def _anything(_: str) -> bool:
    return True


def _owners(setting: ReadingOptions, file: TranscriptFile) -> SessionOwners | None:
    if setting.owners is None:
        return None
    return SessionOwners(setting.owners, file.project_id, file.session_id or "")
