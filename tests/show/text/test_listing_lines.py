from collections.abc import Iterator

from tests.show.made import NOON, PIPE, at, texts
from unspool.model.document import LineRow
from unspool.show.text.layout import Frame
from unspool.show.text.listing import line_table


def test_a_line_shows_its_place_and_what_it_is() -> None:
    made = LineRow(
        number=3,
        offset=120,
        length=45,
        type="user",
        timestamp=at(2, 7),
        category="user",
        preview="Go",
    )

    assert texts(line_table([made], PIPE))[1].split() == [
        "3",
        "120",
        "45",
        "10:02:07",
        "user",
        "user",
        "Go",
    ]


def test_what_is_odd_about_a_line_comes_first() -> None:
    made = LineRow(number=1, offset=0, length=9, type="", state="bad", preview="{oops")
    line = list(line_table([made], PIPE))[1]

    assert ("bad", "bad".ljust(24)) in line


def test_a_subtype_follows_its_type() -> None:
    made = LineRow(number=1, offset=0, length=9, type="system", subtype="api_error")

    assert "system/api_error" in texts(line_table([made], PIPE))[1]


def test_lines_come_one_by_one() -> None:
    def endless() -> Iterator[LineRow]:
        while True:
            yield LineRow(number=1, offset=0, length=9, type="user")

    shown = line_table(endless(), Frame(60, NOON))

    assert len(texts([next(shown), next(shown)])[1]) <= 60
