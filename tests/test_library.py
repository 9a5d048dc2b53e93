"""The library: what `import unspool` promises, and what it costs."""

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Event

import pytest

import unspool
from tests.cli.lively import lively, register
from tests.engine.roots import NOW, saved
from tests.serve.served import indexed
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.model.api import MarksUpdate
from unspool.model.transcript import Assistant, Unreadable, User
from unspool.source.spool import append

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
    "parse",
    "price",
]
COST = 0.015105
SOURCE = str(Path(unspool.__file__).parents[1])


def talk() -> Transcript:
    made = Transcript("0141fab3").user("go").calls("Bash", command="ls").returns("a.py")
    return made.says("done", usage={"output_tokens": 1_000})


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
        unspool.parse,
        unspool.price,
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


def test_sessions_are_listed_lazily(ws: unspool.Workspace, path: Path) -> None:
    rows = ws.sessions()
    assert isinstance(rows, Iterator)
    (row,) = rows

    assert isinstance(row, unspool.SessionSummary)
    assert (row.id, row.path, row.title) == ("0141fab3", str(path), "go")
    assert (row.status, row.cost_usd) == ("waiting_for_input", COST)


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("7d", 1),
        ("2026-01-01", 1),
        (date(2026, 1, 1), 1),
        (datetime(2026, 1, 1, tzinfo=UTC), 1),
        (NOW + 1, 0),
    ],
)
def test_sessions_since_a_moment(
    ws: unspool.Workspace, since: str | int | date, count: int
) -> None:
    assert len(list(ws.sessions(since=since))) == count


def test_sessions_of_a_status_or_a_project(ws: unspool.Workspace) -> None:
    assert [row.id for row in ws.sessions(status="waiting_for_input", project="repo")]
    assert not list(ws.sessions(status="working"))
    assert not list(ws.sessions(project="elsewhere"))


@pytest.mark.parametrize("name", ["0141fab3", "0141", "latest"])
def test_a_session_opens_by_its_id(ws: unspool.Workspace, path: Path, name: str) -> None:
    assert ws.session(name).path == str(path)


def test_a_session_opens_by_its_path(ws: unspool.Workspace, path: Path) -> None:
    assert ws.session(path).id == "0141fab3"
    assert ws.session("~/.claude/projects/-repo/0141fab3.jsonl").id == "0141fab3"


def test_a_session_says_all_it_knows(ws: unspool.Workspace) -> None:
    session = ws.session()
    said = [(one.type, one.text) for one in session.messages()]
    (call,) = session.tool_calls()

    assert [said[0], said[-1]] == [("user", "go"), ("assistant", "done")]
    assert [chunk.type for chunk in session.chunks()] == ["user", "ai"]
    assert [turn.prompt for turn in session.turns()] == ["go"]
    assert (call.execution.name, call.execution.state) == ("Bash", "ok")
    assert getattr(call.arguments, "command", None) == "ls"
    assert session.agents() == ()
    assert session.usage().total.cost_usd == COST
    assert len(session.context().turns) == 1
    assert isinstance(session.document(), unspool.SessionDocument)
    assert len(list(session.lines())) == len(list(session.raw())) == 4


def test_an_agent_opens_as_a_session(home: Path) -> None:
    main = Transcript("s1").user("go").calls("Agent", id="t1", prompt="look", description="d")
    saved(home / ".claude", main)
    agents = home / ".claude" / "projects" / "-repo" / "s1" / "subagents"
    agents.mkdir(parents=True)
    agent = Transcript("s1", agent="a1").user("look").says("found it")
    (agents / "agent-a1.jsonl").write_bytes(agent.bytes())
    session = unspool.open().session()
    (one,) = session.agents()

    assert [message.text for message in session.agent(one.id).messages()] == ["look", "found it"]


def test_what_is_written_later_is_read_on_refresh(ws: unspool.Workspace, path: Path) -> None:
    session = ws.session()
    path.write_bytes(talk().user("more").bytes())

    assert session.refresh()
    assert [turn.prompt for turn in session.turns()] == ["go", "more"]


