"""What was taken out of an export -> words: how many of which kind, and where each stood."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from unspool.model.api import RemovedSecrets
from unspool.show.money import plural

ANONYMOUS = "Anonymised: times, sizes and numbers are real, every word is made up."
UNREDACTED = "Secrets were NOT taken out of this file. Do not give it away."


class Made(Struct, frozen=True, kw_only=True):
    """By what and when a file is made; `taken` is asked at its end, None is "nothing was"."""

    version: str
    at: str
    taken: Callable[[], Sequence[RemovedSecrets]] | None = None
    is_anonymous: bool = False


class Kind(Struct, frozen=True):
    """All of one kind, and the places they stood at."""

    told: str
    places: tuple[RemovedSecrets, ...]


def kinds(taken: Sequence[RemovedSecrets]) -> tuple[Kind, ...]:
    """Kind by kind, the most frequent first."""
    found: dict[str, list[RemovedSecrets]] = {}
    for one in taken:
        found.setdefault(one.kind, []).append(one)
    counted = sorted(found.items(), key=lambda pair: -sum(one.count for one in pair[1]))
    return tuple(
        Kind(plural(sum(one.count for one in places), kind), tuple(places))
        for kind, places in counted
    )


def sentence(taken: Sequence[RemovedSecrets]) -> str:
    """The whole of it in one line."""
    total = sum(one.count for one in taken)
    if not total:
        return "No secrets were found in it."
    told = ", ".join(kind.told for kind in kinds(taken))
    return f"Secrets are left out at {plural(total, 'place')}: {told}."


def told(made: Made) -> str:
    """What a file says of itself at its end."""
    if made.is_anonymous:
        return ANONYMOUS
    return UNREDACTED if made.taken is None else sentence(made.taken())
