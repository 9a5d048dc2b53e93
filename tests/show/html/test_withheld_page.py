"""The page of a session whose machine sends no lines."""

from datetime import UTC

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.session import SessionSummary
from unspool.show.html.withheld_page import withheld_page

REASON = "This machine sends no texts: mode metadata."


def test_it_says_why_and_what_is_known() -> None:
    info = SessionInfo(id="s1", project_name="shop", git_branch=HOSTILE[0], model="claude-opus-4-6")
    row = SessionSummary(session=info, metrics=TotalMetrics(cost_usd=1.25), message_count=7)
    made = withheld_page(row, REASON, shell(), NOW, UTC)

    assert made.headline == "s1"
    known = {"Project": "shop", "Branch": HOSTILE[0], "Messages": "7", "Cost": "$1.25"}
    assert known.items() <= dict(made.facts).items()
    assert {"Started", "Last activity", "Tokens"}.isdisjoint(dict(made.facts))
    assert REASON in seen(made).text
    assert "/sessions" in seen(made).hrefs
