"""Every command in a console block runs, on sessions made for it, in a home of its own."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from tests.cli.runs import Said, here, terminal_said
from tests.conftest import REPOSITORY
from tests.docs.examples import (
    Background,
    Example,
    command_directory,
    differences,
    examples,
    missing_programs,
)
from tests.docs.pages import DOCS, PAGES, codes, fences, name, section
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.demo.script.files import Stage
from unspool.demo.script.root import write_past
from unspool.demo.stories import PAST
from unspool.source import prices

Capsys = pytest.CaptureFixture[str]
README = REPOSITORY / "README.md"
SHOWN = [page for page in PAGES if any(one.can_run for one in examples(page))]
HOME_FILES = set(codes(section(DOCS / "configuration.md", "Files in UNSPOOL_HOME")))
SERVER = Example("unspool serve --no-browser", ())
_WHEN = re.compile(
    r"\d+ (?:s|min|h) ago"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:\d\d:\d\d|\d+ [A-Z][a-z]{2}(?: \d\d:\d\d)?)"
)
_CUT = re.compile(r"\S+… ")
# No browser may open, and nobody is there to press a key.
UNSET = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


class Ground:
    """Where the commands of one page run: a root, its index, and a directory to work in."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.home, self.root, self.work = (place / part for part in ("home", "root", "work"))

    def enter(self, patch: pytest.MonkeyPatch) -> None:
        for variable in UNSET:
            patch.delenv(variable, raising=False)
        patch.setenv("HOME", str(self.place / "user"))
        patch.setenv("UNSPOOL_HOME", str(self.home))
        patch.setenv("CLAUDE_CONFIG_DIR", str(self.root))
        patch.setenv("PAGER", "cat")
        patch.setenv("PATH", f"{self.place / 'bin'}{os.pathsep}{os.environ['PATH']}")
        patch.chdir(self.work)

    def here(self, text: str) -> str:
        """A text of a page with its temporary paths below this place."""
        return text.replace("/tmp/", f"{self.place}/tmp/")

    def undocumented(self) -> list[str]:
        """Files in UNSPOOL_HOME that the page about them does not name."""
        names = {re.sub(r"-(wal|shm)$|\.\d+$", "", one.name) for one in self.home.iterdir()}
        return sorted(names - {one.rstrip("/") for one in HOME_FILES})


