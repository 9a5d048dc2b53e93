from typing import Any

import msgspec
import pytest

from tests.cli.runs import here
from tests.serve.served import Served, problem

LISTS = {
    "daily": "daily", "weekly": "weekly", "monthly": "monthly", "session": "sessions",
    "project": "projects", "model": "models", "skill": "skills", "mcp": "mcpServers",
    "agent": "agents", "command": "commands", "tool": "tools",
}  # fmt: skip


def asked(site: Served, **params: Any) -> Any:
    return site.ask("/api/cost", params=params).json()


@pytest.mark.parametrize("by", [*LISTS, "blocks"])
def test_a_report_is_what_the_command_prints(
    site: Served, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(site.context.config.roots[0].path)
    printed = msgspec.json.decode(here(capsys, "cost", by, "--json", "--root", root).out)

    assert asked(site, by=by) == printed


@pytest.mark.parametrize(("by", "name"), LISTS.items())
def test_a_report_has_one_list_and_what_it_comes_to(site: Served, by: str, name: str) -> None:
    found = asked(site, by=by)

    assert set(found) == {name, "totals", "quota", "forgotten"}
    assert found["totals"]["responses"] == sum(row["responses"] for row in found[name]) == 6


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"since": "2026-01-02"}, ["2026-01-02"]),
        ({"until": "2026-01-01"}, ["2026-01-01"]),
        ({"until": "2026-01-02"}, ["2026-01-01", "2026-01-02"]),
        ({"project": "KETTLE"}, ["2026-01-01", "2026-01-02"]),
        ({"project": "teapot"}, []),
        ({"model": "no-such"}, []),
        ({"timezone": "Pacific/Kiritimati"}, ["2026-01-02", "2026-01-03"]),
        ({"since": "0001-01-01", "until": "9999-12-31"}, ["2026-01-01", "2026-01-02"]),
    ],
)
def test_a_report_can_be_narrowed(
    site: Served, narrowed: dict[str, str], expected: list[str]
) -> None:
    assert [row["date"] for row in asked(site, **narrowed)["daily"]] == expected


def test_the_prices_of_a_report_are_those_of_billing(site: Served) -> None:
    assert asked(site, mode="billing") == asked(site)


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"by": "colour"}, 400),
        ({"since": "yesterday"}, 400),
        ({"until": "null"}, 400),
        ({"mode": "devtools"}, 400),
        ({"timezone": "Mars/Olympus"}, 404),
        ({"timezone": "../../etc/passwd"}, 404),
    ],
)
def test_what_cannot_be_reported_is_said(site: Served, params: dict[str, str], status: int) -> None:
    assert problem(site.ask("/api/cost", params=params))["status"] == status
