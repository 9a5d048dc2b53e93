"""Model names -> prices: one model has many names, by cloud, region, date and window."""

import re
from collections.abc import Mapping
from typing import TypeVar

Priced = TypeVar("Priced")

_WINDOW = re.compile(r"\[\d+[km]\]$")
_PROVIDER = re.compile(r"^(?:.*/)?(?:(?:[a-z-]+\.)?anthropic\.)?")
_REVISION = re.compile(r"-v\d+(?::\w+)*$")
_DATE = re.compile(r"-(?:\d{8}|latest|default)$")


def same(model: str, prices: Mapping[str, Priced]) -> Priced | None:
    """Find a model by its name as it stands, then without regard to case."""
    if (found := prices.get(model)) is not None:
        return found
    return {name.lower(): price for name, price in prices.items()}.get(model.lower())


def find(model: str, prices: Mapping[str, Priced], aliases: Mapping[str, str]) -> Priced | None:
    """Find a model under any of its names, the exact one first."""
    found = prices.get(model) or prices.get(aliases.get(model, ""))
    if found is not None:
        return found
    folded = {name.lower(): price for name, price in prices.items()}
    for name in spellings(model):
        found = folded.get(name) or folded.get(aliases.get(name, "").lower())
        if found is not None:
            return found
    return None


def spellings(model: str) -> list[str]:
    """The names a model may be priced under, from its own to the plainest."""
    name = model.strip().lower()
    bare = _REVISION.sub("", _PROVIDER.sub("", _WINDOW.sub("", name)))
    dated = bare.replace("@", "-")
    return [name, bare, dated, _DATE.sub("", dated)]
