"""Folds of a transcript, or the hook events of a session -> the facts its row is made of."""

from collections.abc import Iterable
from typing import Final

from msgspec import MsgspecError, Raw, Struct, structs
from msgspec.json import Decoder as JsonDecoder
from msgspec.msgpack import Decoder, encode

from unspool.derive.reading.classify import classify
from unspool.derive.reading.clock import millis, moment
from unspool.derive.reading.heads import beginning
from unspool.derive.reading.speech import heard
from unspool.derive.session_facts import SessionFacts
from unspool.model.hooks import HookEvent
from unspool.model.query import SessionListing
from unspool.model.rows import SessionRow
from unspool.model.session import RowFacts, TranscriptState
from unspool.model.sidecars import RegistryEntry

_GOAL: Final = 200
_NOTHING: Final = RowFacts()
_FACTS: Final = frozenset(RowFacts.__struct_fields__)
_COLUMNS: Final = _FACTS.intersection(SessionRow.__struct_fields__)
_packed: Final = Decoder(RowFacts)
_payload: Final = JsonDecoder(dict[str, object])


class Counts(Struct, frozen=True):
    """What a fold counted in one file."""

    messages: int
    compactions: int | None = None
    lines: int | None = None
    bad_lines: int | None = None


def transcript_facts(about: SessionFacts, state: TranscriptState, counts: Counts) -> RowFacts:
    """What one transcript says; whose it is and what is known of its file is for others to add."""
    return RowFacts(
        cwd=about.cwd,
        title=about.title,
        goal=about.goal,
        recent_output=about.recent_output,
        slug=about.slug,
        git_branch=about.git_branch,
        model=about.model,
        version=about.version,
        entrypoint=about.entrypoint,
        start_time=about.start,
        end_time=about.end,
        last_activity=about.last_activity,
        message_count=about.message_count,
        is_displayable=about.displayable,
        models=about.models,
        files_modified=about.files_modified,
        todos=about.todos,
        pull_requests=about.pull_requests,
        cost_state=about.cost_state,
        is_subagent=about.is_subagent,
        state=state,
        **structs.asdict(counts),
    )


def agent_facts(about: SessionFacts) -> RowFacts:
    """What an agent's transcript says of a session whose own is gone."""
    facts = transcript_facts(about, TranscriptState(), Counts(0))
    return structs.replace(facts, origin="agents", is_subagent=False, message_count=None)


def join_agents(known: Iterable[RowFacts]) -> RowFacts:
    """A session of which only agents' transcripts are left: the first of them speaks for it."""
    agents = sorted(known, key=lambda facts: (facts.start_time or 0, facts.title))
    files = {path for facts in agents for path in facts.files_modified or ()}
    return structs.replace(
        agents[0],
        is_displayable=any(facts.is_displayable for facts in agents),
        end_time=max(facts.end_time or 0 for facts in agents) or None,
        last_activity=max(facts.last_activity or 0 for facts in agents) or None,
        models=tuple(sorted({model for facts in agents for model in facts.models or ()})),
        files_modified=tuple(sorted(files)),
    )


