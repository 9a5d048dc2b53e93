"""Directories copied from other machines: `--root NAME=DIR` says which machine each is of."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from platform import node

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here, process, stores_of
from tests.serve.served import Served, server_context
from unspool.cli import config
from unspool.engine.indexing.backfill import build
from unspool.engine.sessions.registry import Registry
from unspool.engine.sessions.session_list import SessionFilter

ID = "-home-dev-kettle"


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
    stores = stores_of(*map(Path, given))
    build(stores.writing, stores.roots, config.prices(), config.now(), lambda *_: None)
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


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("", ["built", "also-travelled", "travelled", "mine"]),
        ("laptop", ["also-travelled", "travelled"]),
        ("build-7", ["built"]),
        (node(), ["mine"]),
        ("elsewhere", []),
    ],
)
def test_a_list_can_be_that_of_one_machine(site: Served, machine: str, expected: list[str]) -> None:
    asked = site.ask("/api/sessions", params={"machine": machine}).json()

    assert [row["session"]["id"] for row in asked["items"]] == expected
    assert site.context.sessions.counts(SessionFilter(machine=machine)).total == len(expected)


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
