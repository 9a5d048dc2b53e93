import pytest

from tests.serve.pages.generated import got, looked
from tests.serve.served import Served


def test_hits_stand_under_their_sessions_and_open_at_their_step(site: Served) -> None:
    made = looked(site, "/search?q=alpha+result")
    found = site.ask("/api/search?q=alpha+result").json()["items"]

    assert len(found) == 2
    assert "2 hits in 2 sessions" in " ".join(made.text.split())
    for one in found:
        place = f"/s/-home-dev-kettle/{one['sessionId']}?at={one['eventId']}"
        assert f"{place}&q=alpha+result" in made.hrefs


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("q=alpha&kind=prompt", "2 hits in 2 sessions"),
        ("q=alpha&session=session-one&kind=answer", "1 hit in 1 session"),
        ("q=alpha&since=2026-01-02&kind=prompt", "1 hit in 1 session"),
        ("q=alpha&until=2026-01-01&kind=prompt", "1 hit in 1 session"),
        ("q=alpha&project=kettle&kind=prompt", "2 hits in 2 sessions"),
        ("q=alpha&project=elsewhere", "No matches"),
        ("q=alpha&order=ranked", "hits in 2 sessions"),
        ("q=nowhere", "No matches"),
        ("q=%22alpha+result%22", "2 hits in 2 sessions"),
        ("q=%22result+alpha%22", "0 hits in 0 sessions"),  # the words, not in this order
    ],
)
def test_what_is_found_is_what_was_asked_for(site: Served, asked: str, said: str) -> None:
    for page in ("/search", "/part/search"):
        assert said in " ".join(looked(site, f"{page}?{asked}").text.split())


@pytest.mark.parametrize("asked", ["kind=smoke", "order=none", "since=x", "until=2026-99-01"])
def test_what_cannot_be_asked_is_a_page_that_says_so(site: Served, asked: str) -> None:
    assert got(site, f"/search?q=a&{asked}").status_code == 400


def test_without_words_there_is_a_field_and_nothing_is_searched(site: Served) -> None:
    assert "Search all prompts, answers, calls and results" in looked(site, "/search").text


def test_a_word_that_looks_like_an_id_offers_its_session(site: Served) -> None:
    assert "A session has this id." not in looked(site, "/search?q=0123abcd").text
