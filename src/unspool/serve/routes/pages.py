"""Pages: for now one plain list of sessions, which works without any script."""

from html import escape
from urllib.parse import quote

from litestar import Response, get
from litestar.di import NamedDependency

from unspool.model.listing import SessionSummary
from unspool.serve.desk import Desk
from unspool.serve.desks.sessions import SessionsAsked

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>unspool</title>
<script type="module" src="/static/enter.js"></script>
</head>
<body>
<main>
<h1>Sessions</h1>
<ul>
{items}
</ul>
</main>
</body>
</html>
"""


@get("/favicon.ico", include_in_schema=False, status_code=204, sync_to_thread=False)
def icon() -> None:
    """Browsers ask for one; the pages name theirs."""


@get("/", include_in_schema=False, sync_to_thread=True)
def home(desk: NamedDependency[Desk]) -> Response[bytes]:
    """The newest sessions."""
    rows = desk.sessions.page(SessionsAsked(limit=100)).items
    page = _PAGE.format(items="\n".join(_item(desk.around.redactor.value(row)) for row in rows))
    return Response(page.encode("utf-8", "replace"), media_type="text/html")


def _item(row: SessionSummary) -> str:
    about = row.session
    place = f"/api/sessions/{quote(about.project_id, safe='')}/{quote(about.id, safe='')}?limit=50"
    title = about.title or about.goal or about.id
    return (
        f'<li><a href="{escape(place)}">{escape(title)}</a>'
        f" <span>{escape(about.project_name)} · {escape(about.status.state)}</span></li>"
    )
