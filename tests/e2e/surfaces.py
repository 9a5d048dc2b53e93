"""Every surface of unspool, asked in this process what it says about each session of a root."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

import msgspec

import unspool
from tests.e2e import surface_commands as commands
from tests.e2e import surface_fields as fields
from tests.e2e import surface_pages as pages
from tests.e2e import surface_wholes as wholes
from tests.e2e.surface_commands import as_bounds, bare_home, library
from tests.e2e.surface_fields import WRITTEN, AtMost, Facts, Json, Key, Shown, ShownAtMost
from tests.e2e.surface_search import search_answers
from tests.e2e.surface_statusline import statusline_answers
from tests.e2e.workspaces import Asks, Workspace
from unspool.derive.reading.clock import iso
from unspool.show import cost_json

Answers: TypeAlias = dict[Key, Facts]
Surfaces: TypeAlias = dict[str, Answers]

# Who lists sessions says of each whether it is in the list; who opens one, whether it opens.
LISTS: Final = (
    "ls", "ls --json", "ls --json, no index", "library rows", "library rows, no index",
    "REST list", "list page",
)  # fmt: skip
COSTS: Final = ("cost session", "library cost", "REST cost", "cost session, no index")
# Whoever knows every session adds up to what was spent.
COUNTED: Final = (
    "REST list", "REST cost", "cost session", "library cost", "sql sessions", "sql usage",
    "cost session, no index", "document", "metrics", "library", "ls --json", "library rows",
)  # fmt: skip
HUB: Final = "hub "  # before the names of a hub's surfaces
MOST: Final = 1_000
ITEM: Final = re.compile(r'<tr id="s-.*?</tr>', re.S)


def asked(
    workspace: Workspace,
    *,
    index: bool = True,
    bare: bool = True,
    opened: Collection[Key] | int = MOST,
    alone: Collection[Key] | None = None,
) -> Surfaces:
    """What every surface says, by its name.

    `index=False` leaves the index as it is; `bare=False` leaves out those that do without one,
    where the files alone cannot tell; of the sessions in `alone` they can all the same. Commands
    that open one session take long where there are many: they are asked about those that are
    `opened`, or the last so many.
    """
    if index:
        workspace.index()
    found: Surfaces = {}
    with workspace.answering() as site:
        found |= served_lists(site)
        found |= _listed(workspace)
        rows = {**found["REST list"], **found["ls --json"]}
        names = {key: Path(facts["cwd"]).name for key, facts in rows.items()}
        found["ls"] = _ls(workspace.run("ls") or "", names)
        found |= search_answers(workspace, site, names, rows)
        keys = sorted({key for answers in found.values() for key in answers})
        found |= served_sessions(site, keys)
        answers = {key: library(workspace, key) for key in keys}
        found["library"] = {key: facts for key, (facts, _) in answers.items()}
        found["library explain"] = {key: facts for key, (_, facts) in answers.items()}
        last = keys[max(0, len(keys) - opened) :] if isinstance(opened, int) else sorted(opened)
        found |= commands.opened(workspace, last)
        paths = {key: rows[key]["path"] for key in last if key in rows}
        found |= statusline_answers(workspace, paths)
        found["tail"] = commands.tails(workspace, found["document"], last)
    found |= _lists_without_index(workspace) if bare else {}
    alone = last if bare and alone is None else alone or ()
    found |= commands.opened_without_index(workspace, alone)
    note_absent(found, keys)
    return found


def served_lists(site: Asks) -> Surfaces:
    """What a server's lists, its board and its costs say."""
    every, listed = (
        _items(site, "/api/sessions", hidden=str(hidden).lower()) for hidden in (True, False)
    )
    page = _list_page(site)
    return {
        "REST list": _rows(every, listed),
        "list page": page,
        "board": _board(site.ask("/api/status").json()["rows"]),
        "REST cost": _costs(site.ask("/api/cost?by=session").json()["sessions"]),
    }


def _items(site: Asks, path: str, **asked: Any) -> Iterator[Json]:
    """A list, page by page."""
    cursor = ""
    while cursor is not None:
        page = site.ask(path, params={**asked, "limit": 200, "cursor": cursor}).json()
        yield from page["items"]
        cursor = page["nextCursor"]


def _list_page(site: Asks) -> Answers:
    found: Answers = {}
    path: str | None = "/sessions"
    while path:
        html = site.ask(path).text
        for row in ITEM.findall(html):
            link = re.search(r'href="/s/([^/"]*)/([^/"]*)"', row)
            assert link is not None
            key = unquote(unescape(link[1])), unquote(unescape(link[2]))
            found[key] = {**pages.of_list_page(row), "listed": True}
        more = re.search(r'<a class="btn" data-filter href="([^"]*)">Show more', html)
        path = unescape(more[1]) if more else None
    return found


