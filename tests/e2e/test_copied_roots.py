"""Directories copied from other machines: `--root NAME=DIR` says which machine each is of."""

import html
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from platform import node

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here, process, stores_of
from tests.serve.served import Served, indexed, server_context
from unspool.cli import config
from unspool.engine.sessions.registry import Registry
from unspool.engine.sessions.session_list import SessionFilter

ID = "-home-dev-kettle"
SESSIONS = ("mine", "travelled", "also-travelled", "built")


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """Own sessions, and copies of those of two machines, one of which has two directories."""
    root(tmp_path / "own", talk("mine", day=1))
    root(tmp_path / "laptop", talk("travelled", day=2))
    root(tmp_path / "second", talk("also-travelled", day=3))
    root(tmp_path / "build", talk("built", day=4))
    names = ("own", "laptop=laptop", "laptop=second", "build-7=build")
    return [f"{label}{tmp_path}/{name}" for label, name in map(split, names)]


def split(text: str) -> tuple[str, str]:
    label, sign, name = text.rpartition("=")
    return label + sign, name


def options(given: list[str]) -> list[str]:
    return [part for one in given for part in ("--root", one)]


@pytest.fixture
def site(given: list[str]) -> Iterator[Served]:
    indexed(*map(Path, given))
    with server_context(*map(Path, given)) as context:
        yield Served(context)


def test_projects_carry_the_name_of_their_machine(given: list[str]) -> None:
    said = process("ls", "--json", *options(given))

    assert {
        row["session"]["id"]: row["session"]["projectId"] for row in json.loads(said.out)["items"]
    } == {
        "mine": ID,
        "travelled": f"laptop~{ID}",
        "also-travelled": f"laptop~r2~{ID}",
        "built": f"build-7~{ID}",
    }


OF_MACHINES = pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("", ["built", "also-travelled", "travelled", "mine"]),
        ("laptop", ["also-travelled", "travelled"]),
        ("build-7", ["built"]),
        (node(), ["mine"]),
        ("elsewhere", []),
    ],
)


@OF_MACHINES
def test_a_list_can_be_that_of_one_machine(site: Served, machine: str, expected: list[str]) -> None:
    asked = site.ask("/api/sessions", params={"machine": machine}).json()

    assert [row["session"]["id"] for row in asked["items"]] == expected
    assert site.context.sessions.counts(SessionFilter(machine=machine)).total == len(expected)


@OF_MACHINES
def test_searches_and_costs_can_be_those_of_one_machine(
    site: Served, machine: str, expected: list[str]
) -> None:
    asked = {"machine": machine}
    found = site.ask("/api/search", params={"q": "prompt", **asked}).json()["items"]
    spent = site.ask("/api/cost", params={"by": "session", **asked}).json()
    tools = site.ask("/api/cost", params={"by": "tool", **asked}).json()
    shown = site.ask("/search", params={"q": "prompt", **asked}).text
    every = site.ask("/api/cost").json()["totals"]["responses"]

    assert [one["sessionId"] for one in found] == expected
    assert {one["sessionId"] for one in spent["sessions"]} == set(expected)
    assert spent["totals"]["responses"] * 4 == every * len(expected)
    assert tools["totals"]["responses"] == spent["totals"]["responses"]
    assert {id for id in SESSIONS if f"/{id}?at=" in shown} == set(expected)


@OF_MACHINES
def test_all_of_the_spend_page_is_of_one_machine(
    site: Served, machine: str, expected: list[str]
) -> None:
    asked = {"machine": machine, "range": "all"}
    drill = {"project": "kettle", **asked}
    costs = site.ask("/api/cost", params={"by": "session"}).json()["sessions"]
    costs = [one for one in costs if one["sessionId"] in expected]
    usd, responses = (sum(one[name] for one in costs) for name in ("totalCost", "responses"))
    page = " ".join(re.sub(r"<[^>]*>", "", site.ask("/spend", params=asked).text).split())
    sessions = site.ask("/part/spend/sessions", params=drill).text
    tools = site.ask("/tools", params={"tool": "Bash", **asked}).text

    assert f"${usd:,.2f} " in page
    assert f"{responses} responses in" in page
    assert ("No usage matches these filters" in page) == (not expected)
    listed, called = (
        {id for id in SESSIONS if re.search(rf"/s/[^/]+/{id}[\"?]", text)}
        for text in (sessions, tools)
    )
    assert listed == set(expected)
    # Each of them has the same call: what several sessions repeat is there once.
    assert (called <= set(expected), bool(called)) == (True, bool(expected))


