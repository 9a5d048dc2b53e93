"""Figures of a whole session for its page, computed once for each version."""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from msgspec import UNSET, Struct, structs

from unspool.derive.usage.prices import Pricer
from unspool.engine.sessions.session import SessionReader
from unspool.engine.sessions.session_cache import LockedSession
from unspool.model.document import Chunk, SessionDocument, Step, ToolExecution
from unspool.redact import Redactor
from unspool.serve.context import ServerContext
from unspool.show.html import session_page as views
from unspool.show.html.session_sidebar import EDITS, edited_lines

# The longer it takes, the rarer it is done: at most an eighth of the time.
_SHARE: Final = 8.0
_MOST_EDITS: Final = 400
_FAR: Final = 4


class _CachedOverview(Struct, frozen=True):
    tag: str
    until: float
    overview: views.SessionOverview


def session_overview(
    context: ServerContext, held: LockedSession, session: SessionReader, agent: str = ""
) -> views.SessionOverview:
    """The figures now; those of a long session that is being written may be a moment old."""
    cached: _CachedOverview | None = held.memo.get(("whole", agent))
    start = monotonic()
    if cached is not None and (cached.tag == held.tag or start < cached.until):
        return cached.overview
    sketch = clean(context.redactor, session.sketch())
    overview = views.session_overview(
        sketch, _edited(context, held, session, sketch, agent), _limit(context, sketch)
    )
    ready = monotonic()
    held.memo[("whole", agent)] = _CachedOverview(
        held.tag, ready + _SHARE * (ready - start), overview
    )
    return overview


def is_current(held: LockedSession, agent: str = "") -> bool:
    """Whether the last figures are of the session as it is now."""
    cached: _CachedOverview | None = held.memo.get(("whole", agent))
    return cached is not None and cached.tag == held.tag


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


def _edited(
    context: ServerContext,
    held: LockedSession,
    session: SessionReader,
    sketch: SessionDocument,
    agent: str,
) -> Mapping[str, tuple[int, int]]:
    """Lines added and removed, by file; each edit is read once while its session is cached."""
    wanted = [one for one in sketch.tool_executions if one.name in EDITS and one.state == "ok"]
    if len(wanted) > _MOST_EDITS:
        return {}
    known: dict[str, Any] = held.memo.setdefault(("edits", agent), {})
    fresh = {one.tool_use_id for one in wanted} - set(known)
    for one in session.executions(fresh) if fresh else ():
        known[one.tool_use_id] = edited_lines([_without_secrets(context, one)])
    counts: dict[str, tuple[int, int]] = {}
    for one in wanted:
        for path, (added, removed) in known.get(one.tool_use_id, {}).items():
            so_far = counts.get(path, (0, 0))
            counts[path] = so_far[0] + added, so_far[1] + removed
    return counts


def _without_secrets(context: ServerContext, one: ToolExecution) -> ToolExecution:
    return context.redactor.value(one)
