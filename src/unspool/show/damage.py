"""What of a transcript could not be read as it was meant, in words."""

from unspool.model.document import Diagnostics
from unspool.show.money import plural


def damage(found: Diagnostics) -> str:
    """How much of what; nothing where all is whole."""
    counts = (
        (found.bad_lines, "unreadable line", ""),
        (found.salvaged, "salvaged record", ""),
        (found.oversize, "oversize line", ""),
        (sum(found.unknown_types.values()), "entry of an unknown type", "entries of unknown types"),
    )
    return " · ".join(plural(count, one, many) for count, one, many in counts if count)
