from msgspec import structs

from tests.serve.pages.generated import looked
from tests.serve.served import Served
from unspool.model.health import Finding
from unspool.serve.context import ServerContext


def served(site: Served, *found: Finding) -> Served:
    return Served(ServerContext(structs.replace(site.context.config, checks=lambda: found)))


def test_nothing_wrong_is_one_calm_line(site: Served) -> None:
    assert "No problems" in looked(served(site), "/health").text


def test_what_the_doctor_says_is_shown_with_its_cure(site: Served) -> None:
    wrong = Finding(about="modes", grade="wrong", said="Others may read it.", fix="chmod go= x")
    text = looked(served(site, wrong), "/health").text

    assert "1 problem" in text
    assert "chmod go= x" in text


def test_the_doctor_is_not_asked_again_at_once(site: Served) -> None:
    asked: list[int] = []

    def checks() -> list[Finding]:
        asked.append(1)
        return []

    made = Served(ServerContext(structs.replace(site.context.config, checks=checks)))
    for _ in range(3):
        looked(made, "/health")
    assert asked == [1]


def test_how_the_index_stands_is_told(site: Served) -> None:
    assert "2 sessions" in looked(site, "/health").text
