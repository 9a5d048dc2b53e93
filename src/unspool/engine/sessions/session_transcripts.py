"""The transcripts of one session: its own and its agents', read on as they grow.

The live board needs what each fold counts, a page also the story: see `Views`. A session that
only the board shows starts from what the index has, and is read from its start when a page
opens it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from unspool.decode.lines import decode
from unspool.decode.sidecars import agent_meta
from unspool.derive.agents.facts import FactsFold
from unspool.derive.status import at_rest
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.transcript import TranscriptFold, Views
from unspool.engine.archive.reader import SessionOutputs
from unspool.engine.sessions.options import ReadingOptions
from unspool.engine.transcripts.archived import ArchivedSessions, ArchivedTranscript
from unspool.engine.transcripts.from_hooks import HookTranscript
from unspool.engine.transcripts.reader import Listener, TranscriptReader
from unspool.errors import UnspoolError
from unspool.model.files import SessionFiles, TranscriptFile
from unspool.model.message import LinkFacts
from unspool.model.rows import SourceRow
from unspool.model.session import TranscriptState
from unspool.model.sidecars import AgentMeta
from unspool.remote_paths import is_remote
from unspool.source.files import is_gone, stat_file
from unspool.source.safe_open import read_whole
from unspool.source.session_files import session_files
from unspool.source.tail import line_spans
from unspool.store import Store

_LONGEST_SIDECAR: Final = 1024 * 1024
_LONGEST_LOG: Final = 64 * 1024 * 1024


class SessionTranscripts:
    """The main transcript, its agents', and what lies beside them; or `begun`, and that alone."""

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
        self.file = file
        self.setting = setting
        self._swept = swept
        self._views = views
        self._listener = listener
        self._sources: Mapping[str, SourceRow] | None = None  # what the index had when it began
        self._may_resume = Views.STORY not in views
        self._is_resumed = self._is_outdated = self._has_settled = False
        self._may_settle = True
        self.files = SessionFiles()
        self.agents: dict[str, TranscriptReader] = {}
        self._metas: dict[str, AgentMeta | None] = {}
        self._journals: dict[str, _Journal] = {}
        self._at_work: tuple[ReadingOptions, list[str]] | None = None
        self.main = begun or self._open_main()
        if begun is None:
            self._read_all()

    @property
    def has_story(self) -> bool:
        """Whether it has all that a page shows."""
        return Views.STORY in self._views

    @property
    def is_on_disk(self) -> bool:
        """Whether its main transcript was there when it was last read."""
        return not (self.main.is_gone or self.main.is_swept)

    def transcript(self, owner: str) -> TranscriptReader:
        """The file in which the lines of an agent, or of the main conversation, stand."""
        return self.agents.get(owner, self.main)

    def fold(self, owner: str) -> TranscriptFold:
        """What an agent, or the main conversation, says."""
        fold = self.transcript(owner).fold
        return fold.inline.get(owner, fold)

    def file_folds(self) -> list[TranscriptFold]:
        """What each of its files says."""
        return [self.main.fold, *(one.fold for one in self.agents.values())]

    def is_ongoing(self, owner: str) -> bool:
        """Whether an agent, or the main conversation, is at work now."""
        last_write, now = self.transcript(owner).last_write, self.setting.now
        last_line = self.fold(owner).known().last_activity
        return is_ongoing(self._state(owner).is_ongoing, last_write, last_line, now)

    def _state(self, owner: str) -> TranscriptState:
        state = self.fold(owner).status.state
        return at_rest(state) if self._is_dismissed(owner) else state

    def _is_dismissed(self, owner: str) -> bool:
        """Whether it is an inline agent whose call has ended."""
        fold = self.transcript(owner).fold
        return self.fold(owner) is not fold and not fold.status.has_sent

    def _agents_at_work(self) -> list[str]:
        """Asked for with every part of a page; made once for each look at the files."""
        if self._at_work is None or self._at_work[0] is not self.setting:
            ids = {**self.main.fold.inline, **self.agents}
            self._at_work = self.setting, [id for id in ids if self.is_ongoing(id)]
        return self._at_work[1]

    def last_line_at(self) -> int:
        """The time of the last line of any of its files."""
        folds = self.file_folds()
        inline = (inside for fold in folds for inside in fold.inline.values())
        return max(fold.status.state.last_at or 0 for fold in (*folds, *inline))

    def errand(self, id: str) -> str:
        """What an agent was sent to do, by its sidecar, else by its first prompt."""
        meta = self._metas.get(id)
        told = meta and (meta.description or meta.agent_type)
        return told or self.fold(id).known().goal or id

    @property
    def outputs(self) -> SessionOutputs:
        """Its long tool outputs."""
        file, store = self.file, self._swept.store if self._swept else None
        directory = os.path.join(os.path.dirname(file.path), file.session_id or "")
        return SessionOutputs(file.root.path, directory, store)

    @property
    def generations(self) -> tuple[int, ...]:
        """Changes when any of its files was rewritten, cut or replaced."""
        return self.main.generation, *(one.generation for one in self.agents.values())

    def _read_all(self) -> None:
        self._read(self.main)
        self._look_around()
        self._look_back()

    def _read_again(self) -> None:
        """Read every file from its start: what the index said does not hold, or is not enough."""
        self._at_work = None
        self._may_resume = self._is_resumed = False
        self._is_outdated = self._has_settled = False
        self.main, self.agents = self._open_main(), {}
        self._read_all()

    def _open_main(self) -> TranscriptReader:
        is_there = stat_file(self.file.path) is not None
        archived = self._swept.transcript(self.file) if self._swept and not is_there else None
        return archived or self._open(self.file)

    def _look_for_main(self) -> None:
        """Read a main transcript that was not there before, if it is by now."""
        found: TranscriptReader | None = None
        if self.main.is_gone and self._swept and is_remote(self.file.path):
            found = self._swept.transcript(self.file)
        elif isinstance(self.main, HookTranscript) and not is_gone(self.file.path):
            found = self._begin(self.file)
        self.main = found or self.main

    def _open(self, file: TranscriptFile) -> TranscriptReader:
        """A file from its start, or from what the index has of it; the rest is not read yet."""
        store = self.setting.owners.store if self.setting.owners else None
        if self._may_resume and self._listener is None and store is not None:
            with suppress(UnspoolError):
                reader, source = self._begin(file), self._stored(store).get(file.path)
                if source is not None and reader.resume(store, source):
                    self._resume_usage(store, reader)
                    return reader
        return self._begin(file)

    def _begin(self, file: TranscriptFile) -> TranscriptReader:
        listener = self._listener(file.agent_id or "") if self._listener else None
        return TranscriptReader(file, views=self._views, listener=listener)

    def _stored(self, store: Store) -> Mapping[str, SourceRow]:
        if self._sources is None:
            known = store.sources_of(self.file.project_id, self.file.session_id or "")
            self._sources = {os.path.join(one.root, one.path): one for one in known}
        return self._sources

    def _resume_usage(self, store: Store, reader: TranscriptReader) -> None:
        """The index knows what all its files have used: once is enough."""
        if not self._is_resumed:
            file = self.file
            responses = store.responses(file.project_id, file.session_id or "")
            reader.fold.usage.resume(responses)
            self._is_resumed = True

    def _read(self, reader: TranscriptReader, source: SourceRow | None = None) -> bool:
        """Read on; `source` is what was just asked of an archived file."""
        fold = reader.fold
        if source is not None and isinstance(reader, ArchivedTranscript):
            changed = reader.follow(source)
        else:
            changed = reader.refresh(self.setting.now)
        # What the index said, or what was settled, was of the file that stood here before.
        self._is_outdated |= reader.fold is not fold and (self._is_resumed or self._has_settled)
        if reader.fold.usage.is_reopened:
            self._is_outdated, self._may_settle = True, False
        return changed

    def _look_around(self) -> bool:
        file = self.file
        self.files = session_files(file.root, os.path.dirname(file.path), file.session_id or "")
        changed = False
        # An agent whose session is gone is read alone: those beside it are no agents of its own.
        for found in self.files.subagents if file.agent_id is None else ():
            changed |= self._read_agent(found)
        return changed | (self.has_story and self._look_at_journals())

    def _read_agent(self, found: TranscriptFile) -> bool:
        id = found.agent_id or ""
        agent = self.agents.get(id) or self._open(found)
        try:
            changed = not agent.has_all(found) and self._read(agent)
        except UnspoolError:
            return False  # one closed file does not close the session
        meta = self._meta(found.path)
        changed |= id not in self.agents or meta != self._metas.get(id)
        self.agents[id], self._metas[id] = agent, meta
        return changed

    def _meta(self, transcript: str) -> AgentMeta | None:
        path = self.files.metas.get(transcript)
        data = read_whole(path, _LONGEST_SIDECAR) if path else None
        return agent_meta(data) if data else None

    def _look_at_journals(self) -> bool:
        changed = False
        for file in self.files.journals:
            known, stamp = self._journals.get(file.path), (file.mtime_ns, file.size)
            if known is None or known.stamp != stamp:
                self._journals[file.path] = _journal(whole_lines(file.path), stamp)
                changed = True
        return changed

    def _look_back(self) -> bool:
        """Take in what the archive has and the disk has not."""
        if self._swept is None or self.file.agent_id is not None:
            return False
        sources = self._swept.sources(self.file)
        found = {source.source_id: source for source in sources}
        known = [agent for agent in self.agents.values() if agent.is_swept]
        changed = any([self._read(agent, found.get(agent.source_id)) for agent in known])
        metas = self._swept.metas(self.file)
        for agent in self._swept.agents(sources, self.agents):
            self.agents[agent.file.agent_id or ""] = agent
            changed = True
        for id, reader in self.agents.items():
            if reader.is_swept and metas.get(id) != self._metas.get(id):
                self._metas[id] = metas.get(id)
                changed = True
        return changed | self._look_at_archived_journals(self._swept, sources)

    def _look_at_archived_journals(
        self, swept: ArchivedSessions, sources: Sequence[SourceRow]
    ) -> bool:
        known = self._journals.get("")
        mine = [one for one in sources if one.kind == "journal"]
        stamp = len(mine), sum(one.offset for one in mine)
        if known is not None and known.stamp == stamp:
            return False
        self._journals[""] = journal = _journal(swept.lines(mine, "journal"), stamp)
        return known is None or journal.facts != known.facts

    def journals(self) -> Iterator[LinkFacts]:
        """What its workflows' journals say about agents."""
        return (one.facts for one in self._journals.values())


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


def whole_lines(path: str) -> list[bytes]:
    """The lines of a journal or an event log; none where it is too long."""
    data = read_whole(path, _LONGEST_LOG) or b""
    return [data[offset : offset + length] for offset, length in line_spans(data)]
