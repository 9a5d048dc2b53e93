"""What the pages of a hub show of a machine in each mode."""

import json
from pathlib import Path

import httpx
import pytest

from tests.engine.transcripts.test_bodies import POINTER
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.hub.collector.settings import read_settings
from unspool.show.labels import model_label
from unspool.source.spool import append


def told(home: Path) -> None:
    """A session with a long output in a file of its own, and an event of a hook."""
    root, secret = home / ".claude", "ghp_" + "a1B2c3D4e5F6" * 3
    made = Transcript("s1").user("count the kettles").calls("Bash", command="ls")
    made.returns(POINTER.format("/x/tool-results/b1.txt")).says("Three.").save(root)
    output = root / "projects" / "-repo" / "s1" / "tool-results" / "b1.txt"
    output.parent.mkdir(parents=True)
    output.write_text(f"first\nzqoutputzq {secret}\n")
    path = str(root / "projects" / "-repo" / "s1.jsonl")
    event = {"session_id": "s1", "transcript_path": path, "cwd": "/repo", "message": "zqhookzq"}
    payload = json.dumps({"hook_event_name": "Notification", **event}).encode()
    append(home / "unspool" / "spool", [payload], config.now())


def test_pages_show_outputs_and_hooks_or_say_what_is_missing(
    hub: HubDatabase, home: Path, tmp_path: Path
) -> None:
    told(home)
    assert main(["index", "build"]) == 0
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()

        def asked(path: str) -> str:
            headers = {"authorization": f"Bearer {runtime.token}", "accept": "text/html"}
            url = runtime.url + path
            return httpx.get(url, headers=headers, timeout=60, verify=NO_TLS).text

        code = hub.people.new_code(hub.people.people()[0].owner, config.now())
        send = ["collect", "--once", "--name", "laptop", "--hub", runtime.url]
        assert main([*send, "--code", code]) == 0
        page = "/s/laptop~-repo/s1"
        assert until(lambda: "zqoutputzq [redacted" in asked(f"{page}?level=everything"))
        assert "zqhookzq" in asked("/api/sessions/s1/events")
        assert until(lambda: "kettles" in json.dumps(asked("/api/search?q=kettles")))
        assert main(["collect", "--once", "--again", "--mode", "metadata"]) == 0
        assert until(lambda: "This machine sends no texts: mode metadata." in asked(page))
        known, found = asked(page), asked("/api/search?q=kettles")

    assert "What is known" in known
    assert model_label("claude-sonnet-4-6") in known
    assert "kettles" not in known
    assert json.loads(found)["items"] == []


def test_a_hub_can_ask_for_less_and_never_for_more(
    hub: HubDatabase, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(home)
    assert main(["index", "build"]) == 0
    settings = tmp_path / "hub" / "unspool.toml"
    settings.parent.mkdir()
    settings.write_text('[hub]\ntakes = "metadata"\n')
    said, words = [], ["kettles", "zqoutputzq", "zqhookzq", "Three."]

    def collected(*options: str) -> str:
        capsys.readouterr()
        assert main(["collect", "--once", *options]) == 0
        said.append("accepts less than mode" in capsys.readouterr().err)
        kept = read_settings(home / "unspool")
        return kept.mode if kept else ""

    with HubProcess(hub.url, settings.parent) as process:
        url = process.start().url
        code = hub.people.new_code(hub.people.people()[0].owner, config.now())
        first = collected("--hub", url, "--code", code, "--name", "laptop")
        again = collected()
        asked = collected("--mode", "raw")
        assert hub.tables()["line"]
        assert (hub.holds(words), hub.tables()["segment"]) == (set(), [])
        less = collected("--mode", "summary")
        process.kill()
        settings.write_text("")
        process.start()
        later = collected()

    assert (first, again, asked, less, later) == (
        *("metadata", "metadata", "metadata"),
        *("summary", "summary"),
    )
    assert said == [True, False, True, False, False]
