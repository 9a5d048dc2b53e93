"""All files of one session, read and kept in step with the disk."""

import os

from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode
from unspool.decode.sidecars import agent_meta, registry_entry
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.whole import AgentPart, Whole
from unspool.model.files import RegistryFile, SessionFiles, TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.sidecars import AgentMeta, RegistryEntry
from unspool.recall.setting import Setting
from unspool.recall.transcript import Transcript, opened
from unspool.source.lines import scan
from unspool.source.reader import read_whole
from unspool.source.registry import registry
from unspool.source.sessions import session_files

_LONGEST_SIDECAR = 1024 * 1024
_LONGEST_LOG = 64 * 1024 * 1024


class Reel:
    """The main transcript, its agents' and what lies beside them."""

    def __init__(self, file: TranscriptFile, setting: Setting) -> None:
        self.file = file
        self.setting = setting
        self.main = opened(file, setting.now)
        self.agents: dict[str, Transcript] = {}
        self.files = SessionFiles()
        self._metas: dict[str, AgentMeta | None] = {}
        self._whole: Whole | None = None
        self._look_around()

    def refresh(self, setting: Setting) -> bool:
        """Take in what was written since; True where anything changed."""
        self.setting = setting
        changed = self.main.refresh(setting.now)
        changed |= self._look_around()
        if changed:
            self._whole = None
        return changed

    def _look_around(self) -> bool:
        file = self.file
        project = os.path.dirname(file.path)
        self.files = session_files(file.root, project, file.session_id or "")
        changed = False
        for found in self.files.subagents:
            if found.path == file.path:
                continue
            id = found.agent_id or ""
            agent = self.agents.setdefault(id, Transcript(found))
            changed |= agent.refresh(self.setting.now)
            self._metas[id] = self._meta(found.path)
        for journal in self.files.journals:
            self._read_journal(journal.path)
        return changed

    def _meta(self, transcript: str) -> AgentMeta | None:
        path = self.files.metas.get(transcript)
        data = read_whole(path, _LONGEST_SIDECAR) if path else None
        return agent_meta(data) if data else None

    def _read_journal(self, path: str) -> None:
        # Facts are kept by agent: a journal read again says nothing twice.
        for line in _lines(path):
            for entry in decode(line):
                self.main.fold.facts.feed_beside(entry)

    @property
    def whole(self) -> Whole:
        """The session with its agents joined, as of the last refresh."""
        if self._whole is None:
            parts = [
                AgentPart(agent.fold, self._metas.get(id), self.is_ongoing(agent))
                for id, agent in self.agents.items()
            ]
            self._whole = Whole(self.main.fold, parts, self.setting.prices)
        return self._whole

    def is_ongoing(self, transcript: Transcript) -> bool:
        """Whether somebody is at work on a transcript now."""
        return is_ongoing(transcript.fold.ongoing, transcript.last_write, self.setting.now)

    @property
    def directory(self) -> str:
        """Where the session keeps its agents and long results."""
        return os.path.join(os.path.dirname(self.file.path), self.file.session_id or "")

    def hooks(self) -> list[HookEvent]:
        """What hooks logged about this session."""
        paths = [log.path for log in self.files.hook_logs]
        found = [hook_event(line) for path in paths for line in _lines(path)]
        return [event for event in found if event is not None]

    def registered(self) -> tuple[RegistryEntry | None, bool | None]:
        """The session's entry in the live registry, and whether its process lives."""
        entries: list[RegistryFile] = registry(self.file.root.path) if self.files.registry else []
        for one in entries:
            entry = registry_entry(one.data)
            if entry is not None and entry.session_id == self.file.session_id:
                return entry, one.alive
        return None, None

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
