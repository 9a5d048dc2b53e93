"""Filters of pages: what an address asks for, what a reader can choose from, and time ranges."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from litestar import Request
from msgspec import Struct

from unspool.engine import dates
from unspool.serve.context import ServerContext
from unspool.serve.problems import BadRequest
from unspool.show.html.sessions_page import FilterChoices
from unspool.show.labels import model_label

Pairs: TypeAlias = tuple[tuple[str, str], ...]

Query = TypeVar("Query", bound=Struct)

_EVER: Final = 2**62
_LONGEST: Final = 1_000
_DAYS: Final = re.compile("[0-9]{1,4}")


def page_query(request: Request[Any, Any, Any], kind: type[Query]) -> Query:
    """The parameters of an address as texts, cut to a length; those it does not have are empty."""
    values = {
        name: value[:_LONGEST]
        for name in kind.__struct_fields__
        if isinstance(value := request.query_params.get(name), str)
    }
    return kind(**values)


class TimeRange(NamedTuple):
    """`first` is None for all time; `until` is exclusive, both in milliseconds."""

    first: date | None
    since: int
    until: int


def time_range(name: str, now: int) -> TimeRange:
    """`today`, `month`, `all`, or a number of days up to and including today."""
    if name == "all":
        return TimeRange(None, 0, _EVER)
    today = local_day(now)
    counts = {"today": 1, "month": today.day}
    count = counts.get(name) or (int(name) if _DAYS.fullmatch(name) else 0)
    if not count:
        raise BadRequest("A range must be today, month, all or a number of days.")
    first = today - timedelta(days=count - 1)
    return TimeRange(first, dates.midnight(first), dates.midnight(today, days=1))


def local_day(now: int) -> date:
    """The day on this machine's clock."""
    return datetime.fromtimestamp(now / 1_000, UTC).astimezone().date()


def parse_day(text: str) -> date | None:
    """A day of a query string; None if it is empty."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadRequest("Write days as 2026-11-09.") from None


def project_choices(context: ServerContext) -> Pairs:
    """Every project by its name."""
    found = sorted(context.projects.all(), key=lambda one: (one.name.lower(), one.id))
    return _without_secrets(context, ((one.id, one.name or one.id) for one in found))


def filter_choices(context: ServerContext) -> FilterChoices:
    """Projects, branches and models."""
    facets = context.sessions.facets()
    return FilterChoices(
        projects=project_choices(context),
        branches=_without_secrets(context, ((name, name) for name in facets.branches)),
        models=_without_secrets(context, ((name, model_label(name)) for name in facets.models)),
        machines=machine_choices(context),
    )


def machine_choices(context: ServerContext) -> Pairs:
    """The machines that sessions are of, where there are several."""
    names = sorted(context.config.machines())
    return _without_secrets(context, ((name, name) for name in names)) if len(names) > 1 else ()


def _without_secrets(context: ServerContext, pairs: Iterable[tuple[str, str]]) -> Pairs:
    """A name that holds a secret is not offered, not even as a value."""
    clean = context.redactor.text
    return tuple((value, clean(text)) for value, text in pairs if clean(value) == value)
