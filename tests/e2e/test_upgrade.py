"""Homes that earlier versions wrote are opened, or the one command that helps is said.

Each archive in `homes` is an UNSPOOL_HOME with the index of two roots, `/tmp/shop/claude` and
`/tmp/shop/work`: three sessions with an agent and hook events, marks.json, and a price of the
user's own. The roots are gone, so everything comes from the home. In `0.1.0-copy` somebody has
run `unspool ls --root /tmp/shop/copy`, a copy of the first root, which put it into the index too.
"""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import here
from unspool.source.roots import KnownRoot, known_roots

HOMES = Path(__file__).parent / "homes"
Capsys = pytest.CaptureFixture[str]

FIRST, SECOND, THIRD = (f"00000000-0000-4000-8000-{number:012d}" for number in (1, 2, 3))
PROJECT = "-srv-shop"
# project, session -> what each cost, in picodollars
SESSIONS = {
    (PROJECT, FIRST): 37_200_000_000,
    (PROJECT, SECOND): 6_740_000_000,
    (f"r2~{PROJECT}", THIRD): 11_280_000_000,
}
COST = 0.05522


@pytest.fixture
def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Unpack a home, as the user's own with its two roots."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/tmp/shop/claude,/tmp/shop/work")

    def unpack(name: str) -> Path:
        with tarfile.open(HOMES / f"{name}.tar.xz") as packed:
            packed.extractall(home / "unspool", filter="data")
        return home / "unspool"

    return unpack


def asked(capsys: Capsys, *args: str) -> Any:
    said = here(capsys, *args, "--json")
    assert (said.code, said.err) == (0, "")
    return json.loads(said.out)


def dollars(capsys: Capsys) -> dict[tuple[str, str], int]:
    query = "SELECT project_id, session_id, usd_pico FROM sessions WHERE root NOT LIKE '%copy'"
    rows = asked(capsys, "sql", query)["items"]
    return {(row["project_id"], row["session_id"]): row["usd_pico"] for row in rows}


def test_a_home_of_0_1_0_has_all_it_had_after_a_rebuild(opened: Any, capsys: Capsys) -> None:
    place = opened("0.1.0")
    assert here(capsys, "index", "rebuild").code == 0
    rows = asked(capsys, "ls")["items"]

    assert {(row["session"]["projectId"], row["session"]["id"]) for row in rows} == set(SESSIONS)
    assert dollars(capsys) == SESSIONS
    assert asked(capsys, "cost", "daily")["totals"]["totalCost"] == COST
    assert known_roots(str(place)) == [
        KnownRoot("/tmp/shop/claude", ""),
        KnownRoot("/tmp/shop/work", "r2~"),
    ]


def test_its_agents_hooks_texts_and_marks_are_there(opened: Any, capsys: Capsys) -> None:
    opened("0.1.0")
    assert here(capsys, "index", "rebuild").code == 0

    assert "The clock is in UTC." in here(capsys, "show", FIRST).out
    assert asked(capsys, "sql", "SELECT proof FROM agents")["items"] == [{"proof": "meta"}]
    assert len(asked(capsys, "sql", "SELECT * FROM hook_events")["items"]) == 3
    assert len(asked(capsys, "search", "cutoff_utc")["items"]) == 1
    assert "Friday checkout" in here(capsys, "ls").out
    assert asked(capsys, "sql", "SELECT title, pinned FROM marks")["items"] == [
        {"title": "Friday checkout", "pinned": 1}
    ]


@pytest.mark.parametrize("name", ["pre-0.1.0", "0.1.0", "0.1.0-copy"])
@pytest.mark.parametrize("args", [("sql", "SELECT 1"), ("search", "word"), ("index", "build")])
def test_an_index_that_cannot_be_brought_up_to_date_names_the_command(
    name: str, args: tuple[str, ...], opened: Any, capsys: Capsys
) -> None:
    opened(name)
    said = here(capsys, *args)

    assert said.code == 1
    assert "was made by an earlier version of unspool. Run `unspool index rebuild`" in said.err


@pytest.mark.parametrize("name", ["pre-0.1.0", "0.1.0", "0.1.0-copy"])
def test_meanwhile_costs_are_told_and_sessions_listed(
    name: str, opened: Any, capsys: Capsys
) -> None:
    opened(name)
    listed = here(capsys, "ls")

    assert listed.code == 0
    assert "unspool index rebuild" in listed.err
    assert "unspool index rebuild" in here(capsys, "doctor").out


@pytest.mark.parametrize("name", ["pre-0.1.0", "0.1.0", "0.1.0-copy"])
def test_that_command_brings_everything_back(name: str, opened: Any, capsys: Capsys) -> None:
    opened(name)
    assert here(capsys, "index", "rebuild").code == 0

    assert dollars(capsys) == SESSIONS
    assert asked(capsys, "cost", "daily")["totals"]["totalCost"] == COST
    assert asked(capsys, "sql", "SELECT DISTINCT proof FROM agents")["items"] == [{"proof": "meta"}]


def test_a_root_that_was_only_looked_at_keeps_its_archive_under_its_own_name(
    opened: Any, capsys: Capsys
) -> None:
    place = opened("0.1.0-copy")
    here(capsys, "index", "rebuild")
    query = "SELECT DISTINCT root, project_id FROM sessions ORDER BY root"
    rows = [tuple(row.values()) for row in asked(capsys, "sql", query)["items"]]

    assert rows == [
        ("/tmp/shop/claude", PROJECT),
        ("/tmp/shop/copy", f"r3~{PROJECT}"),
        ("/tmp/shop/work", f"r2~{PROJECT}"),
    ]
    assert len(asked(capsys, "ls")["items"]) == 3
    assert [root.prefix for root in known_roots(str(place))] == ["", "r2~", "r3~"]


def test_one_root_alone_keeps_the_prefix_it_had_beside_the_other(
    opened: Any, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened("0.1.0")
    assert here(capsys, "index", "rebuild").code == 0
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/tmp/shop/work")
    rows = asked(capsys, "ls")["items"]

    assert [row["session"]["projectId"] for row in rows] == [f"r2~{PROJECT}"]
    assert asked(capsys, "cost", "daily")["totals"]["totalCost"] == 0.01128
