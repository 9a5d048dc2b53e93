"""What one surface says of a session -> plain field names and values, the same for every surface.

Money is whole picodollars, times are ISO strings. What a surface does not say is left out; what
it says is unknown is None. A surface that shows rounded words gives them as `Shown`.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from html import unescape
from typing import Any, Final, TypeAlias

from tests.e2e import surface_wholes as wholes
from unspool.derive.reading.clock import iso
from unspool.model.usage import UNKNOWN_AGENT
from unspool.show import labels, spans, times
from unspool.show.numbers import format_count, format_usd

Json: TypeAlias = dict[str, Any]
Facts: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]  # project and session

_PICO: Final = 10**12
HEAD: Final = 40
TOKENS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
_MARKS: Final[tuple[str, ...]] = ("pinned", "hidden")
_WORDS: Final = {sign.word: state for state, sign in labels.STATUSES.items()}
_RIGHT: Final = ("LENGTH", "COST", "TOKENS", "AGENTS")
_RATES: Final = ("input", "output", "cache_read")
_RATED: Final = {one.replace("_", " "): f"{one}_tokens" for one in _RATES}


class Shown(str):
    """A value in the words a reader sees."""

    __slots__ = ()


class AtMost(int):
    """A sum that says of itself that other sessions may own some of it."""

    __slots__ = ()


class ShownAtMost(Shown):
    """The same in the words a reader sees."""

    __slots__ = ()


def _count(name: str, facts: Facts) -> str:
    return format_count(facts[name])


# How an exact value is written where a reader sees it.
WRITTEN: Final[dict[str, Callable[[Facts], str]]] = {
    "usd": lambda facts: format_usd(facts["usd"] and facts["usd"] / _PICO),
    **{name: partial(_count, name) for name in ("tokens", *TOKENS)},
    "duration": lambda facts: times.duration(facts["duration"]) if facts["duration"] else "",
    "title": lambda facts: heading(labels.title_label(facts["title"] or facts.get("goal") or "")),
    "until": lambda facts: times.clock(facts["until"]),
    "recent_output": lambda facts: (facts["recent_output"] or "")[:HEAD],
    "models": lambda facts: ", ".join(map(labels.model_label, facts["models"] or ())),
}


def heading(text: str) -> Shown:
    """The beginning of a title: where there is little room, no more of it is shown."""
    return Shown(text[:HEAD])


def pico(usd: float | None) -> int | None:
    """Dollars of a document as whole picodollars."""
    return None if usd is None else round(usd * _PICO)


def of_metrics(metrics: Json) -> Facts:
    """The sums of a session."""
    sums = {
        "usd": pico(metrics["costUsd"]),
        "tokens": metrics["totalTokens"],
        "input_tokens": metrics["inputTokens"],
        "output_tokens": metrics["outputTokens"],
        "cache_read_tokens": metrics["cacheReadTokens"],
        "cache_creation_tokens": metrics["cacheCreationTokens"],
    }
    if metrics["ownership"] != "exact":
        sums = {name: value if value is None else AtMost(value) for name, value in sums.items()}
    return {
        **sums,
        "counted_messages": metrics["messageCount"],
        "unpriced": metrics["unpriced"],
        "lower_bound": metrics["lowerBound"],
        "counted_duration": metrics["durationMs"],
        "stated_usd": pico((metrics["costState"] or {}).get("totalCostUsd")),
        "at_most": metrics["ownership"] != "exact",
    }


def of_session(session: Json) -> Facts:
    """The part that rows, documents and the board have in common."""
    pending = session["pendingTool"]
    return {
        "title": session["title"],
        "goal": session["goal"],
        "recent_output": session["recentOutput"],
        "model": session["model"],
        "models": session["models"],
        "origin": session["origin"],
        "start": session["startTime"],
        "end": session["endTime"],
        "duration": session["durationMs"],
        "state": session["status"]["state"],
        "since": session["status"]["since"],
        "evidence": session["status"]["evidence"],
        **of_stop(session["status"]),
        "pending": pending and pending["toolUseId"],
        "pending_summary": pending and pending["summary"],
        "entrypoint": session["entrypoint"],
        "files_modified": session["files"] and session["files"]["modified"],
        "branch": session["gitBranch"],
        "version": session["version"],
        "cwd": session["projectPath"],
        "project_name": session["projectName"],
        **of_group(session["projectGroup"]),
    }


def of_stop(status: Json | None) -> Facts:
    """The limit or the error that stopped a session, if one did."""
    is_stopped = status is not None and status["state"] in ("limited", "failed")
    told = status if status is not None and is_stopped else {"until": None, "error": ""}
    return {"stopped": is_stopped, "until": told["until"], "error": told["error"]}


def reset_shown(text: str) -> Facts:
    """When a limit is reset, where a reader is told: the time of day, which ends it."""
    found = re.search(r"(?:resets|until) (?:[A-Z]\w\w )?(\d\d:\d\d)", text)
    return {"until": Shown(found[1] if found else "")}


def of_group(group: Json | None) -> Facts:
    """The project that a checkout belongs to."""
    return {"group": group and group["id"], "group_name": group and group["name"]}


def key_of(session: Json) -> Key:
    """Which session a row, a document or a line of the board is about."""
    return session["projectId"], session["id"]


def key_meant(names: Mapping[Key, str], session: str, project: str, others: Container[Key]) -> Key:
    """Which session text means by an id and a project's name, apart from these others."""
    keys = [key for key in names if key[1] == session and key not in others]
    same = [key for key in keys if names[key] == project]
    return max(same or keys or [(project, session)])


