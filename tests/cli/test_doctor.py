import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import Said, here, process, terminal
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]


def odd(session: str = "odd") -> Transcript:
    return Transcript(session=session, version="2.1.400").user("x").entry("zeppelin", altitude=3)


def told(said: Said) -> dict[str, dict[str, Any]]:
    return {item["about"]: item for item in json.loads(said.out)["items"]}


def test_every_finding_has_a_sign_and_a_command(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "doctor", "--root", root(tmp_path))

    assert said.code == 0
    assert said.out.startswith(f"✓ root          {tmp_path}: 1 session, 1 file, ")
    assert (
        "! index         There is no index yet.\n                unspool index build\n" in said.out
    )


def test_json_gives_findings(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    found = told(here(capsys, "doctor", "--root", tmp_path, "--json"))

    assert found["index"]["grade"] == "ok"
    assert found["sqlite"]["said"].startswith("3.")
    assert found["daemon"]["fix"] == "unspool index daemon start"


def test_strict_fails_where_something_is_wrong(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "empty").mkdir()
    args = ("doctor", "--root", tmp_path / "empty")

    assert here(capsys, *args).code == 0
    assert here(capsys, *args, "--strict").code == 1


def test_strict_is_content_where_nothing_is(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))

    assert here(capsys, "doctor", "--root", tmp_path, "--strict").code == 0


def test_a_damaged_index_is_found_and_the_cure_named(
    tmp_path: Path, home: Path, capsys: Capsys
) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    (home / "unspool" / "index.db").write_bytes(b"no database at all" * 1_000)
    said = here(capsys, "doctor", "--root", tmp_path, "--strict")

    assert said.code == 1
    assert "✗ index" in said.out
    assert "unspool index rebuild" in said.out


def test_names_nobody_knows_are_listed_by_version(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "doctor", "schema", "--root", root(tmp_path, odd()))
    titles, row, *_ = said.out.splitlines()

    assert said.code == 0
    assert titles.split()[:4] == ["VERSION", "KIND", "NAME", "COUNT"]
    assert row.split()[:4] == ["2.1.400", "type", "zeppelin", "1"]
    assert row.endswith("/odd.jsonl:2")


def test_strict_fails_where_a_name_is_unknown(tmp_path: Path, capsys: Capsys) -> None:
    assert here(capsys, "doctor", "schema", "--strict", "--root", root(tmp_path, odd())).code == 1


def test_known_names_alone_are_well(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "doctor", "schema", "--strict", "--root", root(tmp_path, talk()))

    assert said == Said(0, "Every name in these transcripts is known.\n", "")


def test_schema_as_json_names_the_place(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "doctor", "schema", "--json", "--root", root(tmp_path, odd(), odd("two")))
    (item,) = json.loads(said.out)["items"]

    assert (item["version"], item["kind"], item["name"], item["count"], item["line"]) == (
        "2.1.400",
        "type",
        "zeppelin",
        2,
        2,
    )


def test_an_examination_nobody_knows_is_wrong_usage(capsys: Capsys) -> None:
    assert here(capsys, "doctor", "teeth").code == 2


def test_on_a_terminal_it_fits(tmp_path: Path) -> None:
    shown = terminal("doctor", "schema", "--root", root(tmp_path, odd()), NO_COLOR="1")

    assert all(len(line) <= 80 for line in shown.splitlines())


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    said = process("doctor", CLAUDE_CONFIG_DIR=str(root(tmp_path)))

    assert (said.code, said.err) == (0, "")
