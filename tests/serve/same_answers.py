"""What two servers are asked about the sessions of one machine, and how their answers differ."""

import html
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from tests.demo.generator.made import PRICES
from tests.serve.machines import MACHINE
from tests.serve.served import Served
from unspool.cli import config
from unspool.cli.index import index_status
from unspool.demo import Transcript, generate
from unspool.derive.reading.clock import iso
from unspool.engine.stores import Stores
from unspool.redact import Redactor
from unspool.serve.context import ServerConfig, ServerContext, remote_config
from unspool.source.roots import remote_root
from unspool.store import Store
from unspool.store.sqlite.store import SqliteStore

# What only the machine can know: its registry, and what lies beside the transcripts,
ONLY_THERE = ("sessions", "tasks", "todos", "plans", "jobs")
# which its own server says is empty, and another that it is unknown.
UNKNOWN = ('"taskList":null', '"taskList":[]')
HOOKS, LIVE = "only-hooks", "goes-on"
COSTS = ("daily", "session", "project", "model", "blocks", "tool", "agent", "command")
LISTS = (
    *("/api/sessions?limit=200", "/api/sessions?sort=cost", "/api/projects", "/sessions"),
    *("/api/search?q=the", "/api/search?q=worker%20-the", "/api/files", "/files", "/part/files"),
    *("/search?q=worker", "/part/search?q=worker", f"/jump?id={LIVE}", "/projects", "/spend"),
    *("/part/spend", "/part/spend/sessions?day=2026-01-09", "/tools", "/part/sessions"),
    *(f"/api/cost?by={by}" for by in COSTS),
)
VIEWS = ("", "/context", "/metrics", "/tools", "/turns", "/waterfall", "/raw/1")
PAGES = (
    *("/s/{}", "/part/tail/{}", "/part/window/{}?first=0&limit=1", "/part/rest/{}"),
    *("/api/export/{}?format=markdown", "/part/spend/turns/{}", "/part/steps/{}"),
)
TRAPS = (
    *("fork", "legacy_agent", "nested_agents", "workflow", "persisted_output"),
    *("images", "no_final_newline", "plan_pair"),
)
PARTS = re.compile(r'(?:src|href)="(/(?:api|part)/[^"]+)"')
EVENT = re.compile(r"\b(\d{9,})\.(\d+)\.(\d+)\b")


def plain(text: str) -> str:
    """An answer without what differs from one server to the next: versions, seq and cursors."""
    text = re.sub(r'data-version="[^"]*"|"seq":\d+|data-seq="\d+"', "", text).replace(*UNKNOWN)
    return re.sub(r'cursor=[\w-]+|"(next|prev\w*|after|before)(Cursor)?":"[^"]*"', "", text)


def local_context(stores: Stores, now: int) -> ServerContext:
    return ServerContext(
        ServerConfig(
            home=stores.home,
            roots=stores.roots,
            prices=config.prices(),
            store=SqliteStore(stores.home, mode="ro"),
            search_store=lambda text: SqliteStore(stores.home, mode="ro", bodies=text),
            now=lambda: now,
            groups=stores.groups,
            index=lambda: index_status(stores),
            redactor=Redactor(),
        )
    )


def remote_context(store: Store, place: Path, home: Path, now: int) -> ServerContext:
    home.mkdir()
    roots = [remote_root(MACHINE, str(place))]
    return ServerContext(remote_config(store, roots, config.prices(), home=home, now=lambda: now))


def addresses(sessions: dict[str, str], some: list[str]) -> Iterator[str]:
    yield from LISTS
    for id in some:
        at = f"{sessions[id]}/{id}"
        yield from (f"/api/sessions/{at}{view}" for view in VIEWS)
        yield from (page.format(at) for page in PAGES)
        yield f"/api/sessions/{id}/events"
        yield f"/api/sessions/{id}/events/main"
    project = sessions[some[0]]
    yield from (f"/api/projects/{project}/sessions", f"/projects/{project}")
    yield f"/part/sessions/{project}"


def linked_parts(answers: dict[str, tuple[int, str]]) -> set[str]:
    """What pages and events lead to: a few of each page."""
    found: set[str] = set()
    for address, (_, text) in answers.items():
        if address.startswith("/s/"):
            kinds = {part.split("/")[2]: html.unescape(part) for part in PARTS.findall(text)}
            found.update(kinds.values())
            steps = re.findall(r'id="step-([^"]+)"', text)[:1]
            at = address.removeprefix("/s/")
            found.update(f"/part/at/{at}/{step}" for step in steps)
            found.update(f"/part/range/{at}?from={step}&to={step}" for step in steps)
        elif address.endswith("/events"):
            id, events = address.split("/")[3], json.loads(text)["items"]
            last = [event["eventId"] for event in events if event["toolUseId"]][-1:]
            found.update(f"/api/sessions/{id}/events/{one}/full" for one in last)
            agents = sorted({event["subagentId"] for event in events} - {""})[:1]
            found.update(f"/api/sessions/{id}/events/subagent/{one}" for one in agents)
        elif re.fullmatch(r"/api/sessions/-[^/]+/[^/?]+", address):
            agents = [one["id"] for one in json.loads(text).get("subagents", ())][:1]
            found.update(f"{address}/subagents/{one}" for one in agents)
    return found


def write_sessions(place: Path, now: int) -> tuple[dict[str, str], list[str]]:
    """Have a machine write sessions; all with their projects, and some with traps."""
    truth = generate(place, mb=1, seed=3, prices=PRICES)
    for name in ONLY_THERE:
        shutil.rmtree(place / name, ignore_errors=True)
    start = iso(now - 20_000) or ""
    Transcript(LIVE, "/home/dev/kettle", start=start).user("go").calls("Bash").save(place)
    sessions = {id: known["projectId"] for id, known in truth.sessions.items()}
    sessions |= {HOOKS: "-home-dev-kettle", LIVE: "-home-dev-kettle"}
    return sessions, [*(truth.traps[trap] for trap in TRAPS), HOOKS, LIVE]


def prompt_hook(place: Path, session: str) -> bytes:
    path = str(place / f"projects/-home-dev-kettle/{session}.jsonl")
    hook = {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "hello"}
    return json.dumps({**hook, "cwd": "/home/dev/kettle", "transcript_path": path}).encode()


def asked(stores: Stores, now: int, addresses: Iterable[str]) -> dict[str, tuple[int, str]]:
    """What the machine's own server answers, and what its pages lead to."""
    with closing(local_context(stores, now)) as local:
        site, answers = Served(local), dict[str, tuple[int, str]]()

        def ask(address: str) -> None:
            answer = site.ask(address)
            answers[address] = answer.status_code, answer.text

        for address in addresses:
            ask(address)
        for address in sorted(linked_parts(answers)):
            ask(address)
    return {name: (code, plain(text)) for name, (code, text) in answers.items()}


def first_difference(name: str, there: tuple[int, str], here: tuple[int, str]) -> str:
    if there == here:
        return ""
    if there[0] != here[0]:
        return f"{name}: {there[0]}, not {here[0]}: {there[1][:200]}"
    pairs = zip(there[1], here[1], strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(there[1]), len(here[1])))
    shown = slice(max(at - 60, 0), at + 60)
    return f"{name}: {there[1][shown]!r}, not {here[1][shown]!r}"
