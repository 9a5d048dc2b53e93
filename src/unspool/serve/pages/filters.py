"""Filters of pages: what a reader can choose from, and the time range of a page."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from unspool.engine import dates
from unspool.serve.context import ServerContext
from unspool.serve.problems import BadRequest
from unspool.show.html.sessions_page import FilterChoices
from unspool.show.labels import model_label

Pairs: TypeAlias = tuple[tuple[str, str], ...]

_EVER: Final = 2**62
_DAYS: Final = re.compile("[0-9]{1,4}")


class TimeRange(NamedTuple):
    """`first` is None for all time; `until` is exclusive, both in milliseconds."""

    first: date | None
    since: int
    until: int


def time_range(name: str, now: int) -> TimeRange:
    """`today`, `all`, or a number of days up to and including today."""
    if name == "all":
        return TimeRange(None, 0, _EVER)
    count = 1 if name == "today" else int(name) if _DAYS.fullmatch(name) else 0
    if not count:
        raise BadRequest("A range is today, all, or a number of days.")
    today = datetime.fromtimestamp(now / 1_000, UTC).astimezone().date()
    first = today - timedelta(days=count - 1)
    return TimeRange(first, dates.midnight(first), dates.midnight(today, days=1))


def parse_day(text: str) -> date | None:
    """A day of a query string; None if it is empty."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadRequest("A day is written as 2026-11-09.") from None


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
    )


def _without_secrets(context: ServerContext, pairs: Iterable[tuple[str, str]]) -> Pairs:
    """A name that holds a secret is not offered, not even as a value."""
    clean = context.redactor.text
    return tuple((value, clean(text)) for value, text in pairs if clean(value) == value)
