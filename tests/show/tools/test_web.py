from tests.show.made import texts
from unspool.show.tools import web
from unspool.show.tools.details import DetailBuilder, WebResults

FOUND = {"results": [{"content": [{"title": "T", "url": "https://x.test"}]}, "a sentence"]}


def test_a_page_is_told_by_address_code_and_size() -> None:
    assert web.summary({"url": "https://x.test", "prompt": "What?"}, None) == "https://x.test"
    assert web.facts({}, {"code": 200, "bytes": 12_300}) == "200 · 12.3kB"
    assert web.facts({}, {"code": 404}) == "404"


def test_a_search_lists_what_it_found() -> None:
    assert web.facts({}, FOUND) == "1 result"
    assert texts(web.preview({}, FOUND, failed=False)) == ["T  https://x.test"]


def test_an_answer_in_words_shows_its_beginning() -> None:
    assert web.facts({}, "a page") == ""
    assert texts(web.preview({}, "a page", failed=False)) == ["a page"]


def test_results_keep_their_addresses() -> None:
    hits = [{"title": "One", "url": "https://one.example"}]
    (made,) = web.details({}, {"results": [{"content": hits}]}, DetailBuilder())

    assert made == WebResults((("One", "https://one.example"),))
