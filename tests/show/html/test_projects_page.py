"""The projects page: what each came to, and when it was last worked on."""

from datetime import UTC

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.api import ProjectSummary
from unspool.model.document import Metrics
from unspool.show.html.projects_page import ProjectsPage, projects_page


def project(name: str, cost: float | None = 1.0) -> ProjectSummary:
    metrics = Metrics(cost_usd=cost, total_tokens=2_000)
    return ProjectSummary(
        id=f"-dev-{name}", name=name, path=f"/dev/{name}", sessions=2, metrics=metrics
    )


def page(*projects: ProjectSummary) -> ProjectsPage:
    return projects_page(projects, shell(), NOW, UTC)


def test_a_project_leads_to_its_sessions_with_what_it_cost() -> None:
    made = page(project("a", 4.0), project("b", 1.0))

    assert made.summary == "2 projects, $5.00; a cost the most, 80 %"
    assert [(row.name, row.cost, row.percent) for row in made.rows] == [
        ("a", "$4.00", 100.0),
        ("b", "$1.00", 25.0),
    ]
    assert "/projects/-dev-a" in seen(made).hrefs
    assert "/spend?range=all&project=-dev-a" in seen(made).hrefs


def test_a_project_without_a_price_says_so() -> None:
    assert page(project("a", None)).rows[0].cost == "unpriced"
    assert page(project("a", None), project("b", 1.0)).summary == "2 projects, ≥ $1.00"


def test_no_projects_say_what_to_do() -> None:
    assert "No projects yet" in seen(page()).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_project_becomes_an_element(text: str) -> None:
    calm, made = (
        seen(page(ProjectSummary(id=name, name=name, path=name))) for name in ("calm", text)
    )

    assert made.shape == calm.shape
