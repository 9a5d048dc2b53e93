"""Every surface of unspool, asked in this process what it says about each session of a root."""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

import msgspec

import unspool
from tests.e2e import surface_fields as fields
from tests.e2e import surface_pages as pages
from tests.e2e.surface_fields import WRITTEN, AtMost, Facts, Json, Key, Shown
from tests.e2e.surface_search import search_answers
from tests.e2e.surface_statusline import statusline_answers
from tests.e2e.workspaces import Asks, Workspace
from unspool.cli.config import open_stores
from unspool.derive.reading.clock import iso
from unspool.engine.archive.redacted import cleaner
from unspool.engine.follow import Follower, FollowQuery
from unspool.errors import UnspoolError
from unspool.show import cost_json

Answers: TypeAlias = dict[Key, Facts]
Surfaces: TypeAlias = dict[str, Answers]

# Who lists sessions says of each whether it is in the list; who opens one, whether it opens.
LISTS: Final = ("ls", "ls --json", "ls --json, no index", "library rows", "REST list", "list page")
COSTS: Final = ("cost session", "library cost", "REST cost", "cost session, no index")
HUB: Final = "hub "  # before the names of a hub's surfaces
ITEM: Final = re.compile(r'<tr id="s-.*?</tr>', re.S)


def asked(
    workspace: Workspace, *, index: bool = True, bare: bool = True, opened: int = 1_000
) -> Surfaces:
    """What every surface says, by its name.

    `index=False` leaves the index as it is; `bare=False` leaves out those that do without one,
    where the files alone cannot tell. Commands that open one session take long where there are
    many: they are asked about the last `opened` ones.
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
        library = {key: _from_library(workspace, key) for key in keys}
        found["library"] = {key: answers[0] for key, answers in library.items()}
        found["library explain"] = {key: answers[1] for key, answers in library.items()}
        last = keys[max(0, len(keys) - opened) :]
        found |= _opened(workspace, last)
        paths = {key: rows[key]["path"] for key in last if key in rows}
        found |= statusline_answers(workspace, paths)
        found["tail"] = _tails(workspace, found["document"], last)
    found |= _without_index(workspace, last) if bare else {}
    note_absent(found, keys)
    return found


def served_lists(site: Asks) -> Surfaces:
    """What a server's lists, its board and its costs say."""
    every = {fields.key_of(row["session"]): row for row in _pages(site, hidden=True)}
    shown = {fields.key_of(row["session"]) for row in _pages(site, hidden=False)}
    page = _list_page(site)
    return {
        "REST list": {k: {**fields.of_row(row), "listed": k in shown} for k, row in every.items()},
        "list page": page,
        "board": _board(site.ask("/api/status").json()["rows"]),
        "REST cost": _costs(site.ask("/api/cost?by=session").json()["sessions"]),
    }


def _pages(site: Asks, *, hidden: bool) -> Iterator[Json]:
    cursor = ""
    while cursor is not None:
        asked = {"hidden": str(hidden).lower(), "limit": 200, "cursor": cursor}
        page = site.ask("/api/sessions", params=asked).json()
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
        library, costs = list(ws.sessions()), ws.cost(by="session")
        board = json.loads(msgspec.json.encode(ws.board()))
        ws.close()
    return {
        "ls --json": _rows(workspace.json("ls", "--json")["items"]),
        "library cost": _costs(cost_json.document(costs, "session")["sessions"]),
        "library board": _board(board["rows"]),
        "top": _board(workspace.json("top", "--json")["rows"]),
        "library rows": _rows(json.loads(msgspec.json.encode(library))),
        "cost session": _costs(workspace.json("cost", "session", "--json")["sessions"]),
        **sql_answers(workspace.sql, workspace.now),
    }


def _rows(rows: Iterable[Json]) -> Answers:
    return {fields.key_of(row["session"]): {**fields.of_row(row), "listed": True} for row in rows}


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
    found: Surfaces = {"document": {}, "metrics": {}, "page": {}}
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
    return found


def _of_document(answer: Any) -> Facts:
    return fields.of_document(answer.json())


def _of_page(answer: Any) -> Facts:
    return pages.of_page(answer.text)


def _of_metrics(answer: Any) -> Facts:
    found = answer.json()
    agents = {
        "subagents_usd": fields.pico(found["subagents"]["costUsd"]),
        "reported_responses": found["reportedResponses"],
    }
    return {**fields.of_metrics(found["total"]), **agents}