def test_edits_can_be_those_of_one_machine(tmp_path: Path) -> None:
    for place in ("own", "laptop"):
        given = {"file_path": f"/home/dev/kettle/{place}.py", "content": "alpha"}
        made = talk(place).calls("Write", given, id=f"toolu_{place}").returns("written")
        root(tmp_path / place, made)
    places = [tmp_path / "own", Path(f"laptop={tmp_path}/laptop")]
    indexed(*places)
    with server_context(*places) as context:
        site = Served(context)

        def files(path: str) -> set[str]:
            return {
                f"{name}.py" for name in ("own", "laptop") if f"{name}.py" in site.ask(path).text
            }

        for path in ("/api/files", "/part/files", "/files"):
            assert files(path) == {"own.py", "laptop.py"}
            assert files(f"{path}?machine=laptop") == {"laptop.py"}
        assert '<option value="laptop" selected' in site.ask("/files?machine=laptop").text
        assert "No matches" in site.ask("/files?machine=elsewhere").text


def test_a_machine_is_chosen_on_the_pages_and_kept_in_their_links(site: Served) -> None:
    for path in (
        "/search?q=prompt",
        "/spend?range=all",
        "/tools?range=all",
        "/part/spend?range=all",
    ):
        text = html.unescape(site.ask(f"{path}&machine=laptop").text)
        name, _, _ = path.partition("?")
        links = re.findall(rf'href="{name.removeprefix("/part")}\?([^"#]*)', text)

        assert '<option value="laptop" selected' in text
        assert '<option value="build-7"' in text
        assert [
            link for link in links if "machine=laptop" not in link and link != "range=today"
        ] == []
        assert len(links) > 1
    text = html.unescape(site.ask("/spend?range=all&machine=laptop").text)
    assert 'name="machine" value' not in text
    for link in ("/part/spend/sessions?", "/tools?tool="):
        found = re.findall(rf'"{re.escape(link)}([^"]*)', text)
        assert (len(found) > 0, [one for one in found if "machine=laptop" not in one]) == (True, [])
    days = html.unescape(site.ask("/sessions?machine=laptop").text)
    assert re.search(r"/spend\?day=2026-01-03&machine=laptop", days)


def test_one_machine_alone_is_not_offered(tmp_path: Path) -> None:
    indexed(root(tmp_path / "own", talk("mine")))
    with server_context(tmp_path / "own") as context:
        for path in ("/search", "/spend?range=all", "/tools?range=all", "/files"):
            assert "machine" not in re.findall(
                r'<select[^>]* name="(\w+)"', Served(context).ask(path).text
            )


def test_the_page_names_the_machine_of_each_session(site: Served) -> None:
    text = site.ask("/sessions").text

    for name in ("laptop", "build-7", node()):
        assert f'<span class="mono">{name}</span>' in text
        assert f'<option value="{name}"' in text
    assert '<option value="laptop" selected' in site.ask("/sessions?machine=laptop").text


def test_sql_has_the_name_of_the_machine(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "index", "build", *options(given))
    query = "SELECT session_id, machine_id FROM sessions ORDER BY start_time"
    said = here(capsys, "sql", query, "--json", *options(given))

    assert [(row["session_id"], row["machine_id"]) for row in json.loads(said.out)["items"]] == [
        ("mine", ""),
        ("travelled", "laptop"),
        ("also-travelled", "laptop"),
        ("built", "build-7"),
    ]


def test_a_process_of_another_machine_is_none_of_ours(given: list[str]) -> None:
    """Its number may be that of some process here."""
    roots = stores_of(*map(Path, given)).roots
    known = Registry(roots)
    for path in [one.path for one in roots]:
        entry = Path(path, "sessions", f"{os.getpid()}.json")
        entry.parent.mkdir()
        entry.write_text(json.dumps({"pid": os.getpid(), "sessionId": Path(path).name}))
        known.look(str(entry), 1)

    assert set(known.sessions()) == set(Registry(roots).sessions()) == {"own"}


def test_a_name_that_no_machine_can_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root(tmp_path / "root")
    for name in ("r2", "x", "Laptop"):
        said = here(capsys, "ls", "--root", f"{name}={tmp_path}/root")

        assert (said.code, f"'{name}' cannot be the name of a machine" in said.err) == (2, True)


def test_a_directory_with_such_a_name_is_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root(tmp_path / "laptop=work")
    monkeypatch.chdir(tmp_path)
    for given in ("laptop=work", str(tmp_path / "laptop=work")):
        (row,) = json.loads(here(capsys, "ls", "--json", "--root", given).out)["items"]

        assert row["session"]["projectId"] == ID


def test_another_name_is_another_index(tmp_path: Path) -> None:
    root(tmp_path / "root")
    homes = [
        config.open_stores([f"{name}{tmp_path}/root"]).home for name in ("", "laptop=", "desk=")
    ]

    assert len(set(homes)) == 3
    assert config.open_stores([f"laptop={tmp_path}/root"]).home == homes[1]
