"""Rows of the patterns: one of every state."""

from tests.show.webs import shell
from unspool.show.html.patterns_page import pattern_rows


def test_there_is_a_row_of_every_state() -> None:
    made = pattern_rows(shell())

    assert {item.kind for item in made.board.slots} == {"wait", "work", "turn", "idle"}
    assert made.board.day
    assert made.board.progress


def test_marks_of_the_reader_and_of_the_archive_are_shown() -> None:
    listed = [row for day in pattern_rows(shell()).sessions.days for row in day.rows]

    assert [(row.is_pinned, row.is_gone, row.is_hidden) for row in listed] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_a_finding_of_every_grade_is_shown() -> None:
    health = pattern_rows(shell()).health

    assert (len(health.wrong), len(health.noted), len(health.fine)) == (1, 1, 1)
