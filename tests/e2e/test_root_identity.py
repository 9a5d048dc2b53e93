"""A session belongs to its root: a look at a copy, a link or a backup changes nothing."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here
from tests.cli.servings import serving
from tests.waiting import until
from unspool.cli.config import open_stores
from unspool.engine.stores import drop_unused
from unspool.source.roots import known_roots

Capsys = pytest.CaptureFixture[str]
SUM = "SELECT count(*) AS n, sum(usd_pico) AS usd, sum(lines) AS lines FROM sessions"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own root, with two sessions."""
    made = root(tmp_path / "claude", talk(), talk("session-two", 2))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made))
    return made


def link(own: Path) -> Path:
    other = own.with_name("link")
    other.symlink_to(own)
    return other


def copy(own: Path) -> Path:
    return Path(shutil.copytree(own, own.with_name("backup"), copy_function=shutil.copy2))


def asked(capsys: Capsys, *args: str) -> Any:
    said = here(capsys, *args, "--json")
    assert said.code == 0
    return json.loads(said.out)


def answers(capsys: Capsys) -> list[Any]:
    """What every kind of reading says about the user's own sessions."""
    doctor = [one for one in asked(capsys, "doctor")["items"] if one["about"] == "index"]
    return [
        here(capsys, "ls").out,
        asked(capsys, "ls"),
        asked(capsys, "sql", SUM),
        asked(capsys, "cost", "session"),
        asked(capsys, "search", "alpha"),
        doctor,
    ]


@pytest.mark.parametrize("elsewhere", [link, copy])
@pytest.mark.parametrize("command", [["ls"], ["search", "alpha"], ["sql", SUM], ["index", "build"]])
def test_a_look_through_another_path_changes_nothing(
    elsewhere: Any, command: list[str], own: Path, capsys: Capsys
) -> None:
    here(capsys, "index", "build")
    before = answers(capsys)
    other = elsewhere(own)
    assert here(capsys, *command, "--root", other).code == 0

    assert answers(capsys) == before
    assert before[2]["items"][0]["n"] == 2


@pytest.mark.parametrize("elsewhere", [link, copy])
def test_nor_does_it_for_the_server(elsewhere: Any, own: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build")
    here(capsys, "ls", "--root", elsewhere(own))

    with serving(None) as server:
        assert until(lambda: len(server.get("/api/sessions")["items"]) == 2)


def test_the_own_root_by_a_link_is_the_own_root(own: Path, home: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build")

    assert open_stores([str(link(own))]).home == home / "unspool"
    assert "session-one" in here(capsys, "show", "session-one", "--root", own.with_name("link")).out
    assert not (home / "unspool" / "roots").exists()


def test_the_configured_directory_by_another_name_is_the_same_root(
    own: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(capsys, "index", "build")
    before = asked(capsys, "sql", SUM)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(link(own)))

    assert asked(capsys, "sql", SUM) == before
    assert len(asked(capsys, "ls")["items"]) == 2


def test_another_root_has_its_own_index_with_its_own_sums(
    own: Path, home: Path, capsys: Capsys
) -> None:
    here(capsys, "index", "build")
    other = copy(own)
    root(other, talk("session-three", 3))
    here(capsys, "index", "build", "--root", other)

    assert asked(capsys, "sql", SUM)["items"][0]["n"] == 2
    assert asked(capsys, "sql", SUM, "--root", str(other))["items"][0]["n"] == 3
    assert [place.name for place in (home / "unspool").glob("roots/*/index.db")] == ["index.db"]


def test_two_paths_of_another_root_share_its_index(own: Path, home: Path, capsys: Capsys) -> None:
    other = copy(own)
    here(capsys, "index", "build", "--root", other)
    here(capsys, "index", "build", "--root", link(other))

    assert len(list((home / "unspool" / "roots").iterdir())) == 1


def test_a_root_keeps_its_prefix_when_the_order_changes(
    own: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = root(own.with_name("second"), talk("session-three", 3))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{own},{second}")
    here(capsys, "index", "build")
    before = asked(capsys, "ls"), asked(capsys, "cost", "session")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{second},{own}")
    here(capsys, "index", "build")

    assert (asked(capsys, "ls"), asked(capsys, "cost", "session")) == before


def test_prefixes_outlast_a_damaged_note_of_them(
    own: Path, home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = root(own.with_name("second"), talk("session-three", 3))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{own},{second}")
    here(capsys, "index", "build")
    before = asked(capsys, "ls")
    (home / "unspool" / "roots.json").write_text("{")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{second},{own}")

    assert asked(capsys, "ls") == before


def test_costs_are_of_the_roots_that_are_asked_about(
    own: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = asked(capsys, "cost", "session")
    second = root(own.with_name("second"), talk("session-three", 3))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{own},{second}")
    both = asked(capsys, "cost", "session")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(own))

    assert asked(capsys, "cost", "session") == alone
    assert len(both["sessions"]) == 3
    assert len(asked(capsys, "cost", "session", "--root", str(second))["sessions"]) == 1


def test_sql_says_the_root_of_a_session(own: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build")

    rows = asked(capsys, "sql", "SELECT DISTINCT root FROM sessions")["items"]
    assert rows == [{"root": str(own)}]


def others(home: Path) -> list[str]:
    return [
        known.path
        for one in (home / "unspool" / "roots").iterdir()
        for known in known_roots(str(one))
    ]


def test_an_index_of_a_root_that_is_gone_is_dropped(own: Path, home: Path, capsys: Capsys) -> None:
    other = copy(own)
    here(capsys, "index", "build", "--root", other)
    assert others(home) == [str(other)]
    shutil.rmtree(other)
    here(capsys, "index", "build")

    assert others(home) == []


def test_so_is_one_that_nobody_asked_about_for_thirty_days(
    own: Path, home: Path, capsys: Capsys
) -> None:
    other, day = copy(own), 86_400_000
    here(capsys, "index", "build", "--root", other)
    note = next((home / "unspool").glob("roots/*/roots.json"))
    used = int(note.stat().st_mtime * 1_000)

    drop_unused(home / "unspool" / "roots", used + 29 * day)
    assert others(home) == [str(other)]
    os.utime(note, ((used - 31 * day) / 1_000,) * 2)
    here(capsys, "ls", "--root", other)
    drop_unused(home / "unspool" / "roots", used + 29 * day)
    assert others(home) == [str(other)]  # a look is a use
    drop_unused(home / "unspool" / "roots", used + 31 * day)
    assert others(home) == []


def test_one_that_is_being_written_stays(own: Path, home: Path, capsys: Capsys) -> None:
    other = copy(own)
    writer = open_stores([str(other)]).writing()
    try:
        drop_unused(home / "unspool" / "roots", 4_000_000_000_000)
        assert others(home) == [str(other)]
    finally:
        writer.close()
