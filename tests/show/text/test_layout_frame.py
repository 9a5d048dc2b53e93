from tests.show.made import PIPE, SCREEN
from unspool.show.text.layout import Frame


def test_a_pipe_has_no_edges() -> None:
    assert (PIPE.prose, PIPE.edge, PIPE.inside(8)) == (None, None, PIPE)


def test_prose_is_narrower_than_a_wide_screen() -> None:
    wide = Frame(200, 0)

    assert (wide.prose, wide.edge) == (80, 110)


def test_further_in_there_is_less_room() -> None:
    assert SCREEN.inside(8).edge == 72
    assert Frame(200, 0).inside(8).edge == 102


def test_a_sliver_of_a_screen_still_has_room_for_words() -> None:
    assert Frame(3, 0).prose == Frame(10, 0).inside(40).edge == 20
