"""Mode redacted: of many planted secrets none is in the files of the hub's database."""

import json
from pathlib import Path

import pytest

from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.redact.secret_kinds import evaluation
from tests.redact.secrets import Planted, Watch
from tests.redact.secrets import planted as made_up
from tests.store.postgres.debian import DebianServer, needs_postgres_15
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript, tool_block
from unspool.source.spool import append

CONTROL = "zqcontrolzq"
_TOGETHER = 50  # secrets in one pattern: more would not fit into its memory


def told(session: str, secrets: list[Planted]) -> Transcript:
    """A session in which each secret is asked for, run, printed, and repeated."""
    made = Transcript(session, "/home/dev/kettle").user(CONTROL)
    for number, one in enumerate(secrets):
        made.user(one.text).answers([tool_block("Bash", {"command": one.text})], id=f"c{number}")
        made.returns(one.text, result={"stdout": one.text, "stderr": ""})
        made.says(f"It says: {one.text}", id=f"m{number}")
    return made


def hook(root: Path, text: str) -> bytes:
    """What Claude Code gives a hook."""
    path = root / "projects" / "-home-dev-kettle" / "s1.jsonl"
    about = {"session_id": "s1", "transcript_path": str(path), "cwd": "/home/dev/kettle"}
    return json.dumps({**about, "hook_event_name": "UserPromptSubmit", "prompt": text}).encode()


def plant(home: Path, secrets: list[Planted]) -> None:
    """Every secret in a transcript, in a file of a tool's output, and in an event of a hook."""
    root = home / ".claude"
    told("s1", secrets).save(root)
    outputs = root / "projects" / "-home-dev-kettle" / "s1" / "tool-results"
    outputs.mkdir(parents=True)
    for number, one in enumerate([Planted("", CONTROL, ""), *secrets]):
        (outputs / f"b{number}.txt").write_text(f"{one.text}\n")
    texts = [CONTROL, *(one.text for one in secrets)]
    append(home / "unspool" / "spool", [hook(root, text) for text in texts], config.now())


def files(place: Path) -> dict[str, str]:
    """All files of a cluster."""
    return {
        str(path.relative_to(place)): path.read_bytes().replace(b"\0", b"").decode("latin-1")
        for path in place.rglob("*")
        if path.is_file() and path.stat().st_size
    }


@pytest.mark.slow
def test_no_planted_secret_is_in_the_database_or_its_log(home: Path, tmp_path: Path) -> None:
    needs_postgres_15()
    secrets = [*made_up(450), *(one for _, one in evaluation(1))]
    watches = [Watch(secrets[at : at + _TOGETHER]) for at in range(0, len(secrets), _TOGETHER)]
    plant(home, secrets)
    assert main(["index", "build"]) == 0
    with DebianServer().create() as server:
        server.execute("CREATE DATABASE hub")
        with HubProcess(f"{server.url}/hub", tmp_path / "hub") as process:
            runtime = process.start()
            hub = HubDatabase(f"{server.url}/hub")
            code = hub.people.new_code(hub.people.people()[0].owner, config.now())
            send = ["collect", "--once", "--hub", runtime.url, "--code", code]
            assert main([*send, "--name", "laptop"]) == 0
            assert until(lambda: not hub.tables()["new_text"], 300)
            stored = b"\n".join(hub.values()).decode("latin-1")
            hub.close()
        server.execute("CHECKPOINT")
        found = files(server.data)

    assert stored.count(CONTROL) >= 4  # in bytes of each kind, and in a row
    assert {name.split("/")[0] for name, text in found.items() if CONTROL in text} >= {
        "base", "pg_wal",
    }  # fmt: skip
    for name, text in {**found, "values": stored}.items():
        assert [out for one in watches for out in one.out(text)] == [], name
    assert len({one.secret for one in secrets}) >= 450
