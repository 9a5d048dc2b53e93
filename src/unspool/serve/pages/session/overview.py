"""Figures of a whole session for its page, computed once for each version."""

from collections.abc import Iterable, Mapping
from functools import cache
from math import ceil
from time import monotonic
from typing import Final, NamedTuple

from msgspec import UNSET, Struct, structs

from unspool.derive.usage.prices import Pricer
from unspool.engine.sessions.session import SessionReader
from unspool.engine.sessions.session_cache import LockedSession
from unspool.model.document import Chunk, SessionDocument, Step, ToolExecution
from unspool.model.steps import SessionStep, StepFigures
from unspool.redact import Redactor
from unspool.serve.context import ServerContext
from unspool.show.html import session_page as views
from unspool.show.html.files_panel import EDITS, EditCall, file_edits
from unspool.show.html.session_outline import failed_calls, failure_exit, failure_name

# The longer it takes, the rarer it is done: at most an eighth of the time.
_SHARE: Final = 8.0
_MOST_EDITS: Final = 400
_FAR: Final = 4


class _CachedOverview(Struct, frozen=True):
    tag: str
    until: float
    overview: views.SessionOverview


class _Failure(NamedTuple):
    name: str  # in a few words
    exit: int | None


def session_overview(
    context: ServerContext, held: LockedSession, session: SessionReader, agent: str = ""
) -> views.SessionOverview:
    """The figures now; those of a long session that is being written may be a moment old."""
    cached: _CachedOverview | None = held.memo.get(("whole", agent))
    start = monotonic()
    if cached is not None and (cached.tag == held.tag or start < cached.until):
        return cached.overview
    sketch = clean(context.redactor, session.sketch())
    failures = _failures(context, held, session, sketch, agent)
    overview = views.session_overview(
        sketch,
        _edits(context, held, session, sketch, agent),
        _limit(context, sketch),
        StepFigures(
            _named_steps(context.redactor, session.steps()),
            session.context_points(),
            {id: one.name for id, one in failures.items()},
            {id: one.exit for id, one in failures.items() if one.exit is not None},
        ),
    )
    ready = monotonic()
    held.memo[("whole", agent)] = _CachedOverview(
        held.tag, ready + _SHARE * (ready - start), overview
    )
    return overview


def outdated_ms(held: LockedSession, agent: str = "") -> int:
    """How soon there can be figures of the session as it is now; 0 if the last ones are."""
    cached: _CachedOverview | None = held.memo.get(("whole", agent))
    if cached is None or cached.tag == held.tag:
        return 0
    return max(1, ceil((cached.until - monotonic()) * 1_000))


def clean(redactor: Redactor, sketch: SessionDocument) -> SessionDocument:
    """A sketch without secrets; only its few texts are searched, not its many numbers."""
    context = structs.replace(sketch.context, turns=())
    bare = structs.replace(sketch, chunks=(), tool_executions=(), context=context)
    words = redactor.value(bare)
    names = {one.name for one in sketch.tool_executions}
    names |= {step.name for chunk in sketch.chunks for step in _steps(chunk)}
    changed = {name: text for name in names if (text := redactor.text(name)) != name}
    return structs.replace(
        words,
        context=structs.replace(words.context, turns=sketch.context.turns),
        chunks=tuple(_named(chunk, changed) for chunk in sketch.chunks),
        tool_executions=tuple(
            structs.replace(one, name=changed[one.name]) if one.name in changed else one
            for one in sketch.tool_executions
        ),
    )


def _named_steps(redactor: Redactor, steps: Iterable[SessionStep]) -> tuple[SessionStep, ...]:
    clean = cache(redactor.text)
    return tuple(one._replace(name=clean(one.name)) if one.name else one for one in steps)


def _steps(chunk: Chunk) -> tuple[Step, ...]:
    return () if chunk.steps is UNSET else chunk.steps


def _named(chunk: Chunk, changed: Mapping[str, str]) -> Chunk:
    if not changed or not _steps(chunk):
        return chunk
    steps = (structs.replace(one, name=changed.get(one.name, one.name)) for one in _steps(chunk))
    return structs.replace(chunk, steps=tuple(steps))


def _limit(context: ServerContext, sketch: SessionDocument) -> int | None:
    """The model's context window; None if it is unknown, or far above what was used."""
    known = Pricer(context.config.prices).window(sketch.session.model or "", context.now())
    most = max((turn.measured for turn in sketch.context.turns), default=0)
    return known if known and most <= known <= _FAR * most else None


def _edits(
    context: ServerContext,
    held: LockedSession,
    session: SessionReader,
    sketch: SessionDocument,
    agent: str,
) -> list[EditCall]:
    """The edits of files; each is read once while its session is cached."""
    wanted = [one for one in sketch.tool_executions if one.name in EDITS and one.state == "ok"]
    if len(wanted) > _MOST_EDITS:
        return []
    known: dict[str, list[EditCall]] = held.memo.setdefault(("edits", agent), {})
    fresh = {one.tool_use_id for one in wanted} - set(known)
    for one in session.executions(fresh) if fresh else ():
        known[one.tool_use_id] = list(file_edits([_without_secrets(context, one)]))
    return [edit for one in wanted for edit in known.get(one.tool_use_id, ())]


def _failures(
    context: ServerContext,
    held: LockedSession,
    session: SessionReader,
    sketch: SessionDocument,
    agent: str,
) -> Mapping[str, _Failure]:
    """What failed, by call; each is read once while its session is cached."""
    found: dict[str, _Failure] = held.memo.setdefault(("failures", agent), {})
    fresh = set(failed_calls(sketch)) - set(found)
    for one in session.executions(fresh) if fresh else ():
        call = _without_secrets(context, one)
        found[one.tool_use_id] = _Failure(failure_name(call), failure_exit(call))
    return found


def _without_secrets(context: ServerContext, one: ToolExecution) -> ToolExecution:
    return context.redactor.value(one)
