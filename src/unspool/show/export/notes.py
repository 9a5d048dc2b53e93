"""The closing notes of an export: version, date, what was redacted."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from unspool.model.api import RemovedSecrets
from unspool.show.numbers import plural

ANONYMOUS = "Anonymised: times, sizes and numbers are real, all words are replaced."
UNREDACTED = "Secrets are NOT redacted in this file. Do not share it."


class ExportInfo(Struct, frozen=True, kw_only=True):
    """By what and when a file is made; `taken` is asked at its end, None is "nothing was"."""

    version: str
    at: str
    taken: Callable[[], Sequence[RemovedSecrets]] | None = None
    is_anonymous: bool = False


class RedactedKind(Struct, frozen=True):
    """All of one kind, and the places they stood at."""

    told: str
    places: tuple[RemovedSecrets, ...]


def redacted_kinds(taken: Sequence[RemovedSecrets]) -> tuple[RedactedKind, ...]:
    """Kind by kind, the most frequent first."""
    found: dict[str, list[RemovedSecrets]] = {}
    for one in taken:
        found.setdefault(one.kind, []).append(one)
    counted = sorted(found.items(), key=lambda pair: -sum(one.count for one in pair[1]))
    return tuple(
        RedactedKind(plural(sum(one.count for one in places), kind), tuple(places))
        for kind, places in counted
    )


def redaction_note(taken: Sequence[RemovedSecrets]) -> str:
    """The whole of it in one line."""
    total = sum(one.count for one in taken)
    if not total:
        return "No secrets were found."
    told = ", ".join(kind.told for kind in redacted_kinds(taken))
    return f"Secrets are redacted in {plural(total, 'place')}: {told}."


def closing_note(made: ExportInfo) -> str:
    """What a file says of itself at its end."""
    if made.is_anonymous:
        return ANONYMOUS
    return UNREDACTED if made.taken is None else redaction_note(made.taken())
