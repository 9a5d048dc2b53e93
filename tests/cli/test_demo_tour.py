"""The tour of the demo: five questions, and pages that answer them, without a script."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.demo.stories.told import tell
from tests.serve.served import TOKEN, Served, indexed, server_context
from unspool.cli import config
from unspool.cli.demo_tour import tour_links
from unspool.cli.idle_processes import idle_processes
from unspool.demo.script.files import Stage
from unspool.demo.script.player import play
from unspool.demo.stories.running_sessions import RUNNING
from unspool.show.html.shell import TourLink

HTML = {"authorization": f"Bearer {TOKEN}", "accept": "text/html"}
SHOWS = {
    "What is waiting for me?": ("git push origin rate-limits", "Invoices have to be kept"),
    "Why did this session cost": ("Arrival estimate from past deliveries", "Turn 5", "Compacted"),
    "What did the agents do?": ("Build the import endpoint", "Check the dialog with a keyboard"),
    "What failed, and how was it fixed?": ("canceling statement due to lock timeout", "exit 1"),
    "Where was": ("Migrate shipment status to an enum", " hits"),
}


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[TourLink, str]]]:
    """Each question with its link and the page that it leads to."""
    root: Path = tmp_path_factory.mktemp("tour") / "claude"
    told = tell(root, config.local_now())
    links = tour_links(told.runs)
    with idle_processes(4) as pids:
        stage = Stage(root, PRICES)
        play(stage, RUNNING, pids, config.local_now, lambda _: None, 0)
        indexed(root)
        with server_context(root) as made:
            site = Served(made)
            yield {
                link.question: (link, site.ask(link.href.partition("#")[0], headers=HTML).text)
                for link in links
            }


def test_there_are_five_questions(tour: dict[str, tuple[TourLink, str]]) -> None:
    assert len(tour) == 5


@pytest.mark.parametrize("question", SHOWS)
def test_a_question_leads_to_its_answer(
    tour: dict[str, tuple[TourLink, str]], question: str
) -> None:
    [(link, page)] = [found for asked, found in tour.items() if asked.startswith(question)]

    assert [text for text in SHOWS[question] if text not in page] == []
    assert not link.href.partition("#")[2] or f'id="{link.href.partition("#")[2]}"' in page


def test_the_cost_in_the_question_is_that_of_the_page(
    tour: dict[str, tuple[TourLink, str]],
) -> None:
    [(question, (_, page))] = [one for one in tour.items() if "cost" in one[0]]

    assert question.removeprefix("Why did this session cost ").removesuffix("?") in page
