"""Alert rules, and the alerts they raise."""

from typing import Literal, TypeAlias

from msgspec import Struct

AlertScope: TypeAlias = Literal["call", "session", "day"]
TokenShare: TypeAlias = Literal["total", "input", "output"]


class Rule(Struct, frozen=True, kw_only=True):
    """Fields of every rule; `project` is part of a project's id, '' is every project."""

    name: str
    project: str = ""


class WaitingRule(Rule, frozen=True, kw_only=True):
    """A session has waited for approval for this long; or for an answer, unless told otherwise."""

    seconds: int
    questions: bool = True


class QuestionRule(Rule, frozen=True, kw_only=True):
    """A session has a question for the user, or a plan to approve."""


class FinishedRule(Rule, frozen=True, kw_only=True):
    """A session has done what it was asked, and waits for the next prompt."""


class LimitedRule(Rule, frozen=True, kw_only=True):
    """A session was stopped by its usage limit."""


class FailedRule(Rule, frozen=True, kw_only=True):
    """A session was stopped by an API error."""


class QuotaRule(Rule, frozen=True, kw_only=True):
    """More of a usage limit is used than this, in percent; without a window, of any."""

    above: int
    window: Literal["", "5h", "7d"] = ""


class FailingRule(Rule, frozen=True, kw_only=True):
    """The same command has failed this often, without a success in between."""

    times: int


class EditingRule(Rule, frozen=True, kw_only=True):
    """The same file was edited this often in one session."""

    times: int


class ErrorRule(Rule, frozen=True, kw_only=True):
    """A tool has failed; rejections and interruptions do not count."""

    tool: str = ""
    ignore: tuple[str, ...] = ()


class InputRule(Rule, frozen=True, kw_only=True):
    """A tool's input matches a pattern; without a field, any part of it."""

    matches: str
    tool: str = ""
    field: str = ""
    ignore: tuple[str, ...] = ()


class TokensRule(Rule, frozen=True, kw_only=True):
    """More tokens than this: of one call (estimated), a session or a day (counted)."""

    above: int
    of: AlertScope = "call"
    share: TokenShare = "total"
    tool: str = ""


class CostRule(Rule, frozen=True, kw_only=True):
    """More money than this, in picodollars."""

    above: int
    of: AlertScope = "session"


AlertRule: TypeAlias = (
    WaitingRule
    | QuestionRule
    | FinishedRule
    | LimitedRule
    | FailedRule
    | QuotaRule
    | FailingRule
    | EditingRule
    | ErrorRule
    | InputRule
    | TokensRule
    | CostRule
)


class Alert(Struct, frozen=True, kw_only=True, rename="camel"):
    """One alert; `key` is the same whenever the same thing is found again."""

    rule: str
    session: str  # '' where it is about a day
    at: int | None
    message: str
    key: str
    project: str = ""
    tool_use_id: str = ""
    title: str = ""  # of the session, with its project
