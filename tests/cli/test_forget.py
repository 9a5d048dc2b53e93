"""`unspool forget`: which sessions it means, what it asks, and what it says is left."""

import json
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import hook_log, root, sweep, talk
from tests.cli.runs import Said, answered, here
from tests.cli.servings import serving
from tests.waiting import until
from unspool.cli import forget
from unspool.cli.config import open_stores
from unspool.demo import Transcript

KEY = "sk-ant-api03-" + "Ab1" * 31 + "AA"
PROJECT = "-home-dev-kettle"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = root(tmp_path / "claude", talk("session-one"), talk("session-two", 2))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made))
    return made


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    found = json.loads(here(capsys, "ls", "--json").out)["items"]
    return sorted(row["session"]["id"] for row in found)


def answer(said: Said) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_a_session_is_forgotten_and_its_files_stay(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build")
    path = place / "projects" / PROJECT / "session-one.jsonl"
    said = here(capsys, "forget", "session-one", "--yes")

    assert (said.code, listed(capsys)) == (0, ["session-two"])
    assert "Forgot 1 session" in said.out
    assert f"  {path}\n" in said.out
    assert f"rm -- {path}" in said.out
    assert path.exists()


def test_every_file_that_stays_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beside = place / "projects" / PROJECT / "session-one"
    files = [
        beside / "tool-results" / "b.txt",
        beside / "subagents" / "agent-a.jsonl",
        place / "todos" / "session-one-agent-session-one.json",
        place / "file-history" / "session-one" / "v1",
        hook_log(place, "{}"),
    ]
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    legacy = place / "projects" / PROJECT / "agent-old.jsonl"
    legacy.write_text('{"sessionId":"session-one","agentId":"old"}\n')
    other = place / "todos" / "session-one2.json"
    other.write_text("[]")
    (place / "history.jsonl").write_text('{"display":"x","sessionId":"session-one"}\n{}\n')

    (found,) = answer(here(capsys, "forget", "session-one", "--yes", "--json"))["forgotten"]
    main = place / "projects" / PROJECT / "session-one.jsonl"
    assert sorted(found["remaining"]) == sorted(map(str, [main, legacy, *files]))
    assert found["prompts"] == 1


def test_a_dry_run_shows_what_would_go_and_changes_nothing(
    place: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build")
    said = here(capsys, "forget", "session-one", "--dry-run")

    assert "alpha prompt of session-one" in said.out
    assert "1 session would be erased" in said.out
    assert listed(capsys) == ["session-one", "session-two"]
    assert answer(here(capsys, "forget", "session-one", "--dry-run", "--json"))["dryRun"] is True


def test_without_a_terminal_it_asks_for_yes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "forget", "session-one")

    assert (said.code, "--yes" in said.err) == (2, True)
    assert listed(capsys) == ["session-one", "session-two"]


@pytest.mark.parametrize(("word", "code"), [("y\n", 0), ("yes\n", 0), ("\n", 1), ("no\n", 1)])
def test_on_a_terminal_only_a_yes_is_a_yes(
    place: Path, word: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, shown = answered(word, "forget", "session-one")

    assert exit_code == code
    assert b"alpha prompt of session-one" in shown
    assert listed(capsys) == ["session-two"] if code == 0 else ["session-one", "session-two"]


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("session-one", "--secret"),
        ("--list", "--secret"),
        ("--project", "kettle", "--secret"),
        ("--restore",),
        ("--lst",),
    ],
)
def test_what_is_no_usage_is_exit_2(
    place: Path, args: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert here(capsys, "forget", *args, "--yes").code == 2


def test_a_session_that_is_not_there_is_exit_3(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert here(capsys, "forget", "nobody-at-all", "--yes").code == 3
    assert here(capsys, "forget", "--restore", "session-one").code == 3
    assert here(capsys, "forget", "--project", "nowhere", "--yes").code == 3


def test_several_that_are_meant_are_exit_2_and_none_is_forgotten(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk("session-one", 3, cwd="/home/dev/other").save(place)

    assert here(capsys, "forget", "session-", "--yes").code == 2
    said = here(capsys, "forget", "session-one", "--yes")
    assert (said.code, PROJECT in said.err, "-home-dev-other" in said.err) == (2, True, True)
    assert here(capsys, "forget", "--project", "home", "--yes").code == 2
    assert listed(capsys) == ["session-one", "session-one", "session-two"]
    assert here(capsys, "forget", "session-one", f"--project={PROJECT}", "--yes").code == 0
    assert listed(capsys) == ["session-one", "session-two"]


def test_all_sessions_of_a_project_are_forgotten(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk("session-three", 3, cwd="/home/dev/other").save(place)
    here(capsys, "index", "build")
    sweep(place, "session-two")
    here(capsys, "index", "build")

    found = answer(here(capsys, "forget", "--project", "kettle", "--yes", "--json"))["forgotten"]
    assert sorted(one["sessionId"] for one in found) == ["session-one", "session-two"]
    assert listed(capsys) == ["session-three"]


def test_sessions_with_a_secret_are_found_and_told_by_kind(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript("session-key", "/home/dev/kettle").user("go").calls("Bash", command="x").returns(
        f"ANTHROPIC_API_KEY={KEY}"
    ).save(place)
    assert answer(here(capsys, "forget", "--secret", "--dry-run", "--json"))["forgotten"] == []
    here(capsys, "index", "build")

    said = here(capsys, "forget", "--secret", "--dry-run")
    assert "session-key" in said.out
    assert "session-one" not in said.out
    assert KEY not in said.out
    (found,) = answer(here(capsys, "forget", "--secret", "--yes", "--json"))["forgotten"]
    assert found["sessionId"] == "session-key"
    assert sum(found["secrets"].values()) >= 1
    assert listed(capsys) == ["session-one", "session-two"]


def test_where_there_is_no_secret_it_says_so(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build")
    said = here(capsys, "forget", "--secret", "--yes")

    assert (said.code, said.out) == (0, "No session has a secret in its stored text.\n")


def test_what_was_forgotten_is_listed_and_restored(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert here(capsys, "forget", "--list").out == "No session was forgotten.\n"
    here(capsys, "forget", "session-one", "--yes")
    (item,) = answer(here(capsys, "forget", "--list", "--json"))["items"]
    assert (item["sessionId"], item["projectId"], item["onDisk"]) == ("session-one", PROJECT, True)
    assert here(capsys, "forget", "--list").out.endswith(f"  {PROJECT}\n")
    sweep(place, "session-one")
    assert here(capsys, "forget", "--list").out.endswith(f"  {PROJECT}  no longer on disk\n")
    root(place, talk("session-one"))

    said = here(capsys, "forget", "--restore", "session-o")
    assert "It is indexed again." in said.out
    assert listed(capsys) == ["session-one", "session-two"]
    assert answer(here(capsys, "forget", "--list", "--json"))["items"] == []


def test_one_that_is_gone_from_the_disk_does_not_come_back(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build")
    here(capsys, "forget", "session-one", "--yes")
    sweep(place, "session-one")

    assert "nothing to restore" in here(capsys, "forget", "--restore", "session-one").out
    assert listed(capsys) == ["session-two"]


def test_every_list_and_sum_says_how_many_were_forgotten(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build")
    cost = answer(here(capsys, "cost", "--json"))
    assert (cost["forgotten"], len(cost["daily"])) == (0, 2)
    assert "forgotten" not in here(capsys, "cost").out + here(capsys, "ls").out

    here(capsys, "forget", "session-one", "--yes")
    cost = answer(here(capsys, "cost", "--json"))
    assert (cost["forgotten"], len(cost["daily"])) == (1, 1)
    assert answer(here(capsys, "cost", "blocks", "--json"))["forgotten"] == 1
    assert here(capsys, "cost").out.endswith("\n1 session forgotten: not included.\n")
    assert here(capsys, "ls").out.endswith("\n1 session forgotten.\n")
    assert answer(here(capsys, "ls", "--json"))["forgotten"] == 1
    assert answer(here(capsys, "index", "--json"))["forgotten"] == 1
    assert "1 session; unspool forget --list" in here(capsys, "index").out


def test_a_cost_report_that_was_just_cached_is_not_believed(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without an index, the first report and the next."""
    for build in (False, True):
        if build:
            here(capsys, "index", "build")
        for _ in range(2):
            assert len(answer(here(capsys, "cost", "--json"))["daily"]) == 2
        here(capsys, "forget", "session-one", "--yes")
        for _ in range(2):
            assert len(answer(here(capsys, "cost", "--json"))["daily"]) == 1
        here(capsys, "forget", "--restore", "session-one")


def test_a_report_that_is_cached_counts_a_restored_session_at_once(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "forget", "session-one", "--yes")
    for path in (place, *place.rglob("*")):
        os.utime(path, (1_767_225_600, 1_767_225_600))  # long settled: nothing has to be looked at
    for _ in range(2):
        assert len(answer(here(capsys, "cost", "--json"))["daily"]) == 1

    here(capsys, "forget", "--restore", "session-one")
    assert len(answer(here(capsys, "cost", "--json"))["daily"]) == 2


def test_a_cost_report_finishes_what_was_begun(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here(capsys, "index", "build")
    monkeypatch.setattr(forget, "_erase_everywhere", lambda stores: True)
    here(capsys, "forget", "session-one", "--yes")

    assert not open_stores().is_obedient()
    assert len(answer(here(capsys, "cost", "--json"))["daily"]) == 1
    assert open_stores().is_obedient()
    assert answer(here(capsys, "sql", "--json", "SELECT session_id FROM sessions"))["items"] == [
        {"session_id": "session-two"}
    ]


def test_indexes_of_other_roots_obey_too(
    place: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read together with another root, it has an index of their own."""
    other = root(tmp_path / "other", talk("session-three", 3))
    both = ("--root", str(place), "--root", str(other))
    here(capsys, "index", "build", *both)
    here(capsys, "forget", "session-one", "--yes")

    found = answer(here(capsys, "sql", "--json", "SELECT session_id FROM sessions", *both))
    assert sorted(row["session_id"] for row in found["items"]) == ["session-three", "session-two"]


def test_the_writer_of_a_server_erases_while_the_command_waits(
    place: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(place) as server:
        rows = "/api/sessions?limit=10"
        assert until(lambda: len(server.get(rows)["items"]) == 2)
        said = here(capsys, "forget", "session-one", "--yes")

        assert said.code == 0, said.err
        assert [row["session"]["id"] for row in server.get(rows)["items"]] == ["session-two"]
        assert server.get("/api/cost")["forgotten"] == 1
        assert server.get("/api/health")["forgotten"] == 1
        server.end(signal.SIGTERM)


def test_doctor_does_not_mourn_it_nor_quote_its_prompts(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"display": "alpha of it", "timestamp": 1767225600000, "sessionId": "session-one"}
    (place / "history.jsonl").write_text(json.dumps({**line, "project": "/home/dev/kettle"}) + "\n")
    here(capsys, "forget", "session-one", "--yes")

    said = here(capsys, "doctor").out
    assert "alpha of it" not in said
    assert "1 session forgotten." in said


def test_doctor_says_if_a_tombstone_cannot_be_read(
    place: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "unspool").mkdir(exist_ok=True)
    (home / "unspool" / "forgotten.jsonl").write_text("{half\n")

    assert "1 line of" in here(capsys, "doctor").out


def test_a_file_in_no_claude_directory_has_nothing_to_forget(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "alone" / "session-one.jsonl"
    path.parent.mkdir()
    path.write_bytes(talk().bytes())

    said = here(capsys, "forget", str(path), "--yes")
    assert (said.code, "nothing of it is stored" in said.err) == (3, True)


def test_while_it_is_not_erased_it_does_not_say_so(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here(capsys, "index", "build")
    monkeypatch.setattr(forget, "_PATIENCE", 0.0)
    with closing(open_stores().writing()):
        said = here(capsys, "forget", "session-one", "--yes")

    assert said.code == 1
    assert "It is not erased yet." in said.out
    assert "will erase them" in said.err
    assert listed(capsys) == ["session-two"]
