"""The reference store's answers about what happened when: calls, responses, waits, compactions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from unspool.model.insights import (
    ActivityStrip,
    CallFact,
    CallSpan,
    PromptFact,
    ResponseFact,
    TimeSpan,
)
from unspool.model.query import CauseQuery, Scope, SessionKey
from unspool.model.rows import CallRow, HookRow, ResultRow, SourceRow, StoredLine
from unspool.store.memory_reader import MemoryReader
from unspool.store.memory_rows import is_of, name_of

# A request for approval may be recorded this long before its call is written.
_EARLY_MS = 2_000
_REFUSED = ("rejected", "interrupted")


class MemoryToolUse(NamedTuple):
    """What one file says of a call."""

    source: SourceRow
    id: str
    call: CallRow | None
    result: ResultRow | None

    @property
    def start(self) -> int | None:
        """When it was called."""
        return self.call.start_time if self.call else None

    @property
    def end(self) -> int | None:
        """When it was answered."""
        return self.result.end_time if self.result else None


class MemoryActivity(MemoryReader):
    """Goes through all batches for every question."""

    def strips(self, keys: Iterable[SessionKey]) -> dict[SessionKey, ActivityStrip]:
        return {key: self._strip(key) for key in keys if key in self._names}

    def _strip(self, key: SessionKey) -> ActivityStrip:
        lines = [line for source, line in self._lines(key) if source.kind == "main"]
        turns: dict[int, list[int]] = {}
        for line in lines:
            if line.turn > 0 and line.type in ("user", "assistant"):
                turns.setdefault(line.turn, []).append(_at(line))
        uses = [use for use in self._uses(key) if use.source.kind == "main"]
        starts = {use.id: use.start for use in uses if use.start is not None}
        agents = [row for row in self._agents.get(key, {}).values() if row.start_time is not None]
        return ActivityStrip(
            turns=tuple(sorted(TimeSpan(min(times), max(times)) for times in turns.values())),
            calls=tuple(sorted(_span(use) for use in uses if use.start is not None)),
            agents=tuple(
                sorted(
                    TimeSpan(row.start_time or 0, max(row.start_time or 0, row.end_time or 0))
                    for row in agents
                )
            ),
            waits=tuple(
                TimeSpan(starts[use], starts[use] + waited)
                for use, waited in self._waits(key).items()
                if use in starts
            ),
            cuts=tuple(sorted(_at(line) for line in lines if line.subtype == "compact_boundary")),
        )

    def facts_of(
        self,
        since: int,
        until: int,
        *,
        projects: Collection[str] | None = None,
        scope: Scope = None,
        sessions: Collection[int] | None = None,
    ) -> "MemoryFacts":
        return MemoryFacts(self, (since, until), projects, scope, sessions)

    def causes(self, query: CauseQuery) -> None:
        """Facts are added up when they are asked for."""

    def hook_times(self, session_id: str, key: str) -> list[int]:
        named = [name for name in self._names if name[1] == session_id]
        hooks = (hook for name in named for hook in self.hooks(*name))
        return sorted(hook.timestamp or 0 for hook in hooks if hook.key == key)

    def _lines(self, key: SessionKey) -> Iterator[tuple[SourceRow, StoredLine]]:
        for batch in self._current():
            if name_of(batch.source) == key:
                yield from ((batch.source, line) for line in batch.lines)

    def _uses(self, key: SessionKey) -> list[MemoryToolUse]:
        """Calls and answers; of two calls with one id in a file the first counts."""
        found: dict[tuple[int, str], MemoryToolUse] = {}
        for batch in self._current():
            if name_of(batch.source) != key:
                continue
            rows: list[CallRow | ResultRow] = [*batch.calls, *batch.results]
            for row in rows:
                place = batch.source.source_id, row.tool_use_id
                use = found.get(place) or MemoryToolUse(batch.source, row.tool_use_id, None, None)
                if isinstance(row, CallRow):
                    found[place] = use._replace(call=use.call or row)
                else:
                    found[place] = use._replace(result=use.result or row)
        return list(found.values())

    def _waits(self, key: SessionKey) -> dict[str, int]:
        hooks, found = self.hooks(*key), dict[str, int]()
        groups: dict[str, list[MemoryToolUse]] = {}
        for use in self._uses(key):
            groups.setdefault(use.id, []).append(use)
        for id, uses in groups.items():
            waited = _waited(uses, hooks)
            if waited:
                found[id] = waited
        return found

    def _number(self, key: SessionKey) -> int:
        return sorted(self._names).index(key)


class MemoryFacts:
    """Asks about some time."""

    def __init__(
        self,
        store: MemoryActivity,
        of: tuple[int, int],
        projects: Collection[str] | None,
        scope: Scope,
        sessions: Collection[int] | None,
    ) -> None:
        self._store, self._range = store, range(*of)
        self._named = [
            name
            for number, name in enumerate(sorted(store._names))
            if sessions is None or number in sessions
        ]
        self._wanted = [
            name
            for name in self._named
            if is_of(projects, name[0]) and store._is_within(name, scope)
        ]

    def calls(self) -> list[CallFact]:
        found: dict[tuple[int, str], CallFact] = {}
        every = (call for name in self._wanted for call in self._calls(name))
        for call in sorted(every, key=_order):
            known = found.get((call.session, call.tool_use_id))
            if known is None or (not known.state and call.state):
                found[call.session, call.tool_use_id] = call
        return list(found.values())

    def _calls(self, name: SessionKey) -> Iterator[CallFact]:
        for use in self._store._uses(name):
            if use.call is None or use.start is None:
                continue
            if use.call.line_id >> 22 not in self._range:
                continue
            took = None if use.end is None or use.end < use.start else use.end - use.start
            yield CallFact(
                self._store._number(name),
                use.call.agent_id or use.source.agent_id,
                use.call.name,
                use.start,
                took,
                use.result.state if use.result else "",
                *name,
                use.id,
            )

    def responses(self) -> list[ResponseFact]:
        found = []
        ledger = sorted(self._store._ledger(), key=lambda owned: owned.row.message_key)
        for project, session, row in ledger:
            name, tokens, at = (project, session), row.tokens, row.timestamp or 0
            if at not in self._range:
                continue
            if name in self._wanted:
                fact = ResponseFact(
                    self._store._number(name),
                    row.agent_id,
                    row.model,
                    at,
                    tokens.input,
                    tokens.output,
                    tokens.cache_read,
                    tokens.write_5m,
                    tokens.write_1h,
                    tokens.cache_write,
                    tokens.web_searches,
                    tokens.speed,
                    tokens.geo,
                    row.usd_pico,
                    *name,
                    row.is_finished,
                    *self._attribution(row.line_id),
                    row.line_id,
                )
                found.append(fact)
        return sorted(found, key=lambda one: (one.session, one.agent, one.at))

    def _attribution(self, line_id: int) -> tuple[str, str, str]:
        found = (one for batch in self._store._current() for one in batch.causes)
        row = next((one for one in found if one.line_id == line_id), None)
        return (row.skill, row.mcp_server, row.agent) if row else ("", "", "")

    def prompts(self) -> list[PromptFact]:
        return sorted(
            PromptFact(self._store._number(name), row.line_id >> 22, row.command)
            for batch in self._store._current()
            if batch.source.kind == "main" and (name := name_of(batch.source)) in self._named
            for row in batch.causes
            if row.command is not None and row.line_id >> 22 in self._range
        )

    def waits(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name in self._store._names:
            starts = {use.id: use.start or 0 for use in self._store._uses(name)}
            waits = self._store._waits(name).items()
            found |= {id: waited for id, waited in waits if starts[id] in self._range}
        return found

    def compactions(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for name in self._named:
            cuts = [_at(one) for _, one in self._store._lines(name) if _is_cut(one)]
            times = sorted(at for at in cuts if at in self._range)
            if times:
                found[self._store._number(name)] = times
        return found

    def agent_types(self) -> dict[tuple[int, str], str]:
        return {
            (self._store._number(name), row.agent_id): row.type
            for name, rows in self._store._agents.items()
            if name in self._named
            for row in rows.values()
        }

    def across(self) -> list[int]:
        used = {
            (project, session)
            for project, session, row in self._store._ledger()
            if (row.timestamp or 0) in self._range
        }
        found = ((name, self._store._sessions.get(name)) for name in sorted(used))
        return [
            self._store._number(name)
            for name, row in found
            if row is not None
            and any(at not in self._range for at in (row.start_time, row.last_activity) if at)
        ]

    def event_ids(self, lines: Collection[int]) -> dict[int, str]:
        return {
            line.line_id: f"{batch.source.source_id}.{batch.source.generation}.{line.offset}"
            for batch in self._store._current()
            for line in batch.lines
            if line.line_id in lines
        }


def _at(line: StoredLine) -> int:
    return line.line_id >> 22


def _order(call: CallFact) -> tuple[int, str, int, str, str]:
    return call.session, call.agent, call.start, call.tool_use_id, call.state


def _is_cut(line: StoredLine) -> bool:
    return line.subtype == "compact_boundary"


def _span(use: MemoryToolUse) -> CallSpan:
    start, is_error = use.start or 0, use.result is not None and use.result.state == "error"
    return CallSpan(start, max(start, use.end or start), is_error)


def _waited(uses: Sequence[MemoryToolUse], hooks: Sequence[HookRow]) -> int | None:
    """From the last request with the call's agent, tool and input to where the tool began.

    Where no request has the input, the only one without it counts.
    """
    use = min(uses, key=lambda one: (one.call is None, one.start or 0, one.source.source_id))
    answer = next((one for one in uses if one.result), None)
    own = [hook for hook in hooks if hook.tool_use_id == use.id != ""]
    posts = [hook for hook in own if hook.event_type.startswith("post_tool_use")]
    times = {type: _times(own, type) for type in ("pre_tool_use", "permission_denied")}
    is_refused = (
        answer is not None and answer.result is not None and (answer.result.state in _REFUSED)
    )
    refused = answer.end if answer and is_refused else None
    denied = min(times["permission_denied"], default=None)
    since = min(times["pre_tool_use"], default=(use.start or 0) - _EARLY_MS)
    ended = _first(min((hook.timestamp or 0 for hook in posts), default=None), denied, refused)
    began = min(((hook.timestamp or 0) - (hook.duration_ms or 0) for hook in posts), default=None)
    decided = _first(began, denied, refused)
    if not own or ended is None or decided is None:
        return None
    like = max((hook.agent_id, hook.tool_name) for hook in own)
    requests = [
        hook
        for hook in hooks
        if hook.tool_use_id == "" and hook.print and since <= (hook.timestamp or 0) <= ended
        if (hook.agent_id, hook.tool_name) == like
    ]
    same = [hook for hook in requests if hook.print == max(one.print for one in own)]
    if not same and len({hook.key for hook in requests}) != 1:
        return None
    return int(max(0, decided - max(hook.timestamp or 0 for hook in same or requests)))


def _times(hooks: Sequence[HookRow], type: str) -> list[int]:
    return [hook.timestamp or 0 for hook in hooks if hook.event_type == type]


def _first(*times: float | None) -> float | None:
    return next((at for at in times if at is not None), None)
