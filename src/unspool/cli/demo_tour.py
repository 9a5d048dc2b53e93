"""Sessions of the demo -> five questions, and the pages that answer them."""

from collections.abc import Mapping

from unspool.demo.lines import project_slug
from unspool.demo.script.session import SessionRun
from unspool.show.html.links import LiveLinks
from unspool.show.html.shell import TourLink
from unspool.show.numbers import format_usd

_WORD = "lock timeout"


def tour_links(runs: Mapping[str, SessionRun]) -> tuple[TourLink, ...]:
    """The tour of a demo whose sessions were written."""
    links = LiveLinks()
    costly, failed = runs["new-estimate"], runs["failed-migration"]
    failure = next(id for call, id in failed.calls if call.failed)
    return (
        TourLink("What is waiting for me?", links.board()),
        TourLink(f"Why did this session cost {format_usd(costly.usd)}?", _page(links, costly)),
        TourLink("What did the agents do?", _page(links, runs["csv-import"])),
        TourLink(
            "What failed, and how was it fixed?",
            links.at(project_slug(failed.story.cwd), failed.session, failure),
        ),
        TourLink(f"Where was “{_WORD}” said?", links.search(_WORD)),
    )


def _page(links: LiveLinks, run: SessionRun) -> str:
    return links.session(project_slug(run.story.cwd), run.session)