def test_a_session_of_the_archive_is_listed_and_opens(path: Path, home: Path) -> None:
    indexed(home / ".claude")
    path.unlink()
    ws = unspool.open()
    (row,) = ws.sessions()
    document = ws.session(row.id).document()

    assert (row.source_gone, row.cost_usd) == (True, COST)
    assert document.chunks[0].text == "go"
    assert "archive" in document.diagnostics.missing


def test_a_session_that_only_hooks_report_is_listed_and_opens(path: Path) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "hooked", "prompt": "Build it"}
    append(open_stores().spool, [json.dumps({**payload, "cwd": "/repo"}).encode()], NOW)
    ws = unspool.open()

    assert {row.id for row in ws.sessions()} == {"hooked", "0141fab3"}
    assert ws.session("hooked", project="-repo").title == "Build it"


def test_a_hidden_session_is_listed_on_request(ws: unspool.Workspace) -> None:

    open_stores().marks().change("-repo", "0141fab3", MarksUpdate(hidden=True))

    assert [row.id for row in ws.sessions()] == []
    assert [row.id for row in ws.sessions(hidden=True)] == ["0141fab3"]


@pytest.mark.parametrize("by", ["day", "week", "month", "session", "project", "model"])
@pytest.mark.parametrize("with_index", [False, True])
def test_cost_is_reported_by_anything(
    ws: unspool.Workspace, home: Path, by: str, with_index: bool
) -> None:
    if with_index:
        indexed(home / ".claude")
    report = ws.cost(by=by)  # type: ignore[arg-type]

    assert isinstance(report, unspool.Report)
    assert report.total.spend.usd == sum(row.spend.usd or 0 for row in report.rows) == COST


def test_cost_follows_the_files(ws: unspool.Workspace, home: Path) -> None:
    before = ws.cost().total.spend.usd
    more = Transcript("0252").says("x", id="m2", usage={"output_tokens": 1_000})
    saved(home / ".claude", more)

    assert (before, ws.cost().total.spend.usd) == (COST, COST + 0.015)


def test_cost_can_be_narrowed(ws: unspool.Workspace) -> None:
    assert ws.cost(until="2020-01-01").rows == []
    assert ws.cost(project="elsewhere").rows == []
    assert ws.blocks().blocks
    assert ws.explain("latest").total_cost == COST


def test_a_report_nobody_knows_is_refused(ws: unspool.Workspace) -> None:
    with pytest.raises(unspool.ConfigError, match="Use one of day, week, month"):
        ws.cost(by="hour")  # type: ignore[arg-type]


@pytest.mark.parametrize("with_index", [False, True])
def test_lines_are_found(ws: unspool.Workspace, home: Path, with_index: bool) -> None:
    if with_index:
        indexed(home / ".claude")
    found, again = ws.search("don*"), ws.search("d[o]ne", regex=True, session="0141")

    assert [one.snippet for one in found.items] == [one.snippet for one in again.items] == ["done"]
    assert ws.search("absent").items == ()


def test_the_board_says_who_waits(home: Path) -> None:
    lively("mine").user("hello").save(home / ".claude")
    register(home / ".claude", "mine", "waiting")
    (row,) = unspool.open().board().rows

    assert (row.session.id, row.session.status.state) == ("mine", "waiting_for_approval")


def test_the_board_comes_again_when_it_changes(home: Path) -> None:
    lively("mine").user("hello").save(home / ".claude")
    stop = Event()
    boards = unspool.open().follow_board(stop)
    first = next(boards)
    register(home / ".claude", "mine", "waiting")
    states = (board.rows[0].session.status.state for board in boards)

    assert first.rows[0].session.status.state == "working"
    assert next(state for state in states if state != "working") == "waiting_for_approval"
    stop.set()


def test_events_are_followed(home: Path) -> None:
    talk = lively("mine").user("hello")
    path = talk.save(home / ".claude")
    stop = Event()
    events = unspool.open().follow("mine", last=1, stop=stop)
    first = next(events)
    talk.says("hi there").write(path)
    second = next(events)
    stop.set()

    assert isinstance(first, unspool.LiveEvent)
    assert [(one.kind, one.text) for one in (first, second)] == [
        ("prompt", "hello"),
        ("answer", "hi there"),
    ]


