from tests.serve.served import Served
from unspool.serve.desks import cursors
from unspool.serve.desks.search import SearchAsked


def test_a_phrase_in_a_result_is_looked_up_in_its_text(site: Served) -> None:
    found = site.desk.searches.find(SearchAsked(words='"alpha result"'))
    turned = site.desk.searches.find(SearchAsked(words='"result alpha"'))

    assert {one.kind for one in found.items} == {"tool_result"}
    assert turned.items == ()


def test_a_cursor_from_nowhere_is_no_trouble(site: Served) -> None:
    for place in (-1, 0, 2**70):
        asked = SearchAsked(words="alpha", cursor=cursors.written(place))
        assert site.desk.searches.find(asked).items is not None
