"""A session that leaves words in every place there is, and a search of a home for them."""

import json
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import apsw
import zstandard

from tests.cli.made import talk
from unspool.cli.config import open_stores
from unspool.demo import Transcript, tool_block
from unspool.engine.indexing.backfill import build
from unspool.engine.stores import Stores
from unspool.model.api import MarksUpdate
from unspool.source.spool import append

SESSION, PROJECT = "c0ffee00-gone", "-home-dev-kettle"
AT = 1_767_261_600_000  # when the sessions begin
WORDS = tuple(
    f"zq{place}zq"
    for place in (
        "prompt answer thought command result output agent journal hook log mark path torn".split()
    )
)
(
    PROMPT, ANSWER, THOUGHT, COMMAND, RESULT, OUTPUT, AGENT, JOURNAL, HOOK, LOG, MARK, PATH, TORN,
) = WORDS  # fmt: skip


def planted(root: Path, home: Path) -> None:
    """Write the session, one that is to stay, and hook events of both."""
    made = Transcript(SESSION, "/home/dev/kettle", start="2026-01-01T10:00:00.000Z")
    made.user(f"{PROMPT} please").thinks(THOUGHT, id="g1")
    made.answers([tool_block("Bash", {"command": COMMAND})], id="g2").returns(RESULT * 40)
    made.answers([tool_block("Edit", {"file_path": f"/x/{PATH}.py"})], id="g3").returns("done")
    made.says(ANSWER, id="g4").save(root)
    talk("session-kept", 2).save(root)
    beside = root / "projects" / PROJECT / SESSION
    agent = Transcript(SESSION, "/home/dev/kettle", agent="a1", uuid_prefix="a")
    agent.user(AGENT).says(AGENT, id="g5").save(root)
    _write(beside / "tool-results" / "b1.txt", OUTPUT)
    _write(beside / "subagents" / "workflows" / "w1" / "journal.jsonl", journal())
    _write(root / "hooks" / PROJECT / f"{SESSION}.hooks.jsonl", logged())
    events = [(SESSION, HOOK * 50), ("session-kept", "alpha"), (SESSION, HOOK)]
    append(home / "spool", [hook(root, *one) for one in events], AT)
    torn = next((home / "spool").iterdir())
    torn.write_bytes(torn.read_bytes() + b"~1 00 " + hook(root, SESSION, TORN)[:-1] + b"\n")


def hook(root: Path, session: str, text: str) -> bytes:
    """What Claude Code gives a hook."""
    told = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": session,
        "transcript_path": str(root / "projects" / PROJECT / f"{session}.jsonl"),
        "cwd": "/home/dev/kettle",
        "prompt": text,
    }
    return json.dumps(told).encode()


def journal() -> str:
    """A line of a workflow's journal."""
    return json.dumps({"type": "agent_start", "agentId": "a1", "prompt": JOURNAL}) + "\n"


def logged() -> str:
    """A line of an event log."""
    told = {"eventType": "Notification", "sessionId": SESSION, "input": {"message": LOG}}
    return json.dumps({**told, "timestamp": "2026-01-01T10:00:00.000Z"}) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def indexed(root: Path, now: int = AT + 3_600_000) -> Stores:
    """The stores of a root that is the user's own, with everything in the index."""
    stores = open_stores()
    build(stores.writing, stores.roots, stores.prices(), now, spool=stores.spool)
    stores.marks().change(PROJECT, SESSION, MarksUpdate(title=MARK))
    return stores


def left(home: Path) -> dict[str, set[str]]:
    """The planted words in each file of a home, however they are kept there."""
    found = {
        str(path.relative_to(home)): {
            word for data in _contents(path) for word in WORDS if word.encode() in data
        }
        for path in home.rglob("*")
        if path.is_file()
    }
    return {name: words for name, words in found.items() if words}


def _contents(path: Path) -> Iterator[bytes]:
    yield path.read_bytes().lower()
    if path.suffix == ".db" and path.stat().st_size:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as database:
            yield from _values(database)


def _values(database: apsw.Connection) -> Iterator[bytes]:
    """Every value of every table, unpacked where it is packed; words of the text index."""
    tables = database.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'view'"
    ).fetchall()
    for (table,) in tables:
        if str(table) in ("said", "output") and ("said_data",) in tables:
            database.execute(
                f"CREATE VIRTUAL TABLE temp.v_{table} USING fts5vocab(main, {table}, row)"
            )
            rows = database.execute(f"SELECT term FROM temp.v_{table}").fetchall()  # noqa: S608
        else:
            rows = database.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608
        for row in rows:
            for value in row:
                yield from _unpacked(value)


def _unpacked(value: object) -> Iterator[bytes]:
    if isinstance(value, str):
        yield value.lower().encode()
    elif isinstance(value, bytes):
        yield value.lower()
        with suppress(zstandard.ZstdError):
            yield zstandard.ZstdDecompressor().decompress(value, 64 * 1024 * 1024).lower()
        for bits in (15, -15):
            try:
                yield zlib.decompress(value, bits).lower()
            except zlib.error:
                continue