@pytest.mark.parametrize(
    ("format", "begins"),
    [("html", b"<!doctype html>"), ("md", b"#"), ("json", b"{"), ("jsonl", b"{")],
)
def test_a_session_is_exported(ws: unspool.Workspace, format: str, begins: bytes) -> None:
    assert ws.export("latest", format).lower().startswith(begins)  # type: ignore[arg-type]


def test_an_export_has_no_secret_unless_asked(home: Path) -> None:
    secret = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"
    saved(home / ".claude", Transcript("s1").user(f"please take {secret}"))
    ws = unspool.open()

    assert secret.encode() not in ws.export("latest", "jsonl")
    assert secret.encode() in ws.export("latest", "jsonl", unredacted=True)
    assert b"please" not in ws.export("latest", "jsonl", anonymise=True)


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


def test_a_root_may_be_named_and_so_may_several(path: Path, home: Path, tmp_path: Path) -> None:
    saved(tmp_path / "other", Transcript("0999").user("there"))

    assert [row.id for row in unspool.open(tmp_path / "other").sessions()] == ["0999"]
    both = unspool.open([str(home / ".claude"), tmp_path / "other"])
    assert {row.id for row in both.sessions()} == {"0999", "0141fab3"}
    assert len(both.roots) == 2


def test_a_home_may_be_named(path: Path, tmp_path: Path) -> None:
    with unspool.open(home=tmp_path / "mine") as ws:
        list(ws.sessions())
        ws.cost()
        ws.search("done")

    assert not (tmp_path / "mine").exists()


def test_nothing_is_written(ws: unspool.Workspace, home: Path) -> None:
    indexed(home / ".claude")
    before = _files(home / "unspool")
    list(ws.sessions())
    ws.session().document()
    ws.cost()
    ws.search("done")
    ws.board()
    ws.export("latest")
    ws.close()

    assert _files(home / "unspool") == before


def _files(home: Path) -> dict[str, tuple[int, int]]:
    """All but what a reader of SQLite needs beside the database."""
    return {
        path.name: (path.stat().st_size, path.stat().st_mtime_ns)
        for path in home.iterdir()
        if not path.name.endswith(("-wal", "-shm"))
    }


def test_a_damaged_index_is_no_reason_not_to_read(ws: unspool.Workspace, home: Path) -> None:
    indexed(home / ".claude")
    (home / "unspool" / "index.db").write_bytes(b"no database at all" * 1_000)

    assert [row.id for row in ws.sessions()] == ["0141fab3"]
    assert ws.session().title == "go"
    assert ws.cost().total.spend.usd == COST


def test_a_moment_decides_what_a_session_is_doing(path: Path) -> None:
    now, later = (unspool.open(now=at).session().status for at in (NOW, NOW + 3_600_000))

    assert (now, later) == ("waiting_for_input", "idle")


def test_without_a_moment_it_is_this_one(path: Path) -> None:
    assert unspool.open().session().status == "idle"


@pytest.mark.parametrize(
    ("name", "error"),
    [("missing.jsonl", unspool.NotFound), ("nobody", unspool.NotFound), ("01", unspool.NotFound)],
)
def test_a_session_that_is_not_there_is_not_found(
    ws: unspool.Workspace, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        ws.session(name)
    assert "--" not in str(caught.value)


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


def test_a_name_that_fits_several_lists_them(path: Path, home: Path) -> None:
    saved(home / ".claude", Transcript("0141ffff").user("go"))
    with pytest.raises(unspool.Ambiguous) as caught:
        unspool.open().session("0141")

    assert set(caught.value.candidates) == {"0141fab3", "0141ffff"}


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


def test_a_caller_passes_strict_type_checks(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "caller.py").write_text(CALLER)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "caller.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("Success"), done.stdout


def test_a_caller_that_mixes_types_up_does_not(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "caller.py").write_text(
        "import unspool\n\nx: int = unspool.open().session().title\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "caller.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Incompatible types in assignment" in done.stdout
