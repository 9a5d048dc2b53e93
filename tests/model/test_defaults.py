"""What nobody said is nothing: no count, flag or amount of a model is made up."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from unspool import model

# All that is more than nothing where nobody says otherwise.
MORE = {
    "ClientMessage.events": True,
    "EditQuery.limit": 50,
    "PolicyMessage.board_every_ms": 500,
    "PolicyMessage.most_rows": 500,
    "RemovedSecrets.count": 1,
    "RowFacts.is_displayable": True,
    "SessionLink.confidence": 1.0,
    "SessionListing.is_displayable": True,
    "SessionQuery.limit": 50,
    "SessionRow.is_displayable": True,
    "SessionSummary.displayable": True,
    "Subagent.depth": 1,
    "TextQuery.limit": 20,
    "WaitingRule.questions": True,
}
MORE_IN_TUPLES = {
    "ResponseFact.is_finished": True,
    "StatuslineTotals.is_session_whole": True,
    "StatuslineTotals.is_whole": True,
}


def classes() -> Iterator[type]:
    for module in pkgutil.iter_modules(model.__path__, f"{model.__name__}."):
        yield from (x for x in vars(import_module(module.name)).values() if isinstance(x, type))


def test_what_is_not_said_is_nothing_with_few_exceptions() -> None:
    given = {
        f"{one.__name__}.{field.name}": field.default
        for one in classes()
        if issubclass(one, Struct)
        for field in fields(one)
        if field.default is not NODEFAULT and isinstance(field.default, int | float)
    }

    assert len(given) > 100
    assert {name: default for name, default in given.items() if default} == MORE


def test_what_is_not_said_in_a_tuple_is_nothing_with_fewer_exceptions() -> None:
    given = {
        f"{one.__name__}.{name}": default
        for one in classes()
        for name, default in getattr(one, "_field_defaults", {}).items()
        if isinstance(default, int | float)
    }

    assert "Spend.searches" in given
    assert {name: default for name, default in given.items() if default} == MORE_IN_TUPLES
