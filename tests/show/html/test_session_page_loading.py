from tests.show.made import at, document
from tests.show.webs import shell
from unspool.model.document import TotalMetrics
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.show.html.render_context import ReaderOptions
from unspool.show.html.session_page import LoadingPage, loading_page
from unspool.show.html.step_types import PageLocation

READER = ReaderOptions(now=0)
SPENT = TotalMetrics(input_tokens=7_000, total_tokens=7_000, cost_usd=1.5, lower_bound=True)


def begun(strip: ActivityStrip | None = None) -> LoadingPage:
    session = document(session={"title": "A long one", "start_time": at(1)}).session
    spot = PageLocation(project="p", id="s")
    return loading_page(session, SPENT, strip, READER, shell=shell(), spot=spot)


def test_what_the_index_knows_stands_in_the_head() -> None:
    head = begun().head

    assert (head.title, head.status_label) == ("A long one", "Loading")
    assert [fact.text for fact in head.facts][-2:] == ["≥ $1.50", "7.0k tokens"]


def test_no_figure_is_said_to_be_the_session_s_own_or_its_agents() -> None:
    assert not any("of its own" in fact.why for fact in begun().head.facts)


def test_its_strip_is_drawn_from_the_index() -> None:
    strip = ActivityStrip(turns=(TimeSpan(0, 1_000),), calls=(CallSpan(0, 500, False),))

    assert begun().spool is None
    assert {name for name, _ in begun(strip).spool.paths} >= {"turn", "tool"}  # type: ignore[union-attr]
