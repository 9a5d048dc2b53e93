"""The health page: one calm line, or what is wrong with the command that cures it."""

import pytest

from tests.show.webs import HOSTILE, seen, shell
from unspool.model.health import Finding, IndexStatus, Lag, WriterProcess
from unspool.show.html.health_page import HealthPage, health_page

FINE = Finding(about="Index", said="Whole.")
WRONG = Finding(about="Hooks", grade="wrong", said="None.", fix="unspool hooks install")


def page(*findings: Finding) -> HealthPage:
    return health_page(findings, None, shell())


def hostile(text: str) -> HealthPage:
    one = Finding(about=text, grade="wrong", said=text, fix=text, details=(text,))
    return health_page([one], IndexStatus(home=text), shell(text))


def test_nothing_wrong_is_one_calm_line() -> None:
    made = page(FINE)

    assert (made.kind, made.headline, made.wrong) == ("ok", "No problems", ())


def test_what_is_wrong_comes_with_its_cure() -> None:
    made = page(FINE, WRONG)

    assert made.headline == "1 problem"
    assert [row.fix for row in made.wrong] == ["unspool hooks install"]
    assert page(WRONG, WRONG).headline == "2 problems"


def test_what_is_worth_knowing_is_not_wrong() -> None:
    made = page(FINE, Finding(about="Sweep", grade="note", said="Soon.", fix="unspool index build"))

    assert (made.headline, made.summary) == ("No problems", "1 note")
    assert [row.about for row in made.noted] == ["Sweep"]


def test_a_cure_can_be_copied() -> None:
    copied = [
        found["data-copy"] for found in seen(page(WRONG)).all("button") if "data-copy" in found
    ]

    assert copied == ["unspool hooks install"]


def test_how_the_index_stands_is_told() -> None:
    index = IndexStatus(
        home="/x", lines=3, sessions=1, lag=Lag(1, 2_000), writer=WriterProcess(pid=7)
    )
    facts = dict(health_page([], index, shell()).facts)

    assert facts["Indexed"] == "3 lines of 1 session"
    assert facts["Not yet indexed"] == "2.0 KB"
    assert facts["Indexer"] == "process 7"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_finding_becomes_an_element(text: str) -> None:
    assert seen(hostile(text)).shape == seen(hostile("calm")).shape
