"""The library: what `import unspool` promises, and what it costs."""

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import unspool
from tests.engine.library_session import COST, talk
from tests.engine.roots import NOW, saved
from unspool.demo import Transcript
from unspool.model.transcript import Assistant, Unreadable, User

PUBLIC = [
    "Ambiguous",
    "Board",
    "ConfigError",
    "LiveEvent",
    "NotFound",
    "Report",
    "Session",
    "SessionDocument",
    "SessionSummary",
    "SourceError",
    "StoreError",
    "UnspoolError",
    "Workspace",
    "__version__",
    "open",
    "open_session",
    "parse",
    "price",
    "sessions",
]
SOURCE = str(Path(unspool.__file__).parents[1])


@pytest.fixture
def path(home: Path) -> Path:
    """A session where Claude Code would have put it, and where the examples look."""
    return saved(home / ".claude", talk())[0]


@pytest.fixture
def ws(path: Path) -> Iterator[unspool.Workspace]:
    with unspool.open(now=NOW) as made:
        yield made


def test_the_public_names_are_these() -> None:
    assert unspool.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(unspool, name)


def test_any_other_name_is_missing_as_names_are() -> None:
    with pytest.raises(AttributeError, match="'unspool' has no attribute 'nonsense'"):
        unspool.nonsense  # noqa: B018


@pytest.mark.parametrize(
    "function",
    [
        unspool.open,
        unspool.open_session,
        unspool.parse,
        unspool.price,
        unspool.sessions,
        *(getattr(kind, name)
          for kind in (unspool.Workspace, unspool.Session)
          for name, one in vars(kind).items()
          if not name.startswith("_") and inspect.isfunction(one)),
    ],
    ids=lambda one: one.__qualname__,
)  # fmt: skip
def test_every_public_function_is_documented_and_typed(function: object) -> None:
    assert inspect.getdoc(function)
    assert "return" in inspect.get_annotations(function)  # type: ignore[arg-type]


def test_a_session_shows_no_internals() -> None:
    names = [name for name in vars(unspool.Session) if not name.startswith("_")]

    assert names == [
        "id", "path", "project_id", "title", "status", "summary", "messages", "chunks", "turns",
        "tool_calls", "agents", "agent", "context", "usage", "document", "lines", "raw", "refresh",
    ]  # fmt: skip


def test_the_short_forms_are_the_calls_of_a_workspace(ws: unspool.Workspace, path: Path) -> None:
    assert list(unspool.sessions(now=NOW)) == list(ws.sessions())
    assert unspool.open_session(path.stem[:8], now=NOW).document() == ws.session().document()


def test_a_file_alone_is_parsed(tmp_path: Path) -> None:
    file = tmp_path / "any.jsonl"
    file.write_bytes(Transcript().user("hi").says("ho").raw(b"{broken").bytes() + b'{"type":"us')

    assert [type(entry) for entry in unspool.parse(file)] == [User, Assistant, Unreadable]


def test_a_response_is_priced() -> None:
    assert unspool.price("claude-opus-4-5", input=1_000_000) == 5.0
    assert unspool.price("claude-opus-4-5", cache_write_1h=1_000_000) == 10.0
    assert unspool.price("nobody-knows-it", input=1) is None


def test_a_price_of_yours_wins(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('[[models."mine"]]\ninput = 7\noutput = 7\n')

    assert unspool.price("mine", output=1_000_000, home=tmp_path) == 7.0


def test_errors_speak_of_no_command_line(tmp_path: Path, path: Path, home: Path) -> None:
    saved(home / ".claude", Transcript("0141ffff").user("go"))
    ws, said = unspool.open(), []
    for ask in (
        lambda: unspool.open(tmp_path / "none"),
        lambda: ws.session("0141"),
        lambda: ws.session(tmp_path),
        lambda: unspool.open(tmp_path).session(),
        lambda: ws.cost(since="soon"),
        lambda: ws.cost(timezone="Mars"),
        lambda: list(unspool.parse(tmp_path / "none")),
    ):
        with pytest.raises(unspool.UnspoolError) as caught:
            ask()
        said.append(str(caught.value))

    assert [text for text in said if "--" in text or "`unspool" in text] == []


def test_they_say_what_they_are(ws: unspool.Workspace, home: Path) -> None:
    assert repr(ws) == f"<Workspace {home / '.claude'} without an index>"
    assert repr(ws.session()) == "<Session 0141fab3 'go' waiting_for_input $0.02>"


def test_the_example_in_the_documentation_runs(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.utime(path)
    _, _, example = (inspect.getdoc(unspool) or "").partition("\n\n")
    exec(compile(ast.parse(example), "example", "exec"), {})  # noqa: S102

    assert capsys.readouterr().out.endswith(f"Bash ok\n{COST}\n")


def test_importing_it_costs_nothing_until_it_is_used() -> None:
    """A statusline imports it many times a minute."""
    assert _loaded("pass", "msgspec", "unspool.engine", "unspool.errors", "pathlib", "json") == []


@pytest.mark.parametrize("call", ["list(ws.sessions())", "ws.cost()", "ws.session().document()"])
def test_reading_loads_no_part_of_the_web(path: Path, call: str) -> None:
    web = "jinja2", "litestar", "uvicorn", "markdown_it", "nh3", "unspool.show", "unspool.serve"

    assert _loaded(f"ws = unspool.open(); {call}", *web) == []


def _loaded(code: str, *modules: str) -> list[str]:
    """Which of some modules a program has loaded in the end."""
    program = f"import sys, json, unspool; {code}; print(json.dumps(sorted(sys.modules)))"
    if code == "pass":
        program = "import sys, unspool; print(repr(sorted(sys.modules)).replace(chr(39), chr(34)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in modules if name in json.loads(done.stdout)]


CALLER = """
from pathlib import Path

import unspool


def spent(root: Path) -> float:
    with unspool.open(root) as ws:
        titles: list[str] = [row.title for row in ws.sessions(since="7d") if row.cost_usd]
        session: unspool.Session = ws.session("latest")
        texts: list[str] = [message.text for message in session.messages()]
        names: list[str] = [call.execution.name for call in session.tool_calls()]
        page: bytes = ws.export(session, "html")
        found: list[str] = [one.snippet for one in ws.search("migrat*").items]
        kinds: set[str] = {event.kind for event in ws.follow(session, last=5)}
        usd: float | None = ws.cost(by="day").total.spend.usd
        entries: int = sum(1 for _ in unspool.parse(session.path))
        print(titles, texts, names, page, found, kinds, entries, ws.board().rows)
        return usd or unspool.price("claude-opus-4-5", output=1) or 0.0
"""


MIXED = "import unspool\n\nx: int = unspool.open().session().title\n"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a strict check says of both callers."""
    pytest.importorskip("mypy")
    place = tmp_path_factory.mktemp("callers")
    for name, text in (("caller.py", CALLER), ("mixed.py", MIXED)):
        (place / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "caller.py", "mixed.py"],
        cwd=place,
        env={**os.environ, "MYPYPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_a_caller_passes_strict_type_checks(checked: str) -> None:
    assert "caller.py" not in checked
    assert checked.endswith("Found 1 error in 1 file (checked 2 source files)\n")


def test_a_caller_that_mixes_types_up_does_not(checked: str) -> None:
    assert "mixed.py:3: error: Incompatible types in assignment" in checked
