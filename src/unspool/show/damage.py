"""What of a transcript could not be read as it was meant, in words."""

from unspool.model.document import Diagnostics, SessionMetrics
from unspool.show.money import format_usd, plural


def damage(found: Diagnostics) -> str:
    """How much of what; nothing where all is whole."""
    counts = (
        (found.bad_lines, "unreadable line", ""),
        (found.salvaged, "salvaged record", ""),
        (found.oversize, "oversize line", ""),
        (sum(found.unknown_types.values()), "entry of an unknown type", "entries of unknown types"),
    )
    return " · ".join(plural(count, one, many) for count, one, many in counts if count)


def ownership(metrics: SessionMetrics) -> list[str]:
    """What a session repeats of others, what only earlier files had, and how sure that is."""
    found, repeats, earlier = [], metrics.repeats, metrics.earlier_responses
    if repeats is not None:
        cost, whose = format_usd(repeats.cost_usd), ", ".join(id[:8] for id in repeats.sessions)
        many = "s" if len(repeats.sessions) > 1 else ""
        found.append(f"Repeats {cost} of session{many} {whose}, where it is counted.")
    if earlier:
        were = "response is" if earlier == 1 else "responses are"
        found.append(f"{earlier} {were} only in an earlier version of the file, and counted.")
    if metrics.total.ownership != "exact":
        found.append("At most: without an index, a copy that nothing marks is not recognised.")
    return found
