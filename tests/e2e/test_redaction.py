"""What leaves by any command has no secrets in it, in whatever form they lie in a transcript."""

import random
from pathlib import Path

import msgspec
import pytest

from tests.cli.runs import here, terminal
from tests.redact.secrets import Planted, Watch, broken, escaped, is_out, planted
from unspool.cli import main
from unspool.demo import Transcript
from unspool.model.document import SessionDocument

PLANTED = planted(150)
WATCH = Watch(PLANTED)
COMMANDS = {
    "show": ("show", "latest"),
    "show --json": ("show", "latest", "--json"),
    "show --turns": ("show", "latest", "--turns"),
    "show --lines": ("show", "latest", "--lines"),
    "show --lines --json": ("show", "latest", "--lines", "--json"),
    "ls": ("ls",),
    "ls --json": ("ls", "--json"),
    "search": ("search", "planted", "--limit", "1000"),
    "search --json": ("search", "planted", "--json", "--limit", "1000"),
    "sql": ("sql", "SELECT preview FROM lines", "--json"),
    "sql events": ("sql", "SELECT event_data FROM events", "--csv"),
}


def told(made: Transcript, one: Planted, chance: random.Random) -> None:
    """One secret as it is, in a string in a string, and broken: typed, called with, printed."""
    made.user(f"planted {one.text}")
    streams = {"stdout": "planted", "stderr": f"planted {one.text}"}
    made.calls("Bash", command=f"echo planted '{one.text}'")
    made.returns(f"planted\n{one.text}\n", result=streams)
    made.calls("Bash", command="cat x.json").returns(f"planted {escaped(one)}")
    made.calls("Bash", command="grep x").returns(f"planted {broken(one, chance)}")
    made.says(f"planted: {one.text}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root, and in it a home with its index."""
    made, chance = Transcript(session="s"), random.Random(5)
    for one in PLANTED:
        told(made, one, chance)
    place = tmp_path_factory.mktemp("planted")
    made.save(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(place / "home"))
        main(["index", "build", "--root", str(place)])
    return place


@pytest.fixture
def root(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNSPOOL_HOME", str(place / "home"))
    return place


@pytest.mark.parametrize("name", COMMANDS)
def test_no_secret_leaves_by(name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = here(capsys, *COMMANDS[name], "--root", root)

    assert said.code == 0
    assert WATCH.out(said.out) == []


@pytest.mark.parametrize("name", ["show", "show --json", "search --json", "sql"])
def test_who_asks_for_secrets_gets_them(
    name: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, *COMMANDS[name], "--unredacted", "--root", root)

    assert len(WATCH.out(said.out)) > 100


@pytest.mark.parametrize("lines", [(), ("--lines",)])
def test_no_secret_leaves_where_lines_are_cut_to_fit(lines: tuple[str, ...], root: Path) -> None:
    shown = terminal("show", "latest", *lines, "--root", root, columns=60)

    assert WATCH.out(shown) == []


def test_ids_and_numbers_are_as_they_were(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("show", "latest", "--json", "--root", root)
    clean = msgspec.json.decode(here(capsys, *args).out, type=SessionDocument)
    plain = msgspec.json.decode(here(capsys, *args, "--unredacted").out, type=SessionDocument)

    assert clean.metrics == plain.metrics
    assert [chunk.id for chunk in clean.chunks] == [chunk.id for chunk in plain.chunks]
    ids = [[one.tool_use_id for one in made.tool_executions] for made in (clean, plain)]
    assert ids[0] == ids[1]


def test_no_secret_in_the_name_of_a_directory_leaves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "home"))
    one = next(one for one in PLANTED if one.name == "anthropic api")
    Transcript(session="s1", cwd=f"/home/dev/x-api-key: {one.secret}").user("planted").says(
        "planted"
    ).save(tmp_path)
    commands = [
        "index build", "ls", "ls --json", "show latest", "search planted", "search planted --json",
        "cost project", "cost session", "cost session --json", "cost explain s1", "top --once",
        "sql select~project_id,cwd~from~sessions", "doctor", "index status",
    ]  # fmt: skip
    left = []
    for command in commands:
        args = [arg.replace("~", " ") for arg in command.split()]
        said = here(capsys, *args, "--root", tmp_path)
        assert (command, said.code) == (command, 0)
        left += [command] if is_out(one, said.out + said.err) else []

    assert left == []
