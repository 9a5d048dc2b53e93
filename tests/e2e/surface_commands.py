"""What commands and the library say of one session, with the index and without it."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from typing import TypeAlias

import msgspec

import unspool
from tests.e2e import surface_fields as fields
from tests.e2e import surface_pages as pages
from tests.e2e import surface_texts as texts
from tests.e2e.surface_fields import HEAD, TOKENS, AtMost, Facts, Json, Key, Shown, ShownAtMost
from tests.e2e.workspaces import Workspace
from unspool.cli.config import open_stores
from unspool.engine.archive.redacted import cleaner
from unspool.engine.follow import Follower, FollowQuery
from unspool.errors import UnspoolError
from unspool.redact import Redactor

Answers: TypeAlias = dict[Key, Facts]

KINDS = ("json", "md", "html", "jsonl")
EVERYTHING = 100_000  # events
_SUMS = ("usd", "tokens", "subagents_usd", *TOKENS)
_APART = ("at_most", "agents")  # said under another name, or a sum for each agent
_CLEAN = Redactor()


def opened(workspace: Workspace, keys: Iterable[Key]) -> dict[str, Answers]:
    """What opens a session by name."""
    found: dict[str, Answers] = {"explain": {}, "follow": {}}
    for key in keys:
        found["follow"][key] = _followed(workspace, key)
        explained = workspace.json("cost", "explain", "--json", *_named(key))
        found["explain"][key] = _opening(explained and fields.of_explanation(explained))
        for name, facts in _read(workspace, key).items():
            found.setdefault(name, {})[key] = facts
    return found


def opened_without_index(workspace: Workspace, keys: Iterable[Key]) -> dict[str, Answers]:
    """The same without an index: sums are bounds, and text says that they are."""
    bare, found = bare_home(workspace), dict[str, Answers]()
    for key in keys:
        answers = _read(workspace, key, bare)
        answers["library"] = library(workspace, key, bare)[0]
        for name, facts in answers.items():
            found.setdefault(f"{name}, no index", {})[key] = as_bounds(facts)
    return found


def bare_home(workspace: Workspace) -> Path:
    """The same home with its spool, marks, tombstones, checkouts and settings, and no index."""
    bare = workspace.home.with_name(f"{workspace.home.name}-bare")
    shutil.rmtree(bare, ignore_errors=True)
    bare.mkdir(parents=True)
    if (workspace.home / "spool").is_dir():
        shutil.copytree(workspace.home / "spool", bare / "spool")
    for pattern in ("state.db*", "*.jsonl", "projects.json", "unspool.toml"):
        for path in workspace.home.glob(pattern):
            shutil.copy2(path, bare)
    return bare


def _read(workspace: Workspace, key: Key, home: Path | None = None) -> dict[str, Facts]:
    """What commands say that read one session."""
    document = workspace.json("show", "--json", *_named(key), home=home)
    text = workspace.run("show", *_named(key), home=home)
    found = {
        "show": _opening(document and fields.of_document(document)),
        "show text": _opening(texts.of_show(text) if text else None),
    }
    for kind in KINDS:
        text = workspace.run("export", "--format", kind, *_named(key), home=home)
        found[f"export {kind}"] = _opening(None if text is None else _exported(kind, text))
    return found


def _named(key: Key) -> tuple[str, ...]:
    return f"--project={key[0]}", "--", key[1]


def _opening(facts: Facts | None) -> Facts:
    return {**(facts or {}), "opens": facts is not None}


def _exported(kind: str, text: str) -> Facts:
    if kind == "json":
        return fields.of_document(json.loads(text))
    if kind == "html":
        return {**pages.of_page(text), **notes(text)}
    if kind == "jsonl":
        return {"lines": text.count("\n")} if text else {}
    return texts.of_markdown(text)


def notes(page: str) -> Facts:
    """What stands beside the figures of a page."""
    return {"at_most": texts.AT_MOST in page, "capped": texts.capped(page)}


def library(workspace: Workspace, key: Key, home: Path | None = None) -> tuple[Facts, Facts]:
    """A session's document with those of its agents, and how its cost is explained."""
    project, id = key
    try:
        with workspace.here(home), unspool.open(now=workspace.now) as ws:
            session = ws.session(id, project=project)
            document = session.document()
            agents = {one.id: session.agent(one.id).document() for one in session.agents()}
            explained = fields.of_explanation(json.loads(msgspec.json.encode(ws.explain(session))))
    except UnspoolError:
        return {"opens": False}, {}
    whole, inner = _clean(document), {id: _clean(one) for id, one in agents.items()}
    calls = {id: state for one in (*inner.values(), whole) for id, state in _states(one)}
    return {**fields.of_document(whole), "calls": calls, "opens": True}, explained


def _followed(workspace: Workspace, key: Key) -> Facts:
    """What is told of a session to whoever begins to follow it: `tail` is the same as text."""
    stop = Event()
    stop.set()
    try:
        with workspace.here(), unspool.open(now=workspace.now) as ws:
            session = ws.session(key[1], project=key[0])
            told = list(ws.follow(session, last=EVERYTHING, stop=stop))
            is_there = Path(session.path).is_file()
    except UnspoolError:
        return {}
    # It has the transcripts that are there, and of several sessions with this id all.
    if not is_there or {one.project_id for one in told} - {"", key[0]}:
        return {}
    answers = [one.text for one in told if one.kind == "answer" and not one.agent_id]
    calls = {one.tool_use_id for one in told if one.kind == "call"}
    ends = (one for one in told if one.kind == "result" and one.tool_use_id in calls)
    results = {one.tool_use_id: one.state for one in ends}
    last = {"recent_output": Shown(answers[-1][:HEAD])} if answers else {}
    return {"results": results, **last}


def tails(workspace: Workspace, documents: Answers, keys: Iterable[Key]) -> Answers:
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


def _clean(document: msgspec.Struct) -> Json:
    """The library alone leaves secrets where they are."""
    found: Json = json.loads(_CLEAN.json(msgspec.json.encode(document)))
    return found


def _states(document: Json) -> Iterable[tuple[str, str]]:
    return fields.states(document).items()


def as_bounds(facts: Facts) -> Facts:
    """Sums as bounds, and whether text says so under a name of its own: with an index none does."""
    sums = {name: _bound(facts[name]) for name in _SUMS if name in facts}
    said = {"at_most, no index": facts["at_most"]} if "at_most" in facts else {}
    others = {name: value for name, value in facts.items() if name not in _APART}
    return {**others, **sums, **said}


def _bound(value: int | Shown | None) -> int | Shown | None:
    if isinstance(value, Shown):
        return ShownAtMost(value)
    return value if value is None else AtMost(value)
