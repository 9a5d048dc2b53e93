from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.functions import deflated, inflated, uuid_text
from unspool.store.sqlite.writing.rows import packed_uuid

UUID = "01234567-89ab-4cde-8f01-23456789abcd"


def test_a_uuid_is_shown_as_it_was_written() -> None:
    assert uuid_text(packed_uuid(UUID)) == UUID
    assert (uuid_text("any text"), uuid_text(None)) == ("any text", "")


@given(st.one_of(st.text(), st.uuids().map(str), st.uuids().map(lambda u: str(u).upper())))
def test_every_text_survives(text: str) -> None:
    assert uuid_text(packed_uuid(text)) == text


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 50))
def test_a_long_text_comes_back(text: str, times: int) -> None:
    assert inflated(deflated(text * times)) == text * times


def test_long_texts_take_less_room_and_short_ones_stay() -> None:
    assert deflated("short") == "short"
    assert len(deflated("long " * 100)) < 50


def test_bytes_nobody_deflated_are_empty() -> None:
    assert (inflated(b"damaged"), inflated(None)) == ("", "")
