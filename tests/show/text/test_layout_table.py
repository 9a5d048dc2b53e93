from unspool.show.spans import Span, plain
from unspool.show.text.layout import TableColumn, table

COLUMNS = (
    TableColumn("ID"),
    TableColumn("TITLE", flex=True),
    TableColumn("COST", right=True),
    TableColumn("TOKENS", right=True, drop=1),
    TableColumn("MARKS", drop=2),
)


def row(*cells: str) -> list[Span]:
    return [("", cell) for cell in cells]


ROWS = [row("a", "A title of some length", "$1.00", "9", "x"), row("b", "B", "$10.00", "12", "")]


def shown(width: int | None) -> list[str]:
    return [plain(line) for line in table(COLUMNS, ROWS, width)]


def test_columns_are_as_wide_as_they_need_to_be() -> None:
    assert shown(None) == [
        "ID  TITLE                     COST  TOKENS  MARKS",
        "a   A title of some length   $1.00       9  x",
        "b   B                       $10.00      12",
    ]


def test_the_least_wanted_column_goes_first() -> None:
    assert shown(45)[0].split() == ["ID", "TITLE", "COST", "TOKENS"]
    assert shown(35)[0].split() == ["ID", "TITLE", "COST"]


def test_what_must_stay_stays_and_the_title_gives_way() -> None:
    lines = shown(22)

    assert lines[1] == "a   A title o…   $1.00"


def test_every_line_fits() -> None:
    assert all(len(line) <= width for width in range(22, 60) for line in shown(width))


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    lines = table(COLUMNS, [row("a", "t", "$1", "", "")], None)

    assert plain(lines[0]).split() == ["ID", "TITLE", "COST"]


def test_no_column_is_endless() -> None:
    columns = (TableColumn("ID", most=3), TableColumn("TITLE", flex=True))
    wide = plain(table(columns, [row("abcdef", "x" * 500)], 40)[1])

    assert wide == "ab…  " + "x" * 34 + "…"
    assert len(plain(table(columns, [row("abcdef", "x" * 500)], None)[1])) == 108
