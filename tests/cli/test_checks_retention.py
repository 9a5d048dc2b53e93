import json
import os
from pathlib import Path

import pytest

from tests.cli.made import root, sweep, talk
from tests.cli.runs import here
from unspool.cli.checks import retention_findings
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.model.health import Finding
from unspool.source.roots import find_roots

Capsys = pytest.CaptureFixture[str]


def found(place: Path) -> dict[str, Finding]:
    with open_stores().reading() as (store, _):
        made = retention_findings(find_roots([place], {}, place), store.sources())
        return {one.about: one for one in made}


def history(place: Path, *sessions: str) -> None:
    lines = [
        {"display": f"Prompt of {name}", "timestamp": 1767225600000, "project": "/home/dev/kettle",
         "sessionId": name}
        for name in sessions
    ]  # fmt: skip
    (place / "history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_sessions_that_are_not_archived_are_counted(tmp_path: Path) -> None:
    one = found(root(tmp_path, talk(), talk("session-two")))["sweep"]

    assert (one.grade, one.fix) == ("note", "unspool index build")
    assert "after 30 days (cleanupPeriodDays is not set)" in one.said
    assert one.said.endswith("2 of 2 sessions here are not archived.")


def test_sessions_that_are_archived_are_safe(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    one = found(tmp_path)["sweep"]

    assert (one.grade, one.said.endswith("All 1 session here are archived.")) == ("ok", True)


def test_a_short_period_is_named(tmp_path: Path) -> None:
    (root(tmp_path) / "settings.json").write_text('{"cleanupPeriodDays": 7}')

    assert "after 7 days (set by cleanupPeriodDays)" in found(tmp_path)["sweep"].said


def test_a_long_period_is_as_good_as_none(tmp_path: Path) -> None:
    (root(tmp_path) / "settings.json").write_text('{"cleanupPeriodDays": 36500}')

    assert found(tmp_path)["sweep"].grade == "ok"


def test_sessions_only_the_history_knows_are_named(tmp_path: Path) -> None:
    history(root(tmp_path), "session-one", "session-lost")
    one = found(tmp_path)["swept"]

    assert one.said.startswith("1 session named in history.jsonl")
    assert one.details == ("session-lost  Thu 1 Jan  kettle  Prompt of session-lost",)


def test_a_swept_session_that_is_archived_is_not_lost(tmp_path: Path, capsys: Capsys) -> None:
    history(root(tmp_path), "session-one")
    here(capsys, "index", "build", "--root", tmp_path)
    sweep(tmp_path, "session-one")

    assert "swept" not in found(tmp_path)


def test_a_history_of_nonsense_tells_nothing(tmp_path: Path) -> None:
    lines = (
        "nonsense",
        '{"sessionId":5}',
        '{"display":"x"}',
        '{"sessionId":"a","timestamp":1e300}',
    )
    (root(tmp_path) / "history.jsonl").write_text("\n".join(lines))

    assert found(tmp_path)["swept"].details == ("a      ",)


def test_a_first_line_that_is_not_finished_is_no_reason_to_warn(
    tmp_path: Path, capsys: Capsys
) -> None:
    path = talk().save(tmp_path)
    path.write_bytes(path.read_bytes().splitlines()[0])
    os.utime(path, (1_700_000_000, 1_700_000_000))
    here(capsys, "index", "build", "--root", tmp_path)

    assert found(tmp_path)["sweep"].grade == "ok"


def test_a_root_without_sessions_is_passed_over(tmp_path: Path) -> None:
    Transcript().save(tmp_path)

    assert found(tmp_path) == {}