def of_row(row: Json) -> Facts:
    """A row of `ls --json`, of the library, or of the list over HTTP."""
    marks = {name: row[name] for name in _MARKS if name in row}
    return {
        **wholes.of_row(row),
        **of_session(row["session"]),
        **of_metrics(row["metrics"]),
        **marks,
        "agent_count": row["agents"],
        "compactions": row["compactions"],
        "lines": row["lines"],
        "path": row["path"],
        "bad_lines": row["badLines"],
        "last_activity": row["lastActivity"],
        "bytes": row["bytes"],
        "message_count": row["messageCount"],
        "ongoing": row["isOngoing"],
        "source_gone": row["sourceGone"],
    }


def of_document(document: Json) -> Facts:
    """A session's document."""
    marks = {name: document[name] for name in _MARKS if name in document}
    agents = {one["id"]: pico(one["metrics"]["costUsd"]) for one in document["subagents"]}
    link = document["session"]["links"]["forkedFrom"]
    found = document["diagnostics"]
    # Without a transcript a document has nothing to count, and a row says null.
    has_own = found["lines"] > 0
    compactions = sum(chunk["type"] == "compact" for chunk in document["chunks"])
    return {
        **wholes.of_document(document),
        **of_session(document["session"]),
        **of_metrics(document["metrics"]["total"]),
        **marks,
        "agents": agents,
        "agent_links": {
            one["id"]: (one["parentTaskId"] or "", one["parentAgentId"] or "", one["proof"])
            for one in document["subagents"]
        },
        "agent_facts": {
            one["id"]: (
                one["depth"],
                one["subagentType"],
                one["description"],
                one["startTime"],
                one["endTime"],
            )
            for one in document["subagents"]
        },
        "agents_at_work": [one["id"] for one in document["subagents"] if one["isOngoing"]],
        "subagents_usd": pico(document["metrics"]["subagents"]["costUsd"]),
        "reported_responses": document["metrics"]["reportedResponses"],
        "agent_count": len(agents) if has_own or agents else None,
        "compactions": compactions if has_own else None,
        "lines": found["lines"] if has_own else None,
        "bad_lines": found["badLines"] + found["oversize"] if has_own else None,
        "capped": found["capped"],
        "forked_from": link and link["sessionId"],
        "main_calls": states(document),
        "chunks": [chunk["type"] for chunk in document["chunks"]],
    }


def states(document: Json) -> dict[str, str]:
    """How each tool call of a document ended."""
    return {call["toolUseId"]: call["state"] for call in document["toolExecutions"]}


def of_board(row: Json) -> Facts:
    """A line of the board."""
    more = {"today_usd": pico(row["today"]["costUsd"]), "context": row["contextTokens"]}
    known = {**of_session(row["session"]), **of_metrics(row["metrics"])}
    return {**wholes.of_listed(row), **known, **more}


def of_cost(row: Json) -> Facts:
    """A session in a report on costs."""
    return {
        "usd": pico(row["totalCost"]),
        "tokens": row["totalTokens"],
        "input_tokens": row["inputTokens"],
        "output_tokens": row["outputTokens"],
        "cache_read_tokens": row["cacheReadTokens"],
        "cache_creation_tokens": row["cacheCreationTokens"],
        "unpriced": row["unpriced"],
        "lower_bound": row["lowerBound"],
        "responses": row["responses"],
        "used_models": sorted(row["modelsUsed"]),
    }


def of_explanation(found: Json) -> Facts:
    """What `cost explain` says."""
    counts = dict.fromkeys(TOKENS, 0)
    for charge in found["charges"]:
        for kind in charge["kinds"]:
            counts[_RATED.get(kind["kind"], "cache_creation_tokens")] += kind["tokens"]
    priced = {} if found["unpriced"] else {**counts, "tokens": sum(counts.values())}
    return {
        "usd": pico(found["totalCost"]),
        "unpriced": list(found["unpriced"]),
        "lower_bound": bool(found["lowerBound"]),
        "responses": found["responses"],
        "stated_usd": pico(found["costStateUsd"]),
        **priced,
    }


