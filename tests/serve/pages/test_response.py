from tests.serve.pages.generated import got
from tests.serve.served import Served


def test_a_page_is_html_that_nobody_keeps_without_asking(site: Served) -> None:
    answer = got(site, "/patterns")

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-cache"


def test_a_page_that_is_known_already_is_not_sent_again(site: Served) -> None:
    tag = got(site, "/patterns").headers["etag"]
    again = got(site, "/patterns", **{"if-none-match": tag})

    assert (again.status_code, again.content) == (304, b"")
    assert got(site, "/patterns", **{"if-none-match": '"other"'}).status_code == 200


def test_text_that_no_byte_can_say_is_sent_all_the_same(site: Served) -> None:
    assert got(site, "/search?q=%ED%A0%80").status_code == 200
