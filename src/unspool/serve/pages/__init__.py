"""The pages. A new one is added to the list here."""

from unspool.serve.pages import (
    board,
    health,
    patterns,
    search,
    sessions,
    spend,
    static,
    theme,
    tools,
)
from unspool.serve.pages.session import loading, page, parts

PAGES = (
    loading.rest,
    page.session,
    parts.at,
    parts.step,
    parts.tail,
    parts.window,
    board.home,
    board.part,
    health.health,
    patterns.patterns,
    search.search,
    sessions.jump,
    sessions.part,
    sessions.project,
    sessions.project_part,
    sessions.projects,
    sessions.sessions,
    spend.spend,
    static.icon,
    static.static,
    theme.theme,
    tools.tools,
)
