import csv
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.show.spans import cells, plain
from unspool.show.text.layout import Frame
from unspool.show.text.sql_results import csv_lines, result_table, schema_lines


def lines(columns: list[str], *rows: tuple[Any, ...], width: int | None = 80) -> list[str]:
    return [plain(line) for line in result_table(columns, rows, Frame(width, 0))]


def test_numbers_stand_on_the_right_and_texts_on_the_left() -> None:
    assert lines(["name", "n"], ("a", 5), ("bcdef", 1000)) == [
        "name      n",
        "a         5",
        "bcdef  1000",
    ]


def test_what_is_not_there_is_empty() -> None:
    assert lines(["a", "b"], (None, "x"))[1] == "   x"


def test_bytes_are_shown_as_hex() -> None:
    assert lines(["a"], (b"\x01\xff",))[1] == "01ff"


def test_no_rows_leave_the_titles() -> None:
    assert lines(["a", "b"]) == ["a  b"]


def test_the_widest_column_gives_way_first() -> None:
    shown = lines(["id", "text"], ("12345678", "x" * 100), width=40)

    assert shown[1].startswith("12345678  xxx")
    assert shown[1].endswith("…")


def test_columns_that_cannot_stand_side_by_side_stand_below_each_other() -> None:
    names = [f"column-{number}" for number in range(9)]
    shown = lines(names, tuple(range(9)), ("x" * 90, *[None] * 8), width=40)

    assert shown[:2] == ["column-0  0", "column-1  1"]
    assert shown[9:] == ["", f"column-0  {'x' * 29}…"]


def test_a_value_cannot_move_the_cursor() -> None:
    assert "\x1b" not in lines(["a"], ("\x1b[2Jx",))[1]


def test_without_a_width_long_values_are_cut_late() -> None:
    assert len(lines(["a"], ("x" * 500,), width=None)[1]) == 200


def test_csv_is_quoted_where_it_must_be() -> None:
    rows = [("a,b", None, 3), ('say "x"', "two\nlines", b"\x00")]

    assert list(csv_lines(["one", "two", "three"], rows)) == [
        "one,two,three",
        '"a,b",,3',
        '"say ""x""","two\nlines",00',
    ]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "-1-cmd|'x'!A0"]
)
def test_what_a_spreadsheet_takes_for_a_formula_is_text(text: str) -> None:
    (_, line) = csv_lines(["a"], [(text,)])

    assert next(csv.reader([line])) == [f"'{text}"]


@pytest.mark.parametrize("value", [-1, -1.5, "-12", "+1.5e-3", "a=1", "", "'=1"])
def test_numbers_and_other_texts_stay_as_they_are(value: object) -> None:
    assert list(csv_lines(["a"], [(value,)]))[1:] == [str(value) or '""']


def test_the_name_of_a_column_may_be_a_formula_too() -> None:
    assert list(csv_lines(["=1+1"], [])) == ["'=1+1"]


def test_tables_have_their_columns_below_them() -> None:
    shown = [plain(line) for line in schema_lines({"lines": ["a" * 30, "b" * 30]}, Frame(40, 0))]

    assert shown == ["lines", f"  {'a' * 30},", f"  {'b' * 30}"]


@given(
    st.lists(st.tuples(st.text(), st.integers() | st.none(), st.text(), st.floats()), max_size=5),
    st.sampled_from([40, 80, 120]),
)
def test_a_table_is_as_wide_as_the_paper(rows: list[tuple[Any, ...]], width: int) -> None:
    shown = lines(["one", "two", "three", "four"], *rows, width=width)

    assert max(map(cells, shown)) <= width
