"""`/api/cost`: cost reports."""

from datetime import date
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from unspool.model.api import CostAnswer
from unspool.serve.api.parameters import ProjectPart, no_null
from unspool.serve.desk import Desk
from unspool.serve.desks.costs import By, CostAsked


@get(
    "/api/cost",
    operation_id="getCost",
    before_request=no_null("since", "until"),
    sync_to_thread=True,
)
def cost(  # noqa: PLR0913 - each is a parameter of the address
    *,
    desk: NamedDependency[Desk],
    by: Annotated[By, QueryParameter()] = "daily",
    since: Annotated[date | None, QueryParameter()] = None,
    until: Annotated[date | None, QueryParameter()] = None,
    project: ProjectPart = "",
    model: Annotated[str, QueryParameter(max_length=128)] = "",
    timezone: Annotated[str, QueryParameter(max_length=64)] = "",
) -> CostAnswer:
    """Cost by day, week, month, session, project, model or five-hour block."""
    asked = CostAsked(
        by=by, since=since, until=until, project=project, model=model, timezone=timezone
    )
    return desk.costs.report(asked)
