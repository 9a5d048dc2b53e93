import pytest

from unspool.errors import NotFound
from unspool.serve.pagination import decode_cursor, encode_cursor, list_page


def test_a_place_is_read_back() -> None:
    assert decode_cursor(encode_cursor(["a", 1]), list[str | int]) == ["a", 1]
    assert decode_cursor("", int) is None


@pytest.mark.parametrize("cursor", ["x", "é", "====", "W10", "bnVsbA", "a" * 999])
def test_a_cursor_nobody_gave_out_is_not_found(cursor: str) -> None:
    with pytest.raises(NotFound):
        decode_cursor(cursor, int)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_pages_are_the_list(limit: int) -> None:
    seen: list[int] = []
    cursor = ""
    while cursor is not None:
        page = list_page(range(7), cursor, limit)
        assert page.items  # no page is empty, and so each goes on
        seen += page.items
        assert len(seen) <= 7
        cursor = page.next_cursor  # type: ignore[assignment]

    assert seen == list(range(7))


@pytest.mark.parametrize("place", [-5, 7, 10**30])
def test_a_place_beyond_the_list_shows_nothing_wrong(place: int) -> None:
    page = list_page(range(7), encode_cursor(place), 2)

    assert page.items == ((0, 1) if place < 0 else ())
