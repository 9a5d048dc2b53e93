"""What was spent by skill, MCP server, agent, command and tool, from lines to every surface."""

from pathlib import Path
from typing import Any

import pytest

import unspool
from tests.e2e.cases import at
from tests.e2e.workspaces import Workspace
from unspool.demo import Transcript
from unspool.show import cost_json

USAGE = {"input_tokens": 1_000, "output_tokens": 9}
PAID = 3_135_000_000
EXPECTED = {
    "skill": {"pdf": 2 * PAID, "none": 3 * PAID},
    "mcp": {"github": PAID, "jira": PAID, "none": 3 * PAID},
    "agent": {"main": 4 * PAID, "Explore": PAID},
    "command": {"/review": 4 * PAID, "none": PAID},
    "tool": {"Agent": PAID, "mcp__jira__ask": PAID, "none": 3 * PAID},
}
TITLES = {
    "By agent": "Explore",
    "By skill": "pdf",
    "By MCP server": "jira",
    "By slash command": "/review",
}


def save(root: Path) -> None:
    """A session that has one of each; its first turn is a command's."""
    said = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    main = Transcript("s1").user(f"{said}\n<command-args>7</command-args>")
    main.says("a", usage=USAGE, id="m1", attributionSkill="pdf")
    task = {"prompt": "Look", "subagent_type": "Explore"}
    main.calls("Agent", task, id="t1", usage=USAGE, attributionMcpServer="github")
    agent = Transcript("s1", agent="a1", uuid_prefix="a").user("Look")
    agent.says("b", usage=USAGE, id="m3", attributionSkill="pdf", attributionAgent="Explore")
    main.returns("b", call="t1", result={"agentId": "a1", "status": "completed"})
    main.calls("mcp__jira__ask", {}, id="t2", usage=USAGE).returns("c")
    main.user("And now?").says("d", usage=USAGE, id="m5")
    main.save(root)
    agent.save(root)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = tmp_path_factory.mktemp("causes")
    made = Workspace(place / "claude", place / "unspool", at(600))
    save(made.root)
    made.index()
    return made


def costs(document: dict[str, Any], by: str) -> dict[str, int]:
    """Picodollars by name."""
    rows, name = cost_json.LISTS[by]
    return {row[name]: round(row["totalCost"] * 10**12) for row in document[rows]}


@pytest.mark.parametrize("by", EXPECTED)
def test_the_command_says_what_was_spent_for_what(workspace: Workspace, by: str) -> None:
    assert costs(workspace.json("cost", by, "--json"), by) == EXPECTED[by]


@pytest.mark.parametrize("by", EXPECTED)
def test_the_library_says_the_same(workspace: Workspace, by: Any) -> None:
    with workspace.here():
        ws = unspool.open(workspace.root, now=workspace.now)
        report = ws.cost(by=by)
        ws.close()

    assert costs(cost_json.document(report, by), by) == EXPECTED[by]


@pytest.mark.parametrize("by", EXPECTED)
def test_the_server_says_the_same(workspace: Workspace, by: str) -> None:
    with workspace.served() as site:
        found = site.ask(f"/api/cost?by={by}").json()

    assert costs(found, by) == EXPECTED[by]


def test_an_agent_that_nobody_is_known_to_have_started_has_the_type_its_lines_say(
    tmp_path: Path,
) -> None:
    made = Workspace(tmp_path / "claude", tmp_path / "unspool", at(600))
    Transcript("s1").user("Go").says("a", usage=USAGE, id="m1").save(made.root)
    agent = Transcript("s1", agent="a1", uuid_prefix="a").user("Look")
    agent.says("b", usage=USAGE, id="m2", attributionAgent="Plan").save(made.root)
    made.index()

    assert costs(made.json("cost", "agent", "--json"), "agent") == {"main": PAID, "Plan": PAID}


def test_the_page_lists_agents_skills_servers_and_commands(workspace: Workspace) -> None:
    with workspace.served() as site:
        page = site.ask("/spend?days=30").text

    for title, name in TITLES.items():
        part = page[page.index(title) :]
        assert name in part[:2_000]
