"""What a reader may choose from: nothing that has to be hidden is offered, not even as a value."""

from collections.abc import Iterable
from typing import TypeAlias

from unspool.serve.desk import Desk
from unspool.show.html.sessions_page import FilterChoices
from unspool.show.labels import model_label

Pairs: TypeAlias = tuple[tuple[str, str], ...]


def projects(desk: Desk) -> Pairs:
    """Every project by its name."""
    found = sorted(desk.projects.all(), key=lambda one: (one.name.lower(), one.id))
    return _clean(desk, ((one.id, one.name or one.id) for one in found))


def every(desk: Desk) -> FilterChoices:
    """Projects, branches and models."""
    facets = desk.sessions.facets()
    return FilterChoices(
        projects=projects(desk),
        branches=_clean(desk, ((name, name) for name in facets.branches)),
        models=_clean(desk, ((name, model_label(name)) for name in facets.models)),
    )


def _clean(desk: Desk, pairs: Iterable[tuple[str, str]]) -> Pairs:
    clean = desk.around.redactor.text
    return tuple((value, clean(text)) for value, text in pairs if clean(value) == value)