def _listed(workspace: Workspace) -> Surfaces:
    with workspace.here():
        ws = unspool.open(workspace.root, now=workspace.now)
        costs = ws.cost(by="session")
        board = json.loads(msgspec.json.encode(ws.board()))
        ws.close()
    return {
        "library cost": _costs(cost_json.document(costs, "session")["sessions"]),
        "library board": _board(board["rows"]),
        "top": _board(workspace.json("top", "--json")["rows"]),
        "cost session": _costs(workspace.json("cost", "session", "--json")["sessions"]),
        **_row_lists(workspace),
        **sql_answers(workspace.sql, workspace.now),
    }


def _row_lists(workspace: Workspace, home: Path | None = None) -> Surfaces:
    """The rows of all sessions, hidden and empty ones too; and which of them are listed."""
    with workspace.here(home):
        ws = unspool.open(workspace.root, now=workspace.now)
        shown, every = ws.sessions(), ws.sessions(hidden=True, everything=True)
        rows = [json.loads(msgspec.json.encode(list(one))) for one in (shown, every)]
        ws.close()
    listed, whole = (
        workspace.json("ls", "--json", *more, home=home)["items"] for more in ((), ("--all",))
    )
    return {"ls --json": _rows(whole, listed), "library rows": _rows(rows[1], rows[0])}


def _rows(rows: Iterable[Json], listed: Iterable[Json]) -> Answers:
    shown = {fields.key_of(row["session"]) for row in listed}
    found = {fields.key_of(row["session"]): fields.of_row(row) for row in rows}
    return {key: {**facts, "listed": key in shown} for key, facts in found.items()}


def _ls(text: str, names: dict[Key, str]) -> Answers:
    """Rows of the table, each for the session that its id and its project's name can mean."""
    header, *lines = text.splitlines() or [""]
    found: Answers = {}
    rows = takewhile(bool, lines)  # a remark follows after a blank line
    for line in rows if header.startswith("SESSION") else ():
        cells = fields.of_ls(header, line)
        key = fields.key_meant(names, cells["session"], cells.get("project", ""), found)
        found[key] = {**fields.of_ls_row(cells), "listed": True}
    return found


def _board(rows: Iterable[Json]) -> Answers:
    return {fields.key_of(row["session"]): fields.of_board(row) for row in rows}


def _costs(rows: Iterable[Json]) -> Answers:
    return {(row["projectId"], row["sessionId"]): fields.of_cost(row) for row in rows}


def sql_answers(sql: Callable[[str], list[Json]], now: int) -> Surfaces:
    """What the views say that can be asked in SQL."""
    usage, agents, calls = (_grouped(sql(f"SELECT * FROM {view}"))  # noqa: S608
                            for view in ("usage", "agents", "tool_calls"))  # fmt: skip
    day = (iso(now) or "")[:10]
    spent = sum(
        row["usd_pico"] or 0 for rows in usage.values() for row in rows if row["day"] == day
    )
    found: Surfaces = {"sql sessions": {}, "sql usage": {}, "sql agents": {}, "sql tool_calls": {}}
    for row in sql("SELECT * FROM sessions"):
        key = row["project_id"], row["session_id"]
        found["sql sessions"][key] = fields.of_session_view(row)
        today = [one for one in usage[key] if one["day"] == day]
        found["sql usage"][key] = {
            **fields.of_usage_view(usage[key]),
            "subagents_usd": sum(row["usd_pico"] or 0 for row in usage[key] if row["agent_id"]),
            "today_usd": fields.of_usage_view(today)["usd"],
            "spent_today": spent,
        }
        found["sql agents"][key] = {
            "agents": {one["agent_id"]: one["usd_pico"] for one in agents[key]},
            "agent_links": {
                one["agent_id"]: (one["tool_use_id"], one["parent_agent_id"], one["proof"])
                for one in agents[key]
            },
            "agent_facts": {
                one["agent_id"]: (
                    one["depth"],
                    one["type"],
                    one["description"],
                    iso(one["start_time"]),
                    iso(one["end_time"]),
                )
                for one in agents[key]
            },
            "agent_count": len(agents[key]) or row["agents"],
        }
        found["sql tool_calls"][key] = {
            "results": _states(one for one in calls[key] if one["result_line"] is not None),
            "main_calls": _states(one for one in calls[key] if not one["agent_id"]),
            "calls": _states(calls[key]),
        }
    return found


def _grouped(rows: Iterable[Json]) -> defaultdict[Key, list[Json]]:
    found: defaultdict[Key, list[Json]] = defaultdict(list)
    for row in rows:
        found[row["project_id"], row["session_id"]].append(row)
    return found


def _states(rows: Iterable[Json]) -> dict[str, str]:
    return {row["tool_use_id"]: row["state"] for row in rows}


def served_sessions(site: Asks, keys: Iterable[Key]) -> Surfaces:
    """What a server says of each session."""
    found: Surfaces = {"document": {}, "metrics": {}, "page": {}, "parts": {}}
    for project, session in keys:
        place = f"{quote(project, safe='')}/{quote(session, safe='')}"
        for name, path, read in (
            ("document", f"/api/sessions/{place}", _of_document),
            ("metrics", f"/api/sessions/{place}/metrics", _of_metrics),
            ("page", f"/s/{place}", _of_page),
        ):
            answer = site.ask(path)
            opens = answer.status_code == 200 and bool(project)  # without one it is another address
            facts = read(answer) if opens else {}
            found[name][project, session] = {**facts, "opens": opens}
        if found["document"][project, session]["opens"]:
            found["parts"][project, session] = _parts(site, f"/api/sessions/{place}")
    return found