class HookSession:
    """What hook events tell of a session that may have no transcript, fed in any order."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.is_silent = True  # nothing is known of it yet
        self.cwd = self.prompt = self.model = self.transcript_path = ""
        self._prompt_rank, self._model_at = (True, 0), 0

    def feed(self, event: HookEvent, at: int | None = None) -> None:
        """Take in an event; `at` is its time where it does not say."""
        self.is_silent = False
        told = millis(event.timestamp)
        at = at if told is None else told
        if at is not None:
            self.first = at if self.first is None else min(at, self.first)
            self.last = at if self.last is None else max(at, self.last)
        if event.event_type in ("user_prompt_submit", "session_start") or not self.cwd:
            self._take(event, at or 0)

    def _take(self, event: HookEvent, at: int) -> None:
        told, is_prompt = fields(event.data), event.event_type == "user_prompt_submit"
        self.cwd = self.cwd or told.get("cwd", "")
        self.transcript_path = self.transcript_path or told.get("transcript_path", "")
        model = told.get("model", "")
        if is_prompt:
            self._hear(told.get("prompt", ""), at)
        if model and at >= self._model_at:
            self.model, self._model_at = model, at

    def _hear(self, text: str, at: int) -> None:
        """The first prompt of a person; else what another session or program sent first."""
        prompt, rank = beginning(heard(text), _GOAL), (classify(text)[0] != "user", at)
        if prompt and (not self.prompt or rank < self._prompt_rank):
            self.prompt, self._prompt_rank = prompt, rank

    def facts(self, project_id: str, session_id: str) -> RowFacts:
        """The facts of a session that nothing else tells of; without any event, the registry."""
        return RowFacts(
            session_id=session_id,
            project_id=project_id,
            origin="registry" if self.is_silent else "hook",
            transcript_path=self.transcript_path,
            cwd=self.cwd,
            title=self.prompt,
            goal=self.prompt,
            model=self.model or None,
            start_time=self.first,
            end_time=self.last,
            last_activity=self.last,
        )


def hook_facts(events: Iterable[HookEvent], project_id: str, session_id: str) -> RowFacts:
    """What some events tell of their session."""
    told = HookSession()
    for event in events:
        told.feed(event)
    return told.facts(project_id, session_id)


def with_hooks(facts: RowFacts, hooks: RowFacts, *, is_alive: bool) -> RowFacts:
    """What a transcript in which there is nothing to read says, and hooks or a process beside it.

    It is worth showing once a hook has heard a prompt, and for as long as its process is alive.
    """
    if not hooks.goal and not is_alive:
        return facts
    starts = [at for at in (facts.start_time, hooks.start_time) if at is not None]
    ends = [at for at in (facts.end_time, hooks.end_time) if at is not None]
    last = [at for at in (facts.last_activity, hooks.last_activity) if at is not None]
    return structs.replace(
        facts,
        origin=hooks.origin,
        is_displayable=True,
        cwd=facts.cwd or hooks.cwd,
        title=facts.title or hooks.title,
        goal=facts.goal or hooks.goal,
        model=hooks.model or facts.model,
        start_time=min(starts, default=None),
        end_time=max(ends, default=None),
        last_activity=max(last, default=None),
    )


def with_registry(facts: RowFacts, entry: RegistryEntry) -> RowFacts:
    """What is known of a session without a transcript, and its place in the live registry."""
    began, lately = moment(entry.started_at), moment(entry.updated_at)
    start = facts.start_time or began
    end = max(facts.end_time or 0, lately or 0, start or 0) or None
    return structs.replace(
        facts,
        cwd=facts.cwd or entry.cwd or "",
        title=entry.name or facts.title,
        version=facts.version or entry.version,
        entrypoint=facts.entrypoint or entry.entrypoint,
        start_time=start,
        end_time=end,
        last_activity=max(facts.last_activity or 0, end or 0) or None,
    )


def index_row(facts: RowFacts) -> SessionRow:
    """The facts as the index keeps them."""
    rest = structs.replace(facts, **{name: getattr(_NOTHING, name) for name in _COLUMNS})
    stated = facts.cost_state
    return SessionRow(
        **{name: getattr(facts, name) for name in _COLUMNS},
        cost_state_usd=stated.total_cost_usd if stated else None,
        facts=b"" if rest == _NOTHING else encode(rest),
    )


def stored_facts(row: SessionRow | SessionListing) -> RowFacts:
    """What the index knows; of what another version has packed nothing is known."""
    try:
        rest = _packed.decode(row.facts) if row.facts else _NOTHING
    except (MsgspecError, RecursionError, UnicodeError):
        rest = _NOTHING
    shown = _FACTS.intersection(row.__struct_fields__)
    return structs.replace(rest, **{name: getattr(row, name) for name in shown})


def fields(data: Raw | bytes) -> dict[str, str]:
    """The texts of a payload, by name."""
    try:
        found = _payload.decode(data)
    except (MsgspecError, RecursionError, UnicodeError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def whereabouts(data: Raw | bytes) -> tuple[str, str]:
    """Where a payload says its transcript will lie, and its working directory."""
    told = fields(data)
    return told.get("transcript_path", ""), told.get("cwd", "")
