import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.reading.heads import beginning


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("", ""),
        ("just as long", "just as long"),
        ("just as lon g", "just as lon"),
        ("just as longer", "just as"),
        ("just\nas\nlonger", "just\nas"),
        ("exactly here, it ends", "exactly"),
        ("just-as-long and more", "just-as-long"),
        ("much-longer-than-that", "much-longer-"),
        ("so much-longer-than-that", "so much-long"),  # its word takes more than half of the room
    ],
)
def test_a_text_is_cut_where_a_word_ends(text: str, head: str) -> None:
    assert beginning(text, 12) == head


@given(st.text(), st.integers(1, 50))
def test_it_is_the_beginning_and_has_a_part_of_the_room(text: str, most: int) -> None:
    head = beginning(text, most)

    assert text.startswith(head)
    assert min(len(text), most // 2) <= len(head) <= most
