"""Every command on a system without Linux's own names says what it says on Linux."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.runs import SOURCE, Said
from tests.cli.servings import serving
from tests.waiting import until
from unspool.demo import Transcript

STARTER = Path(__file__).parent / "portable"
WAYS = ("ordinary", "portable")  # of one length, as tables are as wide as the paths in them
SESSION = "11111111-2222-4333-8444-555555555555"
COMMANDS = [
    ["gen", "ROOT", "--mb", "0.2"],
    ["ls"],
    ["ls", "--json"],
    ["show", "latest"],
    ["cost"],
    ["index", "build"],
    ["index", "status", "--json"],
    ["index", "verify"],
    ["ls"],
    ["show", "latest", "--json"],
    ["cost", "session", "--json"],
    ["cost", "blocks"],
    ["search", "kettle"],
    ["search", "--regex", "ket+le"],
    ["sql", "SELECT session_id, title, usd_pico FROM sessions ORDER BY 1"],
    ["export", "latest", "-o", "PLACE/page.html"],
    ["export", "latest", "-o", "PLACE/lines.jsonl"],
    ["export", "latest", "-o", "PLACE/lines.jsonl"],
    ["top"],
    ["hooks", "install"],
    ["hooks", "status"],
    ["hooks", "uninstall"],
    ["index", "rebuild"],
    ["index", "daemon", "status"],
    ["serve", "status"],
    ["doctor"],
    ["doctor", "schema"],
    ["ls", "--nonsense"],
]


# What differs between two runs anywhere: clocks, durations, names of backups, sizes of databases,
# and changes, of which the order of files makes more or fewer.
_NOW = re.compile(
    r"\b\d\d:\d\d:\d\d\b|\b[\d.]+ m?s\b|\b20\d{6}T\d{6}\.\d{3}\b"
    r"|(?<= in )[\d.]+ KB|(?<=sessions, )[\d.]+ MB|(?<=(?:ytes|\"seq)\":)\d+"
)


class Machine:
    """A home and a root, and how commands are run there."""

    def __init__(self, place: Path, way: str) -> None:
        self.way, self.place, self.root = way, place, place / "root"
        path = [str(STARTER), str(SOURCE)] if way == "portable" else [str(SOURCE)]
        self.env = {
            "HOME": str(place),
            "UNSPOOL_HOME": str(place / "home"),
            "CLAUDE_CONFIG_DIR": str(self.root),
            "PYTHONPATH": os.pathsep.join(path),
            "UNSPOOL_TEST_PORTABLE": "1",
        }

    def start(self, *args: str) -> "subprocess.Popen[str]":
        """Start a command in a process of its own."""
        pipe, around = subprocess.PIPE, {**os.environ, **self.env}
        command = [sys.executable, *args]
        return subprocess.Popen(
            command, env=around, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    @contextmanager
    def started(self, *args: str, module: str = "unspool") -> Iterator["subprocess.Popen[str]"]:
        """A command that would not end by itself, ended with the block."""
        with self.start("-m", module, *args) as child:
            try:
                yield child
            finally:
                child.kill()

    def unspool(self, *args: str, given: str = "") -> Said:
        """Run one command to its end."""
        with self.start("-m", "unspool", *args) as child:
            out, err = child.communicate(given)
        return Said(child.returncode, self.plain(out), self.plain(err))

    def batch(self) -> list[Said]:
        """Run all commands in one process."""
        words = {"ROOT": str(self.root), "PLACE": str(self.place)}
        made = [
            [re.sub("ROOT|PLACE", lambda found: words[found[0]], part) for part in command]
            for command in COMMANDS
        ]
        with self.start(str(STARTER / "batch.py")) as child:
            out, err = child.communicate(json.dumps(made))
        assert child.returncode == 0, err
        return [Said(code, self.plain(out), self.plain(err)) for code, out, err in json.loads(out)]

    def plain(self, text: str) -> str:
        """What is said, without what differs between two runs anywhere."""
        text = text.replace(str(self.place), "PLACE")
        return _NOW.sub("…", text)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Machine]:
    places = tmp_path_factory.mktemp("machines")
    made = {way: Machine(places / way, way) for way in WAYS}
    for machine in made.values():
        machine.place.mkdir()
    return made


@pytest.fixture(scope="module")
def said(machines: dict[str, Machine]) -> dict[str, list[Said]]:
    with ThreadPoolExecutor() as pool:
        return dict(zip(WAYS, pool.map(Machine.batch, machines.values()), strict=True))


def test_the_names_are_gone_in_every_process(machines: dict[str, Machine]) -> None:
    code = "import os, fcntl"
    with machines["portable"].start("-c", code) as child:
        _, err = child.communicate()

    assert "import of fcntl halted" in err


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=lambda n: " ".join(COMMANDS[n]))
def test_a_command_says_the_same(said: dict[str, list[Said]], number: int) -> None:
    ordinary, portable = (said[way][number] for way in WAYS)

    # Directories are read in the order of their file system, which is another in each.
    assert sorted(portable.out.splitlines()) == sorted(ordinary.out.splitlines())
    assert (portable.code, portable.err) == (ordinary.code, ordinary.err)
    assert "Traceback" not in portable.err


@pytest.fixture
def portable(machines: dict[str, Machine], said: dict[str, list[Said]]) -> Machine:
    """The machine without those names, with its index built."""
    assert said
    return machines["portable"]


def line(child: "subprocess.Popen[str]", pattern: str) -> str:
    """The first line of its output that fits."""
    assert child.stdout
    return next((line for line in child.stdout if re.search(pattern, line)), "")


def test_a_status_line_is_the_same(machines: dict[str, Machine], portable: Machine) -> None:
    given = {"session_id": SESSION, "cwd": "/home/dev", "model": {"display_name": "Opus"}}
    lines = [
        machine.unspool("statusline", given=json.dumps(given)) for machine in machines.values()
    ]

    assert lines[0] == lines[1]
    assert "Opus" in lines[0].out


def test_one_process_watches_and_the_next_is_told_which(portable: Machine) -> None:
    with portable.started("index", "watch", module="unspool.cli.child") as watching:
        begun = line(watching, "Watching")
        Transcript(SESSION).user("Anchor the zebra.").save(portable.root)
        grown = until(lambda: SESSION in portable.unspool("search", "zebra", "--json").out)
        busy = portable.unspool("index", "build")
        status = portable.unspool("index", "status", "--json").out
        assert watching.stdin
        watching.stdin.close()  # as when the server that started it is killed
        code = watching.wait(60)

    assert (bool(begun), grown) == (True, True)
    assert (busy.code, f"process {watching.pid} " in busy.err) == (1, True)
    assert f'"writer":{{"pid":{watching.pid},' in status
    assert code == 0


def test_events_are_followed(portable: Machine) -> None:
    path = Transcript(SESSION).user("Anchor the zebra.").save(portable.root)
    with portable.started("tail", SESSION) as following:
        begun = line(following, "zebra")
        with path.open("ab") as file:
            file.write(Transcript(SESSION, uuid_prefix="b").user("Paint the llama.").bytes())
        grown = line(following, "llama")

    assert (bool(begun), bool(grown)) == (True, True)


def test_a_server_answers_and_its_writer_ends_with_it(
    machines: dict[str, Machine], portable: Machine
) -> None:
    answers = {}
    for machine in machines.values():
        with serving(None, browser=None, **machine.env) as server:
            answers[machine.way] = machine.plain(json.dumps(server.get("/api/sessions?limit=50")))
            page = server.get("/api/status")
            code, err = server.end()
            assert (code, "Traceback" in err) == (0, False)
            assert page

    assert answers["portable"] == answers["ordinary"]
    assert until(lambda: portable.unspool("index", "build").code == 0)


def test_the_daemon_is_found_and_stopped(portable: Machine) -> None:
    started = portable.unspool("index", "daemon", "start")
    found = portable.unspool("index", "daemon", "status")
    stopped = portable.unspool("index", "daemon", "stop")

    assert [one.code for one in (started, found, stopped)] == [0, 0, 0], started.err
    assert ["running: process" in one.out for one in (started, found)] == [True, True]
    assert "Stopped" in stopped.out
