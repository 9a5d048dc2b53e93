"""The beginning of a long session, and what the index says of it -> its page till it is read."""

from typing import Any, ClassVar

from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.insights import ActivityStrip
from unspool.show.charts.spool import spool
from unspool.show.charts.tape import of_strip
from unspool.show.views.session import SessionPage
from unspool.show.views.session_head import beginning
from unspool.show.views.session_instruments import Instruments
from unspool.show.views.steps.around import Reader
from unspool.show.views.steps.numbers import Number, cost


class BegunPage(SessionPage, frozen=True, kw_only=True):
    """A page that fetches all else when it is there; without scripts a link leads to all of it."""

    template: ClassVar[str] = "session/begun.html"


class RestPart(SessionPage, frozen=True, kw_only=True):
    """All that such a page lacks, and what is on it as it should be."""

    template: ClassVar[str] = "session/part_rest.html"


def begun_page(
    session: SessionInfo,
    metrics: TotalMetrics,
    strip: ActivityStrip | None,
    reader: Reader,
    **more: Any,
) -> BegunPage:
    """What the index knows stands where the whole will be told of."""
    return BegunPage(
        head=beginning(session, metrics, reader),
        spool=spool(of_strip(strip), size="page", label="The whole session") if strip else None,
        instruments=Instruments(cost=cost(metrics), agents_cost=Number("")),
        **more,
    )
