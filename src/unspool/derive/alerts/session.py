"""One session as it goes on -> its alerts, each once."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from unspool.derive.alerts.calls import CallAlerts
from unspool.derive.alerts.words import alert, dollars
from unspool.derive.reading.clock import millis
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
