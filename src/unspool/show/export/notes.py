"""The closing notes of an export: version, date, what was redacted."""

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from unspool.model.api import RemovedSecrets
from unspool.show.numbers import plural

ANONYMOUS = "Anonymised: times, sizes and numbers are real; all words are replaced."
UNREDACTED = "Secrets are NOT redacted in this file. Do not share it."


class ExportInfo(Struct, frozen=True, kw_only=True):
    """By what and when a file is made; `taken` is asked at its end, None is "nothing was".

    `shown` takes the elements of a story: what else was redacted is not in the file.
    """

    version: str
    at: str
    shown: set[str] = field(default_factory=set)
    taken: Callable[[], Sequence[RemovedSecrets]] | None = None
    is_anonymous: bool = False


class RedactedKind(Struct, frozen=True):
    """All of one kind, and the places they stood at."""

    label: str
    places: tuple[RemovedSecrets, ...]


def redacted_kinds(secrets: Sequence[RemovedSecrets]) -> tuple[RedactedKind, ...]:
    """Kind by kind, the most frequent first."""
    by_kind: dict[str, list[RemovedSecrets]] = {}
    for one in secrets:
        by_kind.setdefault(one.kind, []).append(one)
    ranked = sorted(by_kind.items(), key=lambda pair: -sum(one.count for one in pair[1]))
    return tuple(
        RedactedKind(plural(sum(one.count for one in places), kind), tuple(places))
        for kind, places in ranked
    )


def redaction_note(secrets: Sequence[RemovedSecrets]) -> str:
    """The whole of it in one line."""
    total = sum(one.count for one in secrets)
    if not total:
        return "No secrets were found."
    kinds = ", ".join(kind.label for kind in redacted_kinds(secrets))
    return f"Secrets are redacted in {plural(total, 'place')}: {kinds}."


def closing_note(info: ExportInfo) -> str:
    """What a file says of itself at its end."""
    if info.is_anonymous:
        return ANONYMOUS
    return UNREDACTED if info.taken is None else redaction_note(info.taken())