def _of_document(answer: Any) -> Facts:
    return fields.of_document(answer.json())


def _of_page(answer: Any) -> Facts:
    return {**pages.of_page(answer.text), **commands.notes(answer.text)}


def _of_metrics(answer: Any) -> Facts:
    found = answer.json()
    agents = {
        "subagents_usd": fields.pico(found["subagents"]["costUsd"]),
        "reported_responses": found["reportedResponses"],
    }
    return {**fields.of_metrics(found["total"]), **wholes.of_metrics(found), **agents}


def _parts(site: Asks, path: str) -> Facts:
    """The parts of a document that have addresses of their own."""
    document = {
        "context": site.ask(f"{path}/context").json(),
        "turns": list(_items(site, f"{path}/turns")),
        "toolExecutions": list(_items(site, f"{path}/tools")),
    }
    return wholes.of_parts(document)


def _lists_without_index(workspace: Workspace) -> Surfaces:
    bare = bare_home(workspace)
    costs = workspace.json("cost", "session", "--json", home=bare)
    found: Surfaces = {"cost session, no index": _costs(costs["sessions"])}
    for name, rows in _row_lists(workspace, bare).items():
        found[f"{name}, no index"] = {key: as_bounds(facts) for key, facts in rows.items()}
    return found


def note_absent(found: Surfaces, keys: Iterable[Key]) -> None:
    """Who lists sessions and leaves one out says so; what is paid for or at work is listed."""
    hidden = {key for key, facts in found["REST list"].items() if facts["hidden"]}
    for key in keys:
        for name in LISTS:
            found.get(name, {}).setdefault(key, {"listed": False})
        for name in (*COSTS, "board"):
            if key in found.get(name, {}) and key not in hidden:
                found[name][key]["listed"] = True
        found["board"].setdefault(key, {})["on_board"] = "state" in found["board"].get(key, {})


def disagreements(found: Surfaces, field: str) -> dict[Key, dict[str, Any]]:
    """By session, what each surface says of a field where not all say the same."""
    keys = sorted({key for answers in found.values() for key in answers})
    said = {key: _said(found, key, field) for key in keys}
    return {key: values for key, values in said.items() if not _is_one(found, key, field, values)}


def _said(found: Surfaces, key: Key, field: str) -> dict[str, Any]:
    every = ((name, answers.get(key, {})) for name, answers in found.items())
    return {name: facts[field] for name, facts in every if field in facts}


def _is_one(found: Surfaces, key: Key, field: str, values: dict[str, Any]) -> bool:
    bounds = {name: value for name, value in values.items() if isinstance(value, AtMost)}
    exact = {name: value for name, value in values.items() if not isinstance(value, Shown | AtMost)}
    if not all((value or 0) <= min(bounds.values()) for value in exact.values() if bounds):
        return False
    shown = {value for value in values.values() if isinstance(value, Shown)}
    at_most = {value for value in shown if isinstance(value, ShownAtMost)}
    words = {value for value in shown if not isinstance(value, ShownAtMost)}
    return all(
        _is_same(found, key, field, *both) for both in ((exact or bounds, words), (bounds, at_most))
    )


def _is_same(
    found: Surfaces, key: Key, field: str, exact: dict[str, Any], shown: set[Shown]
) -> bool:
    if any(value != next(iter(exact.values())) for value in exact.values()):
        return False
    words = set(map(str, shown))
    if words and field in WRITTEN:
        words |= {WRITTEN[field](found[name][key]) for name in exact}
    return len(words) <= 1


def values_of(found: Surfaces, key: Key, field: str) -> list[Any]:
    """The different exact values, bounds apart, that surfaces give for a field of one session."""
    said = _said(found, key, field).values()
    values: list[Any] = []
    for value in said:
        if not isinstance(value, Shown | AtMost) and value not in values:
            values.append(value)
    return values


def all_fields(found: Surfaces) -> set[str]:
    """Every field that at least one surface has."""
    return {name for answers in found.values() for facts in answers.values() for name in facts}


def sums_of(found: Surfaces) -> dict[str, tuple[int, int]]:
    """Picodollars and tokens of all sessions, by surface."""
    known = [name for name in found if name.removeprefix(HUB) in COUNTED]
    return {name: _added(found[name].values()) for name in known}


def _added(every: Iterable[Facts]) -> tuple[int, int]:
    pairs = [(facts.get("usd") or 0, facts.get("tokens") or 0) for facts in every]
    assert not any(isinstance(one, Shown) for pair in pairs for one in pair)
    return sum(usd for usd, _ in pairs), sum(tokens for _, tokens in pairs)
