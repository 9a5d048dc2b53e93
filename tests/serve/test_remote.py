"""A server whose sessions are of another machine answers as that machine's own, without files."""

import asyncio
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs

from tests.cli.made import root as talk_root
from tests.cli.made import talk
from tests.cli.runs import stores_of
from tests.serve.live.listening import save
from tests.serve.machines import MACHINE, PREFIX, SendingStore, number
from tests.serve.recorder import touched_paths
from tests.serve.same_answers import (
    EVENT,
    HOOKS,
    addresses,
    asked,
    first_difference,
    plain,
    prompt_hook,
    remote_context,
    write_sessions,
)
from tests.serve.served import Served
from tests.serve.walks import ways
from tests.store.postgres.cluster import SearchableStore
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.indexing.indexer import Indexer
from unspool.serve.context import ServerContext
from unspool.source.spool import append

pytestmark = pytest.mark.usefixtures("cluster")

# What goes on there now, and how its index and its disk are.
ASKED_ONLY = ("/", "/part/board", "/api/status", "/api/health", "/api/index", "/health")
# Pages without a session's data.
NOT_ASKED = (
    *("/enter", "/static/enter.js", "/static/enter.css", "/static/{name}"),
    *("/favicon.ico", "/theme", "/patterns"),
    # A hub's: tests/hub/test_machines.py and test_walk.py ask them.
    *("/api/machines", "/machines", "/api/machines/{machine}", "/machines/{machine}"),
    *("/api/audit", "/machines/audit"),
    # A plan stays on its machine: tests/hub/test_walk.py asks for one.
    "/part/plan/{project_id}/{session_id}",
)


class Two(NamedTuple):
    """What the machine's own server answers, and the other one, beside a decoy of its files."""

    answers: dict[str, tuple[int, str]]
    site: Served
    place: Path

    def ask(self, address: str) -> tuple[int, str]:
        """What the other server answers, in the machine's own names."""
        answer = self.site.ask(_there(address))
        return answer.status_code, plain(_here(answer.text))


def _there(address: str) -> str:
    """An address of the machine's server, as the other has it."""
    address = re.sub(r"/(-[^/?]+)(?=[/?]|$)", rf"/{PREFIX}\1", address)
    return EVENT.sub(lambda at: f"{number(int(at[1]))}.{at[2]}.{at[3]}", address)


def _here(text: str) -> str:
    """An answer in the names of the machine's own server."""
    text = text.replace(PREFIX, "").replace(f"{MACHINE}:", "")
    return EVENT.sub(lambda at: f"{int(at[1]) - number(0)}.{at[2]}.{at[3]}", text)


@pytest.fixture(scope="module")
def two(cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    tmp = tmp_path_factory.mktemp("two")
    place, now = tmp / "claude", config.now()
    with pytest.MonkeyPatch.context() as patch, closing(SearchableStore()) as store:
        patch.setenv("UNSPOOL_HOME", str(tmp / "machine"))
        sessions, some = write_sessions(place, now)
        stores = stores_of(place)
        spool = stores.home / "spool"
        append(spool, [prompt_hook(place, HOOKS)], now - 60_000)
        with closing(SendingStore(stores.home, store)) as index:
            indexer = Indexer(index, stores.roots, config.prices(), spool=str(spool))
            indexer.sweep(now + 60_000)
        answers = asked(stores, now, addresses(sessions, some))
        for path in place.rglob("*"):
            if path.is_file():
                path.write_text('{"type":"user","message":{"content":"a decoy"}}\n')
        with closing(remote_context(store, place, tmp / "server", now)) as remote:
            yield Two(answers, Served(remote), place)


def test_every_answer_is_that_of_the_machine_and_no_path_of_its_is_touched(two: Two) -> None:
    with touched_paths() as touched:
        others = [first_difference(name, two.ask(name), two.answers[name]) for name in two.answers]
        codes = {two.site.ask(name).status_code for name in ASKED_ONLY}

    assert [one for one in others if one] == []
    assert codes == {200}
    # The server's own home is all that it looks at, beside the code and the zones of time.
    assert [path for path in touched if str(two.place) in path or MACHINE in path] == []
    assert [path for path in touched if path.startswith(("/home/dev", "/srv"))] == []


def test_every_way_to_ask_is_tried(two: Two) -> None:
    asked = [*ASKED_ONLY, *(name for name, (code, _) in two.answers.items() if code < 400)]
    patterns = {
        way.path: re.sub(r"\{[^}]*\}", "[^/?]+", way.path)
        for way in ways(two.site.app)
        if way.method == "GET" and way.path not in NOT_ASKED and not way.path.startswith("/schema")
    }

    never = [
        path
        for path, pattern in patterns.items()
        if not any(re.fullmatch(rf"{pattern}(\?.*)?", address) for address in asked)
    ]
    assert never == []


class Growing(NamedTuple):
    """A machine that writes, and another server that follows."""

    made: Transcript
    place: Path
    site: Served
    sweep: Callable[[], object]

    def write(self, made: Transcript) -> None:
        """Have a machine write, index and send."""
        save(made, self.place)
        self.sweep()


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Growing]:
    place, now = talk_root(tmp_path / "claude", talk()), config.now()
    made = Transcript("lately", "/home/dev/kettle", start=iso(now - 60_000) or "").user("go")
    made.says("at once").save(place)
    stores = stores_of(place)
    with closing(SearchableStore()) as store, closing(SendingStore(stores.home, store)) as index:
        indexer = Indexer(index, stores.roots, config.prices(), spool=str(stores.home / "spool"))
        indexer.sweep(now)
        with closing(remote_context(store, place, tmp_path / "server", now)) as remote:
            yield Growing(made, place, Served(remote), lambda: indexer.sweep(now))


