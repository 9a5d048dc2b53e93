"""One session as it goes on -> its alerts, each once."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UNSET, Raw, structs

from unspool.derive.alerts.calls import CallAlerts
from unspool.derive.alerts.words import alert, dollars
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.texts import call_input, result_content
from unspool.derive.status import DROPS_CALLS
from unspool.derive.story.tools import Call
from unspool.derive.transcript import Record
from unspool.model.alerts import Alert, AlertRule, AlertScope, CostRule, TokensRule, WaitingRule
from unspool.model.document import PendingTool, Status, ToolExecution


class Once:
    """Lets each alert through once; `keys` are those told before."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._told = set(keys)

    def new(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Those not told before, which are now."""
        fresh = {one.key: one for one in alerts if one.key not in self._told}
        self._told.update(fresh)
        return list(fresh.values())


class OpenCalls:
    """Calls of one transcript that wait for a result, each with what the tool was given."""

    def __init__(self, agent: str = "") -> None:
        self._agent = agent
        self._threads: dict[str, dict[str, tuple[Call, bytes]]] = {}

    def executions(self, records: Iterable[Record]) -> Iterator[ToolExecution]:
        """An execution when its call is made, and again when it is answered."""
        for record in records:
            message = record.fresh
            if message is None:
                continue
            agent = self._agent or (message.agent_id if message.is_sidechain else "")
            calls = self._threads.setdefault(agent, {})
            if message.voice in DROPS_CALLS:
                calls.clear()
            for piece in message.pieces:
                if piece.kind == "call":
                    given = bytes(call_input(record.entry, piece))
                    calls[piece.id] = call = Call(message, piece, 0), given
                    yield _execution(*call)
                elif piece.kind == "result" and piece.id in calls:
                    made, given = calls.pop(piece.id)
                    made.reply, made.result = message, piece
                    yield _execution(made, given, result_content(record.entry, piece))


def _execution(call: Call, given: bytes, result: Raw | None = None) -> ToolExecution:
    return ToolExecution(
        tool_use_id=call.piece.id,
        name=call.piece.name,
        input=Raw(given),
        result=UNSET if result is None else result,
        state=call.state(may_run=True),
        start_time=iso(call.start),
        end_time=iso(call.end),
        duration_ms=call.duration,
        line=call.line,
        result_line=call.reply.line if call.reply else None,
    )


class SessionAlerts:
    """Feed it what happens; what was told before (`told`) is not told again."""

    def __init__(
        self, rules: Iterable[AlertRule], session: str, project: str = "", told: Iterable[str] = ()
    ) -> None:
        self._rules = tuple(rule for rule in rules if rule.project in project)
        self._session = session
        self._project = project
        self._calls = CallAlerts(self._rules, session, project)
        self._once = Once(told)

    def execution(self, execution: ToolExecution) -> list[Alert]:
        """A tool was called, or has answered."""
        return self._once.new(self._calls.feed(execution))

    def status(self, status: Status, pending: PendingTool | None, now: int) -> list[Alert]:
        """What the session is doing; to be asked again as time goes by."""
        return self._once.new(self._waiting(status, pending, now))

    def spent(self, tokens: int, pico: int, at: int | None) -> list[Alert]:
        """What the session has used so far, agents included."""
        found = thresholds(self._rules, "session", self._session, tokens, pico, at)
        return self._once.new(structs.replace(one, project=self._project) for one in found)

    def _waiting(self, status: Status, pending: PendingTool | None, now: int) -> Iterator[Alert]:
        since = millis(status.since)
        # A transcript alone cannot tell a tool that waits from one that runs.
        is_proven = status.evidence in ("registry", "hook")
        if status.state != "waiting_for_approval" or since is None or not is_proven:
            return
        what = f": {pending.name} {pending.summary}" if pending else ""
        for rule in self._rules:
            if isinstance(rule, WaitingRule) and now - since >= rule.seconds * 1_000:
                yield alert(
                    rule,
                    f"Waiting for approval for more than {rule.seconds} s{what}",
                    session=self._session,
                    about=str(since),
                    at=since + rule.seconds * 1_000,
                    project=self._project,
                )


def thresholds(
    rules: Sequence[AlertRule], of: AlertScope, name: str, tokens: int, pico: int, at: int | None
) -> Iterator[Alert]:
    """The limits passed by a session, or by a day, of which `name` is the id or the date."""
    session = name if of == "session" else ""
    about = "spent" if of == "session" else name
    for rule in rules:
        if isinstance(rule, TokensRule) and rule.of == of and tokens > rule.above:
            message = f"{tokens:,} tokens this {of}, more than {rule.above:,}"
        elif isinstance(rule, CostRule) and rule.of == of and pico > rule.above:
            message = f"{dollars(pico)} this {of}, more than {dollars(rule.above)}"
        else:
            continue
        yield alert(rule, message, session=session, about=about, at=at)
