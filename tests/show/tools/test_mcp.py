from tests.show.made import texts
from unspool.show.tools import mcp


def test_a_server_and_its_tool_are_told_apart() -> None:
    assert mcp.label("mcp__atlas__look_up") == "atlas · look_up"
    assert mcp.label("mcp__atlas") == "atlas"


def test_arguments_and_answer_are_shown() -> None:
    assert mcp.summary({"place": "Oslo", "zoom": 3}, None) == "place=Oslo  zoom=3"
    assert mcp.facts({}, None) == ""
    assert texts(mcp.body({}, [{"type": "text", "text": "a"}], failed=False)) == ["a"]