LATELY = f"{PREFIX}-home-dev-kettle/lately"
SURFACES = (
    f"/api/sessions/{LATELY}",
    f"/s/{LATELY}",
    f"/part/tail/{LATELY}",
    "/api/sessions/lately/events",
    "/api/search?q=afterwards",
)


def test_a_session_that_grows_in_the_store_grows_on_the_server(growing: Growing) -> None:
    before = [growing.site.ask(surface).text for surface in SURFACES]
    growing.write(growing.made.says("said afterwards"))
    after = [growing.site.ask(surface).text for surface in SURFACES]

    assert not any("said afterwards" in text for text in before)
    assert all("said afterwards" in re.sub(r"</?mark>", "", text) for text in after)


def test_a_session_that_only_hooks_knew_gets_its_transcript(growing: Growing) -> None:
    address = f"/api/sessions/{PREFIX}-home-dev-kettle/soon"
    append(
        stores_of(growing.place).home / "spool", [prompt_hook(growing.place, "soon")], config.now()
    )
    growing.sweep()
    known = growing.site.ask(address).json()
    growing.write(Transcript("soon", "/home/dev/kettle").user("hello").says("good day"))
    grown = growing.site.ask(address).json()

    assert "hook events only" in known["diagnostics"]["missing"]
    assert grown["diagnostics"]["missing"] == ""
    assert "good day" in json.dumps(grown["chunks"])


def test_a_transcript_that_was_deleted_there_is_said_to_be_gone(growing: Growing) -> None:
    os.remove(growing.place / "projects/-home-dev-kettle/lately.jsonl")
    was = growing.site.ask(SURFACES[0]).json()["diagnostics"]["missing"]
    growing.sweep()

    assert was == ""
    assert "gone from disk" in growing.site.ask(SURFACES[0]).json()["diagnostics"]["missing"]


def test_a_session_without_its_lines_says_that_they_were_not_sent(growing: Growing) -> None:
    store = growing.site.context.store
    store.erase([one.source_id for one in store.sources_of(*LATELY.split("/"))])
    answer = growing.site.ask(SURFACES[0])

    assert (answer.status_code, "has not sent its lines" in answer.text) == (410, True)


def test_whoever_listens_to_the_store_wakes_the_feed(growing: Growing) -> None:
    said: list[str] = []

    def listen(wake: Callable[[], None]) -> Callable[[], None]:
        wake()
        said.append("listens")
        return lambda: said.append("ended")

    given = structs.replace(growing.site.context.config, listen=listen)
    live = Served(ServerContext(given)).live

    async def run() -> None:
        ticked = asyncio.Event()

        async def tick() -> bool:
            ticked.set()
            return False

        live.feed.tick = tick  # type: ignore[method-assign]
        async with live.running(None):
            await ticked.wait()

    asyncio.run(run())
    assert said == ["listens", "ended"]