def _opened(workspace: Workspace, keys: Iterable[Key]) -> Surfaces:
    names = "show", "explain", "export json", "export md", "export html", "export jsonl"
    found: Surfaces = {name: {} for name in names}
    for key in keys:
        found["show"][key] = _shown(workspace, key)
        explained = workspace.json("cost", "explain", "--json", *_named(key))
        found["explain"][key] = _opening(explained and fields.of_explanation(explained))
        for kind in ("json", "md", "html", "jsonl"):
            text = workspace.run("export", "--format", kind, *_named(key))
            found[f"export {kind}"][key] = _opening(None if text is None else _exported(kind, text))
    return found


def _tails(workspace: Workspace, documents: Answers, keys: Iterable[Key]) -> Answers:
    """The state that `tail` last reported of those that stand still where a request failed."""
    found: Answers = {}
    for key in keys:
        if documents[key].get("stopped"):
            with workspace.here():
                stores = open_stores()
                query = FollowQuery(
                    stores.roots, stores.spool, cleaner(None), key[1], stores.recent_quota
                )
                events = Follower(query, workspace.now).past(1)
            told = [json.loads(msgspec.json.encode(one)) for one in events]
            found[key] = {"stopped": bool(told), "state": None, "until": None, "error": None}
            for one in told:
                status = {"state": one["kind"], "until": one["until"], "error": one["text"]}
                found[key] = {"state": one["kind"], **fields.of_stop(status)}
    return found


def _named(key: Key) -> tuple[str, ...]:
    return f"--project={key[0]}", "--", key[1]


def _opening(facts: Facts | None) -> Facts:
    return {**(facts or {}), "opens": facts is not None}


def _shown(workspace: Workspace, key: Key, home: Path | None = None) -> Facts:
    document = workspace.json("show", "--json", *_named(key), home=home)
    return _opening(document and fields.of_document(document))


def _exported(kind: str, text: str) -> Facts:
    if kind == "json":
        return fields.of_document(json.loads(text))
    if kind == "html":
        return pages.of_page(text)
    if kind == "jsonl":
        return {"lines": text.count("\n")} if text else {}
    facts = [part.replace("\\", "") for part in text.split("\n\n")[1].split(" · ")]
    money = [part for part in facts if part.removeprefix("≥ ").startswith("$")]
    return {"usd": Shown(money[0].removeprefix("≥ "))} if money else {}


def _from_library(workspace: Workspace, key: Key) -> tuple[Facts, Facts]:
    project, id = key
    try:
        with workspace.here():
            ws = unspool.open(now=workspace.now)
            session = ws.session(id, project=project)
            document = session.document()
            agents = [session.agent(one.id).document() for one in session.agents()]
            explained = fields.of_explanation(json.loads(msgspec.json.encode(ws.explain(session))))
            ws.close()
    except UnspoolError:
        return {"opens": False}, {}
    whole, *others = (json.loads(msgspec.json.encode(one)) for one in (document, *agents))
    calls = {id: state for one in (*others, whole) for id, state in fields.states(one).items()}
    return {**fields.of_document(whole), "calls": calls, "opens": True}, explained


def _without_index(workspace: Workspace, keys: Iterable[Key]) -> Surfaces:
    """The same home with its spool, marks, tombstones, checkouts and settings, and no index."""
    bare = workspace.home.with_name(f"{workspace.home.name}-bare")
    shutil.rmtree(bare, ignore_errors=True)
    bare.mkdir(parents=True)
    if (workspace.home / "spool").is_dir():
        shutil.copytree(workspace.home / "spool", bare / "spool")
    for pattern in ("state.db*", "*.jsonl", "projects.json", "unspool.toml"):
        for path in workspace.home.glob(pattern):
            shutil.copy2(path, bare)
    return {
        "ls --json, no index": _rows(workspace.json("ls", "--json", home=bare)["items"]),
        "show, no index": {key: _shown(workspace, key, bare) for key in keys},
        "cost session, no index": _costs(
            workspace.json("cost", "session", "--json", home=bare)["sessions"]
        ),
    }


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
    shown = {str(value) for value in values.values() if isinstance(value, Shown)}
    if not all((value or 0) <= min(bounds.values()) for value in exact.values() if bounds):
        return False
    exact = exact or bounds
    if any(value != next(iter(exact.values())) for value in exact.values()):
        return False
    if shown and field in WRITTEN:
        shown |= {WRITTEN[field](found[name][key]) for name in exact}
    return len(shown) <= 1


def values_of(found: Surfaces, key: Key, field: str) -> list[Any]:
    """The different exact values that surfaces give for a field of one session."""
    said = _said(found, key, field).values()
    values: list[Any] = []
    for value in said:
        if not isinstance(value, Shown) and value not in values:
            values.append(value)
    return values


def all_fields(found: Surfaces) -> set[str]:
    """Every field that at least one surface has."""
    return {name for answers in found.values() for facts in answers.values() for name in facts}