def write_sessions(root: Path) -> None:
    """The demo's past, and the sessions that the pages name."""
    now, cwd = config.local_now().astimezone(UTC), "/home/dev/kettle"
    write_past(Stage(root, json.loads(prices.bundled())), PAST, now)
    begin = now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    named = Transcript(session="3f2a91c0-58ab-4c1e-9d70-6f1f0a7f2b11", cwd=cwd, start=begin)
    named.user("Make the rate limiter per tenant, password=hunter2")
    named.calls("Edit", file_path=f"{cwd}/limiter.py").returns("ok").says("Done.").save(root)
    agent = Transcript(session=named.session, cwd=cwd, agent="a1b2c3d4", start=begin)
    agent.user("Look at the limiter").says("It is fine.").save(root)
    old = Transcript(session="77c0ffee-58ab-4c1e-9d70-6f1f0a7f2b11", cwd=cwd)
    old.user("Boil the kettle").says("It boils.").save(root)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Sessions and their index, to be copied for each page."""
    place = tmp_path_factory.mktemp("docs")
    ground = Ground(place / "ground")
    for part in (ground.home, ground.work / "some", ground.place / "user", ground.place / "tmp"):
        part.mkdir(parents=True, mode=0o700)
    command_directory(ground.place / "bin")
    write_sessions(ground.root)
    (transcript,) = ground.root.glob("projects/*/3f2a*.jsonl")
    shutil.copy(transcript, ground.work / "some" / "session.jsonl")
    (ground.work / "question.sql").write_text("SELECT count(*) FROM sessions")
    with pytest.MonkeyPatch.context() as patch:
        ground.enter(patch)
        assert main(["index", "build", "--json"]) == 0
        main(["gen", ground.here("/tmp/demo"), "--mb", "0.1", "--json"])
    shutil.copytree(ground.place, place / "kept")
    return ground


@pytest.fixture
def ground(prepared: Ground, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """The same place, as it was."""
    shutil.rmtree(prepared.place)
    shutil.copytree(prepared.place.parent / "kept", prepared.place)
    prepared.enter(monkeypatch)
    return prepared


@pytest.fixture
def running(ground: Ground, capsys: Capsys) -> Iterator["PageRun"]:
    """A run of a page; nothing of it is left running."""
    made = PageRun(ground, Background(), capsys)
    yield made
    made.background.stop()
    if (ground.home / "daemon.json").exists():
        run_shell(["unspool index daemon stop"])


class PageRun:
    """The commands of one page, run in order; `faults` are what went wrong."""

    def __init__(self, ground: Ground, background: Background, capsys: Capsys) -> None:
        self.ground, self.background, self.capsys = ground, background, capsys
        self.faults: list[str] = []

    def run(self, example: Example, patch: pytest.MonkeyPatch) -> None:
        """Run one command, or leave it in the background."""
        example = example._replace(command=self.ground.here(example.command))
        if example.command.startswith("export "):
            for pair in example.command.split()[1:]:
                patch.setenv(*pair.split("=", 1))
        elif example.command.endswith("&"):
            self.background.start_silent(example.command)
        elif example.stays:
            self.faults += differences(example.output[:1], self.background.start(example))
            self.faults += [] if example.is_server else self.background.stop()
        else:
            self.check(example, self.outcome(example))

    def outcome(self, example: Example) -> Said:
        """What a command says, and its exit code."""
        if example.needs_shell:
            return run_shell([example.command])
        if example.output:
            return terminal_said(*example.words(), NO_COLOR="1")
        return here(self.capsys, *example.words())

    def follow(self, page: Path) -> None:
        """Run the block of Python that listens to the server."""
        (block,) = fences(page, "python")
        self.capsys.readouterr()
        exec(compile(block.text, page.name, "exec"), {})  # noqa: S102
        said = self.capsys.readouterr().out
        self.faults += [] if re.fullmatch(r"init \d\d+\n", said) else [f"{page.name}: {said!r}"]

    def check(self, example: Example, said: Said) -> None:
        """Compare with what the page shows."""
        if said.code:
            self.faults.append(f"{example.command}: exit code {said.code}: {said.err or said.out}")
        shown = tuple(self.ground.here(line) for line in example.output)
        missing = differences(shown, said.out)
        self.faults += (f"{example.command}: not in its output: {line}" for line in missing)


def run_shell(commands: list[str]) -> Said:
    """Run commands one after the other in a shell."""
    bash = shutil.which("bash") or ""
    script = "\n".join(["set -eo pipefail", *commands])
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("page", SHOWN, ids=name)
def test_every_command_of_a_page_runs(
    page: Path, running: PageRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := missing_programs(page):
        pytest.skip(f"needs {', '.join(missing)}")
    todo = [one for one in examples(page) if one.can_run]
    if page.parent != DOCS:  # the README shows the demo, whose sessions run: see below
        todo = [one._replace(output=()) for one in todo]
    if any("curl" in one.command for one in todo):  # variables go from one to the next
        running.background.start(SERVER)
        whole = Example(page.name, tuple(line for one in todo for line in one.output))
        running.check(whole, run_shell([one.command for one in todo]))
        running.follow(page)
        todo = []
    for one in todo:
        running.run(one, monkeypatch)

    assert running.ground.undocumented() == []
    assert running.faults == []
    assert running.background.stop() == []


def timeless(text: str) -> str:
    """A text whenever it was shown: times have another length tomorrow, and titles with them."""
    return _CUT.sub("… ", _WHEN.sub("WHEN", text))


def shown_at(example: Example) -> str:
    """What a command shows on a terminal that is wide enough on any day."""
    columns = 3 + max(map(len, example.output))
    return terminal_said(*example.words(), columns=columns, NO_COLOR="1").out


def test_the_readme_shows_what_the_demo_shows(ground: Ground, running: PageRun) -> None:
    for place in (ground.root, ground.home):
        shutil.rmtree(place)
    running.background.start_silent(f"unspool gen {ground.root} --demo --live --seconds 600 &")
    shown = [one for one in examples(README) if one.output]
    assert [one.command for one in shown] == ["unspool ls", "unspool show 054b"]
    assert until(lambda: "▲ approval" in shown_at(shown[0]))
    assert main(["index", "build", "--json"]) == 0

    for one in shown:
        said = shown_at(one)
        lines = tuple(map(timeless, one.output))
        assert list(differences(lines, timeless(said))) == [], said


def test_the_block_about_redaction_runs() -> None:
    (block,) = fences(DOCS / "redaction.md", "python")
    given = {"text": "password=hunter2", "document": {"token": "a1b2c3d4e5"}, "data": b"{}"}
    exec(compile(block.text, "docs/redaction.md", "exec"), given)  # noqa: S102

    assert given["redactor"].report  # type: ignore[attr-defined]


def test_what_cannot_run_is_little() -> None:
    left = {one.command for page in SHOWN for one in examples(page) if not one.can_run}

    assert left == {
        "make serve",
        "make test",
        "unspool index daemon install",
        "unspool index daemon uninstall",
    }
