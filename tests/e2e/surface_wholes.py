"""Rows and documents whole, name by name: what no extractor asks for is compared all the same.

Only fields that documents say to differ are left out, each with the reason.
"""

from typing import Any, Final, TypeAlias

Json: TypeAlias = dict[str, Any]
Facts: TypeAlias = dict[str, Any]

_OTHER_FILES: Final = "lists and boards open no other files than transcripts"
_MARKS: Final = "without an index an unmarked copy cannot be recognised"
# Of `session`, in rows and on the board.
ONLY_IN_DOCUMENTS: Final = dict.fromkeys(
    ("links", "taskList", "planFile", "planText", "job"), _OTHER_FILES
)
# Of the sums of a session whose copies are known by marks alone; bounds are compared instead.
ONLY_EXACT: Final = dict.fromkeys(
    (
        "inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens", "totalTokens",
        "ephemeral5mTokens", "ephemeral1hTokens", "costUsd", "unpriced", "lowerBound", "ownership",
    ),
    _MARKS,
)  # fmt: skip


def of_row(row: Json) -> Facts:
    """A row of a list: everything beside `session` and `metrics`, and these two."""
    others = (name for name in row if name not in ("session", "metrics"))
    return {**{f"row.{name}": row[name] for name in others}, **of_listed(row)}


def of_listed(row: Json) -> Facts:
    """What rows of lists and of the board have in common."""
    session = row["session"]
    names = (name for name in session if name not in ONLY_IN_DOCUMENTS)
    return {**{f"session.{name}": session[name] for name in names}, **of_total(row["metrics"])}


def of_total(total: Json) -> Facts:
    """The sums of a session."""
    is_exact = total["ownership"] == "exact"
    names = (name for name in total if is_exact or name not in ONLY_EXACT)
    return {f"total.{name}": total[name] for name in names}


def of_document(document: Json) -> Facts:
    """A document; sums of chunks, turns and agents apart, for they may be bounds."""
    session, metrics = document["session"], document["metrics"]
    parts = {name: document[name] for name in document.keys() - {"session", "metrics"}}
    is_exact = metrics["total"]["ownership"] == "exact"
    return {
        **{f"session.{name}": value for name, value in session.items()},
        **of_metrics(metrics),
        **of_parts(parts, is_exact=is_exact),
    }


def of_parts(parts: Json, *, is_exact: bool = True) -> Facts:
    """Some parts of a document."""
    found: Facts = {}
    for name, value in parts.items():
        if not isinstance(value, list):
            found[f"document.{name}"] = value
            continue
        found[f"document.{name}"] = [_plain(one) for one in value]
        if is_exact:
            found[f"document.{name}: sums"] = [_sums(one) for one in value]
    return found


def _plain(part: Json) -> Json:
    """Without what responses have used; a step has that of its agent, and those after it too."""
    plain = {name: value for name, value in part.items() if name != "metrics"}
    if "steps" in part:
        plain["steps"] = [
            {name: value for name, value in step.items() if not _is_sum(name, step)}
            for step in part["steps"]
        ]
    return plain


def _sums(part: Json) -> list[Any]:
    steps = part.get("steps", ())
    return [
        part.get("metrics"),
        *(value for step in steps for name, value in step.items() if _is_sum(name, step)),
    ]


def _is_sum(name: str, step: Json) -> bool:
    return name == "accumulatedContext" or (name == "tokens" and step["type"] == "subagent")


def of_metrics(metrics: Json) -> Facts:
    """A session's sums: its own, its agents', and what is said beside them."""
    total = of_total(metrics["total"])
    if metrics["total"]["ownership"] != "exact":
        return total
    return {**total, **{f"metrics.{name}": metrics[name] for name in metrics if name != "total"}}
