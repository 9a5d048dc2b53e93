import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import here, process
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]
MILLION = {"input_tokens": 1_000_000, "output_tokens": 0}
OPUS, HAIKU = "claude-opus-4-5", "claude-haiku-4-5"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two projects, two models, three days."""
    path = tmp_path / "claude"
    for session, cwd, model, day in (
        ("s1", "/api", OPUS, "2026-01-30"),
        ("s2", "/api", HAIKU, "2026-01-31"),
        ("s3", "/web", OPUS, "2026-02-02"),
    ):
        made = Transcript(session=session, cwd=cwd, model=model, start=f"{day}T23:30:00.000Z")
        made.says("x", usage=MILLION, id=f"msg_{session}").save(path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(path))
    return path


def report(capsys: Capsys, *args: str) -> dict[str, Any]:
    said = here(capsys, "cost", "--json", *args)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def costs(found: dict[str, Any], plural: str, name: str) -> dict[str, float]:
    return {row[name]: row["totalCost"] for row in found[plural]}


def test_alone_it_is_daily(root: Path, capsys: Capsys) -> None:
    found = report(capsys)

    assert costs(found, "daily", "date") == {"2026-01-30": 5, "2026-01-31": 1, "2026-02-02": 5}
    assert found["totals"]["totalCost"] == 11
    assert report(capsys, "daily") == found


@pytest.mark.parametrize(
    ("kind", "plural", "name", "expected"),
    [
        ("weekly", "weekly", "week", {"2026-01-25": 6, "2026-02-01": 5}),
        ("monthly", "monthly", "month", {"2026-01": 6, "2026-02": 5}),
        ("session", "sessions", "sessionId", {"s1": 5, "s3": 5, "s2": 1}),
        ("project", "projects", "projectId", {"-api": 6, "-web": 5}),
        ("model", "models", "modelName", {OPUS: 10, HAIKU: 1}),
    ],
)
def test_it_goes_by_week_month_session_project_or_model(
    root: Path, capsys: Capsys, kind: str, plural: str, name: str, expected: dict[str, float]
) -> None:
    found = costs(report(capsys, kind), plural, name)

    assert found == expected
    assert list(found) == list(expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--since", "2026-01-31"], 6),
        (["--since", "20260131", "--until", "2026-01-31"], 1),
        (["--until", "2026-01-30"], 5),
        (["--project", "API"], 6),
        (["--model", "haiku"], 1),
        (["--since", "1d"], 0),
        (["--timezone", "Asia/Tokyo", "--until", "2026-01-31"], 5),
        (["-z", "Asia/Tokyo", "--since", "2026-02-01", "--until", "2026-02-01"], 1),
    ],
)
def test_only_what_is_asked_for_is_counted(
    root: Path, capsys: Capsys, options: list[str], expected: float
) -> None:
    assert report(capsys, *options)["totals"]["totalCost"] == expected


def test_a_day_begins_where_it_is_said_to(root: Path, capsys: Capsys) -> None:
    found = report(capsys, "--timezone", "Asia/Tokyo")

    assert list(costs(found, "daily", "date")) == ["2026-01-31", "2026-02-01", "2026-02-03"]


def test_a_week_begins_when_it_is_said_to(root: Path, capsys: Capsys) -> None:
    found = report(capsys, "weekly", "--start-of-week", "friday")

    assert costs(found, "weekly", "week") == {"2026-01-30": 11}


@pytest.mark.parametrize(
    ("kind", "order", "expected"),
    [
        ("daily", "desc", ["2026-02-02", "2026-01-31", "2026-01-30"]),
        ("daily", "asc", ["2026-01-30", "2026-01-31", "2026-02-02"]),
    ],
)
def test_days_come_in_the_order_that_is_asked_for(
    root: Path, capsys: Capsys, kind: str, order: str, expected: list[str]
) -> None:
    assert list(costs(report(capsys, kind, "--order", order), "daily", "date")) == expected


def test_the_dearest_comes_last_when_that_is_asked_for(root: Path, capsys: Capsys) -> None:
    found = report(capsys, "model", "--order", "asc")

    assert list(costs(found, "models", "modelName")) == [HAIKU, OPUS]


def test_as_text_it_is_a_table(root: Path, capsys: Capsys) -> None:
    lines = here(capsys, "cost", "monthly").out.splitlines()

    assert lines[1].split()[:2] == ["2026-01", "opus-4-5,"]
    assert lines[-1].split()[0] == "TOTAL"
    assert lines[-1].endswith("$11.00")


def test_a_breakdown_has_a_line_for_each_model(root: Path, capsys: Capsys) -> None:
    lines = here(capsys, "cost", "monthly", "--breakdown").out.splitlines()

    assert [line.split()[:2] for line in lines[2:4]] == [["·", "opus-4-5"], ["·", "haiku-4-5"]]


def test_nothing_spent_is_a_calm_line(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "cost", "--project", "nowhere")

    assert (said.code, said.out) == (0, "No usage matches these filters.\n")
    assert report(capsys, "--project", "nowhere")["totals"]["totalCost"] == 0


@pytest.mark.parametrize(
    "option",
    [
        "--since=soon",
        "--until=13",
        "--timezone=Mars",
        "--mode=cheap",
        "--start-of-week=x",
        "hourly",
    ],
)
def test_an_option_nobody_understands_is_wrong_usage(
    root: Path, capsys: Capsys, option: str
) -> None:
    said = here(capsys, "cost", option)

    assert said.code == 2
    assert "usage: unspool cost" in said.err


def test_a_root_that_is_not_there_is_not_found(tmp_path: Path, capsys: Capsys) -> None:
    assert here(capsys, "cost", "--root", tmp_path / "none").code == 3


def test_a_root_can_be_named(root: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")

    assert report(capsys, "--root", str(root))["totals"]["totalCost"] == 11


def test_it_runs_as_a_process(root: Path) -> None:
    said = process("cost", "-j")

    assert said.code == 0
    assert json.loads(said.out)["totals"]["responses"] == 3