def of_session_view(row: Json) -> Facts:
    """A row of the SQL view `sessions`; a hub's has no marks, statuses and groups."""
    counts = {name: row[name] for name in TOKENS}
    return {
        **counts,
        "usd": None if row["unpriced"] and not row["usd_pico"] else row["usd_pico"],
        "tokens": sum(counts.values()),
        "title": row["title"],
        "goal": row["goal"],
        "recent_output": row["recent_output"],
        "model": row["model"],
        "origin": row["origin"],
        "start": iso(row["start_time"]),
        "end": iso(row["end_time"]),
        "last_activity": iso(row["last_activity"]),
        "entrypoint": row["entrypoint"],
        "branch": row["git_branch"],
        "version": row["version"],
        "cwd": row["cwd"],
        "agent_count": row["agents"],
        "compactions": row["compactions"],
        "lines": row["lines"],
        "path": row["transcript_path"] or None,
        "bad_lines": row["bad_lines"],
        "message_count": row["message_count"],
        "bytes": row["bytes"],
        "source_gone": bool(row["source_gone"]),
        "stated_usd": pico(row["cost_state_usd"]),
        "displayable": bool(row["is_displayable"]),
        **(_said_by_unspool(row) if "status" in row else {}),
    }


def _said_by_unspool(row: Json) -> Facts:
    """What its own SQL says at the time of the query."""
    return {
        "state": row["status"],
        "evidence": row["status_evidence"],
        "since": iso(row["status_since"]),
        **of_stop(
            {
                "state": row["status"],
                "until": iso(row["status_until"]),
                "error": row["status_error"],
            }
        ),
        "group": row["project_group"],
        "group_name": row["project_group_name"],
        "pinned": bool(row["pinned"]),
        "hidden": bool(row["hidden"]),
        "listed": bool(row["is_displayable"]) and not row["hidden"],
    }


def of_usage_view(rows: Iterable[Json]) -> Facts:
    """A session's rows of the SQL view `usage`."""
    found = list(rows)
    counts = {name: sum(row[name] for row in found) for name in TOKENS}
    unpriced = sorted({row["model"] for row in found if row["usd_pico"] is None})
    paid = sum(row["usd_pico"] or 0 for row in found)
    return {
        **counts,
        "usd": None if unpriced and not paid else paid,
        "tokens": sum(counts.values()),
        "unpriced": unpriced,
        "lower_bound": any(row["lower_bound"] for row in found),
        "responses": len(found),
        "used_models": sorted({row["model"] for row in found} - {UNKNOWN_AGENT}),
    }


def of_ls(header: str, line: str) -> Facts:
    """A row of `ls` as text: its cells by the names of their columns."""
    columns = [(found.group(), *found.span()) for found in re.finditer(r"\S+", header)]
    placed, cells = _placed(line), Facts()
    start, left = 0, ""
    for name, begins, ends in columns:
        if name not in _RIGHT:
            cells |= {left: "".join(placed[start:begins]).strip()} if left else {}
            start, left = begins, name.lower()
            continue
        # Numbers end where their title ends; a cell before them ends at two blanks.
        text, start = "".join(placed[start:ends]), ends
        first, _, rest = text.partition("  ") if left else ("", "", text)
        cells |= {left: first.strip()} if left else {}
        cells[name.lower()], left = rest.strip(), ""
    return cells | ({left: "".join(placed[start:]).strip()} if left else {})


def _placed(line: str) -> list[str]:
    """What stands in each cell of a line; a wide character takes two."""
    found: list[str] = []
    for character in line:
        width = spans.cells(character)
        if width or not found:
            found += [character, *[""] * (width - 1)]
        else:
            found[-1] += character
    return found


def of_ls_row(cells: Facts) -> Facts:
    """The cells of a row of `ls` as fields."""
    marks = cells.get("marks", "")
    return {
        "title": heading(cells["title"]),
        "state": _WORDS[cells["status"].split()[1]],
        **reset_shown(cells["status"]),
        "usd": dollars(cells["cost"]),
        "duration": Shown(cells.get("length", "")),
        "tokens": Shown(cells.get("tokens", "")),
        **count("agent_count", cells.get("agents", "")),
        **count("compactions", first(r"‖(\d+)", marks)),
        "source_gone": "gone" in marks,
    }


def count(name: str, text: str) -> Facts:
    """A number that is written only where it is known and there are any."""
    return {name: int(text)} if text else {}


def dollars(text: str) -> Shown:
    """A sum as a reader sees it."""
    return Shown(re.sub(r"^[≥≤≈] ", "", text).removesuffix(" +?").strip())


def first(pattern: str, text: str) -> str:
    """The group of a pattern where it first matches, or nothing."""
    found = re.search(pattern, text, re.S)
    return unescape(found[1]) if found else ""
