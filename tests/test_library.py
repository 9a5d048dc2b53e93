"""The front door: what `import unspool` promises, and what it costs."""

import ast
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import unspool
from tests.engine.roots import NOW, saved
from tests.serve.served import indexed
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.source.spool import append

PUBLIC = [
    "Ambiguous",
    "NotFound",
    "Session",
    "SessionDocument",
    "SessionSummary",
    "SourceError",
    "UnspoolError",
    "__version__",
    "open_session",
    "sessions",
]


@pytest.fixture
def path(home: Path) -> Path:
    """A session where Claude Code would have put it, and where the examples look."""
    made = Transcript("0141fab3").user("go").says("done", usage={"output_tokens": 1_000})
    return saved(home / ".claude", made)[0]


def test_the_public_names_are_these() -> None:
    assert unspool.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(unspool, name)


def test_any_other_name_is_missing_as_names_are() -> None:
    with pytest.raises(AttributeError, match="'unspool' has no attribute 'nonsense'"):
        unspool.nonsense  # noqa: B018


@pytest.mark.parametrize("name", ["open_session", "sessions"])
def test_every_public_function_is_documented_and_typed(name: str) -> None:
    function = getattr(unspool, name)

    assert inspect.getdoc(function)
    assert "return" in function.__annotations__


def test_a_session_opens_by_its_path(path: Path) -> None:
    session = unspool.open_session(path)

    assert isinstance(session, unspool.Session)
    assert isinstance(session.document(), unspool.SessionDocument)
    assert session.document().metrics.total.cost_usd == 0.015


@pytest.mark.parametrize("name", ["0141fab3", "0141", "latest"])
def test_a_session_that_is_listed_opens_by_its_id(path: Path, name: str) -> None:
    assert unspool.open_session(name).path == str(path)


def test_a_session_of_the_archive_is_listed_and_opens(path: Path, home: Path) -> None:
    indexed(home / ".claude")
    path.unlink()
    (row,) = unspool.sessions()
    document = unspool.open_session(row.session.id).document()

    assert (row.source_gone, row.metrics.cost_usd) == (True, 0.015)
    assert [chunk.type for chunk in document.chunks] == ["user", "ai"]
    assert document.chunks[0].text == "go"
    assert "archive" in document.diagnostics.missing


def test_a_session_that_only_hooks_tell_of_is_listed_and_opens(path: Path, home: Path) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "hooked", "prompt": "Build it"}
    spool = Path(open_stores().spool)
    append(spool, [json.dumps({**payload, "cwd": "/repo"}).encode()], NOW)
    rows = {row.session.id: row.session for row in unspool.sessions()}

    assert rows.keys() == {"hooked", "0141fab3"}
    assert rows["hooked"].project_id == "-repo"
    assert unspool.open_session("hooked", project="-repo").document().session.title == "Build it"


def test_a_path_may_begin_at_home(path: Path) -> None:
    assert unspool.open_session("~/.claude/projects/-repo/0141fab3.jsonl").id == "0141fab3"


def test_a_moment_decides_what_a_session_is_doing(path: Path) -> None:
    now, later = (
        unspool.open_session(path, now=moment).info().status.state
        for moment in (NOW, NOW + 3_600_000)
    )

    assert (now, later) == ("waiting_for_input", "idle")


def test_without_a_moment_it_is_this_one(path: Path) -> None:
    assert unspool.open_session(path).info().status.state == "idle"


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(unspool.NotFound):
        unspool.open_session(tmp_path / "missing.jsonl")


def test_a_directory_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(unspool.SourceError):
        unspool.open_session(tmp_path)


def test_sessions_of_a_root_are_listed(path: Path, home: Path) -> None:
    rows = unspool.sessions(home / ".claude")

    assert isinstance(rows, Iterator)
    assert [row.session.title for row in rows] == ["go"]


def test_without_a_root_it_is_the_one_of_this_machine(path: Path) -> None:
    (row,) = unspool.sessions()

    assert isinstance(row, unspool.SessionSummary)
    assert row.metrics.cost_usd == 0.015


def test_the_example_in_the_documentation_runs(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, example = (inspect.getdoc(unspool) or "").partition("\n\n")
    exec(compile(ast.parse(example), "example", "exec"), {})  # noqa: S102

    assert capsys.readouterr().out == "0.015\ngo 0.015\n"


def test_importing_it_costs_nothing_until_it_is_used() -> None:
    """A statusline imports it many times a minute."""
    heavy = "{'msgspec', 'unspool.engine', 'unspool.errors', 'pathlib', 'json'}"
    code = f"import sys; import unspool; print(sorted({heavy} & set(sys.modules)))"
    source = str(Path(unspool.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[]\n"
