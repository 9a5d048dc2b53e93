"""The page of what went wrong: plain words, and ways on."""

import pytest

from tests.show.webs import HOSTILE, seen, shell
from unspool.show.html.shell import problem_page


def test_what_is_not_there_is_told_in_plain_words() -> None:
    made = seen(problem_page(404, "Not Found", "There is no such session.", shell()))

    assert "Not found" in made.text
    assert "There is no such session." in made.text
    assert {"/", "/sessions", "/search"} <= set(made.hrefs)


def test_a_status_without_words_of_ours_has_its_own() -> None:
    assert problem_page(418, "I'm a teapot", "", shell()).headline == "I'm a teapot"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_word_of_a_problem_becomes_an_element(text: str) -> None:
    calm, made = (seen(problem_page(400, said, said, shell())) for said in ("calm", text))

    assert made.shape == calm.shape
