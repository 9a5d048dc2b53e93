"""What `unspool cost` says of a generated root is what its maker says was spent in it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.runs import here
from tests.e2e.readings import families
from unspool.demo import Truth, generate
from unspool.engine.usage.cost import CAUSES
from unspool.show.cost_json import LISTS
from unspool.source.prices import bundled

Capsys = pytest.CaptureFixture[str]
NAMES = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")


class Made(NamedTuple):
    """A generated root and what is truly in it."""

    path: Path
    truth: Truth
    sessions: dict[str, Any]


@pytest.fixture(scope="module", params=[1, 2])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    path = tmp_path_factory.mktemp("cost") / "root"
    truth = generate(path, mb=3, seed=request.param, prices=json.loads(bundled()))
    return Made(path, truth, truth.sessions)


@pytest.fixture(autouse=True)
def at_home(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.path))


def report(capsys: Capsys, *args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(here(capsys, "cost", "--json", *args).out)
    return found


def figures(row: dict[str, Any]) -> tuple[int, ...]:
    """Tokens, money and counts of a row of a report, as the truth has them."""
    cost = row["totalCost"] if "totalCost" in row else row["cost"]
    return (*(row[name] for name in NAMES), round((cost or 0) * 10**12), row.get("responses", -1))


def true(tally: dict[str, int], *, counted: bool = True) -> tuple[int, ...]:
    tokens = (tally[name] for name in NAMES)
    return (*tokens, tally["usdPico"], tally["messages"] if counted else -1)


def test_the_sum_is_true(made: Made, capsys: Capsys) -> None:
    totals = report(capsys)["totals"]

    assert figures(totals) == true(made.truth.totals)
    assert totals["unpriced"] == made.truth.unpriced
    assert totals["lowerBound"] is (made.truth.totals["lowerBound"] > 0)


def test_days_and_their_models_are_true(made: Made, capsys: Capsys) -> None:
    found = {
        (row["date"], model["modelName"]): figures(model)
        for row in report(capsys, "daily")["daily"]
        for model in row["modelBreakdowns"]
    }

    assert found == {
        (day, model): true(tally, counted=False)
        for day, models in made.truth.days.items()
        for model, tally in models.items()
    }


@pytest.mark.parametrize("by", CAUSES)
def test_reports_by_cause_come_to_the_same_sum(made: Made, by: str, capsys: Capsys) -> None:
    found = report(capsys, by)
    rows = [figures(row) for row in found[LISTS[by][0]]]

    assert figures(found["totals"]) == true(made.truth.totals)
    assert tuple(map(sum, zip(*rows, strict=True))) == true(made.truth.totals)


def test_models_are_true(made: Made, capsys: Capsys) -> None:
    found = {row["modelName"]: figures(row) for row in report(capsys, "model")["models"]}

    assert found == {model: true(tally) for model, tally in made.truth.models.items()}


def test_sessions_are_true(made: Made, capsys: Capsys) -> None:
    family = families(made.sessions)
    found: dict[str, Counter[int]] = {}
    expected: dict[str, Counter[int]] = {}
    for row in report(capsys, "session")["sessions"]:
        found.setdefault(family[row["sessionId"]], Counter()).update(_numbered(figures(row)))
    for id, session in made.sessions.items():
        expected.setdefault(family[id], Counter()).update(_numbered(true(session["total"])))

    assert found == {id: tally for id, tally in expected.items() if any(tally.values())}


def _numbered(numbers: tuple[int, ...]) -> dict[int, int]:
    return dict(enumerate(numbers))


def test_projects_are_true(made: Made, capsys: Capsys) -> None:
    found = {row["projectId"]: figures(row) for row in report(capsys, "project")["projects"]}
    spent: dict[str, Counter[str]] = {}
    for session in made.sessions.values():
        spent.setdefault(session["projectId"], Counter()).update(session["total"])

    assert found == {id: true(tally) for id, tally in spent.items() if tally["messages"]}


@pytest.mark.parametrize("kind", ["weekly", "monthly", "blocks"])
def test_no_other_way_of_cutting_it_loses_anything(made: Made, capsys: Capsys, kind: str) -> None:
    found = report(capsys, kind)
    rows = found[kind]
    cost = sum(row.get("totalCost", row.get("costUSD")) or 0 for row in rows)

    assert round(cost, 6) == round(made.truth.totals["usdPico"] / 10**12, 6)
    assert sum(row["responses"] for row in rows) == made.truth.totals["messages"]


def test_an_explanation_comes_to_the_same_figure(made: Made, capsys: Capsys) -> None:
    for trap in ("united_states", "haiku_5_5", "branch", "echoed_agent", "third_party", "midnight"):
        session = made.truth.traps[trap]
        found = json.loads(here(capsys, "cost", "explain", session, "--json").out)
        total = made.sessions[session]["total"]

        assert found["responses"] == total["messages"]
        assert round((found["totalCost"] or 0) * 10**12) == total["usdPico"]
        assert found["lowerBound"] == total["lowerBound"]
