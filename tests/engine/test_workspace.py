"""The front of the library: sessions, costs, search, the board, events and exports."""

import gc
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Event

import pytest

import unspool
from tests.cli.lively import lively, register
from tests.engine.library_session import COST, talk
from tests.engine.roots import NOW, saved
from tests.serve.served import indexed
from tests.waiting import open_below
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.engine.workspace import Workspace
from unspool.model.api import MarksUpdate
from unspool.source.spool import append

DAY = 86_400_000


@pytest.fixture
def path(home: Path) -> Path:
    """A session where Claude Code would have put it, and where the examples look."""
    return saved(home / ".claude", talk())[0]


@pytest.fixture
def ws(path: Path) -> Iterator[Workspace]:
    with unspool.open(now=NOW) as made:
        yield made


def test_a_row_is_made_when_it_is_asked_for(ws: Workspace, path: Path, home: Path) -> None:
    before, after = (Transcript("0252").user(text) for text in ("before", "after"))
    saved(home / ".claude", before, at=NOW - DAY)
    rows = ws.sessions()
    assert isinstance(rows, Iterator)
    first = next(rows)
    saved(home / ".claude", after, at=NOW - DAY)

    assert [first.title, *(row.title for row in rows)] == ["go", "after"]


def test_a_row_says_what_there_is_to_know_of_a_session(ws: Workspace, path: Path) -> None:
    (row,) = ws.sessions()

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
def test_sessions_since_a_moment(ws: Workspace, since: str | int | date, count: int) -> None:
    assert len(list(ws.sessions(since=since))) == count


@pytest.mark.parametrize(
    ("until", "count"), [("today", 1), ("2025-12-31", 0), (NOW - 86_400_000, 0)]
)
def test_sessions_until_a_moment(ws: Workspace, until: str | int, count: int) -> None:
    assert len(list(ws.sessions(until=until))) == count


def test_sessions_of_a_status_or_a_project(ws: Workspace) -> None:
    assert [row.id for row in ws.sessions(status="waiting_for_input", project="repo")]
    assert not list(ws.sessions(status="working"))
    assert not list(ws.sessions(project="elsewhere"))


@pytest.mark.parametrize("name", ["0141fab3", "0141", "latest"])
def test_a_session_opens_by_its_id(ws: Workspace, path: Path, name: str) -> None:
    assert ws.session(name).path == str(path)


def test_a_session_opens_by_its_path(ws: Workspace, path: Path) -> None:
    assert ws.session(path).id == "0141fab3"
    assert ws.session("~/.claude/projects/-repo/0141fab3.jsonl").id == "0141fab3"


def test_a_session_says_all_it_knows(ws: Workspace) -> None:
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


def test_what_is_written_later_is_read_on_refresh(ws: Workspace, path: Path) -> None:
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


def test_a_hidden_session_is_listed_on_request(ws: Workspace) -> None:

    open_stores().marks().change("-repo", "0141fab3", MarksUpdate(hidden=True))

    assert [row.id for row in ws.sessions()] == []
    assert [row.id for row in ws.sessions(hidden=True)] == ["0141fab3"]


@pytest.mark.parametrize("by", ["day", "week", "month", "session", "project", "model"])
@pytest.mark.parametrize("with_index", [False, True])
def test_cost_is_reported_by_anything(ws: Workspace, home: Path, by: str, with_index: bool) -> None:
    if with_index:
        indexed(home / ".claude")
    report = ws.cost(by=by)  # type: ignore[arg-type]

    assert isinstance(report, unspool.Report)
    assert report.total.spend.usd == sum(row.spend.usd or 0 for row in report.rows) == COST


def test_cost_follows_the_files(ws: Workspace, home: Path) -> None:
    before = ws.cost().total.spend.usd
    more = Transcript("0252").says("x", id="m2", usage={"output_tokens": 1_000})
    saved(home / ".claude", more)

    assert (before, ws.cost().total.spend.usd) == (COST, COST + 0.015)


def test_cost_can_be_narrowed(ws: Workspace) -> None:
    assert ws.cost(until="2020-01-01").rows == []
    assert ws.cost(project="elsewhere").rows == []
    assert ws.blocks().blocks
    assert ws.explain("latest").total_cost == COST


def test_a_report_nobody_knows_is_refused(ws: Workspace) -> None:
    with pytest.raises(unspool.ConfigError, match="Use one of day, week, month"):
        ws.cost(by="hour")  # type: ignore[arg-type]


@pytest.mark.parametrize("with_index", [False, True])
def test_lines_are_found(ws: Workspace, home: Path, with_index: bool) -> None:
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


def test_a_board_leaves_no_file_open(home: Path) -> None:
    lively("mine").user("hello").says("done").save(home / ".claude")
    indexed(home / ".claude")
    with unspool.open() as ws:
        ws.board()
        before = open_below(home)
        gc.disable()  # what only a collection closes stays open for long
        for _ in range(3):
            ws.board()
        after = open_below(home)
        gc.enable()

    assert after == before


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
def test_a_session_is_exported(ws: Workspace, format: str, begins: bytes) -> None:
    assert ws.export("latest", format).lower().startswith(begins)  # type: ignore[arg-type]


def test_an_export_has_no_secret_unless_asked(home: Path) -> None:
    secret = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"
    saved(home / ".claude", Transcript("s1").user(f"please take {secret}"))
    ws = unspool.open()

    assert secret.encode() not in ws.export("latest", "jsonl")
    assert secret.encode() in ws.export("latest", "jsonl", unredacted=True)
    assert b"please" not in ws.export("latest", "jsonl", anonymise=True)


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


def test_nothing_is_written(ws: Workspace, home: Path) -> None:
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


def test_a_damaged_index_is_no_reason_not_to_read(ws: Workspace, home: Path) -> None:
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
    ws: Workspace, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        ws.session(name)
    assert "--" not in str(caught.value)


def test_a_name_that_fits_several_lists_them(path: Path, home: Path) -> None:
    saved(home / ".claude", Transcript("0141ffff").user("go"))
    with pytest.raises(unspool.Ambiguous) as caught:
        unspool.open().session("0141")

    assert set(caught.value.candidates) == {"0141fab3", "0141ffff"}
