from tests.show.made import texts
from unspool.show.text.layout import passage, prose

LONG = "word " * 30


def test_prose_wraps_at_its_width() -> None:
    assert all(len(row) <= 40 for row in texts(prose(LONG, 40)))


def test_code_and_tables_are_left_as_they_are() -> None:
    text = f"```\n{LONG}x\n```\n| {LONG}x |"

    assert texts(prose(text, 20)) == ["```", f"{LONG}x", "```", f"| {LONG}x |"]


def test_a_list_item_hangs() -> None:
    assert texts(prose("1. one two three", 10)) == ["1. one two", "   three"]


def test_a_heading_stands_out_and_a_comment_in_code_does_not() -> None:
    lines = list(prose("# Plan\n```\n# note\n```", 40))

    assert [line[0][0] for line in lines] == ["strong", "dim", "", "dim"]


def test_paragraphs_stay_apart() -> None:
    assert texts(prose("a\n\nb", 40)) == ["a", "", "b"]


def test_a_passage_is_folded_by_the_lines_it_takes() -> None:
    assert texts(passage(LONG, 25, 2, 1)) == [
        "word word word word word",
        "word word word word word",
        "… 3 more lines",
        "word word word word word",
    ]


def test_a_very_long_passage_shows_its_ends() -> None:
    text = "\n".join(map(str, range(10_000)))

    assert texts(passage(text, 40, 2, 1)) == ["0", "1", "… 9,997 more lines", "9999"]
    assert texts(passage(text, 40, 1)) == ["0", "… 9,999 more lines"]


def test_a_passage_does_not_end_in_a_blank_before_what_is_missing() -> None:
    assert texts(passage("a\n\nb\nc\nd", 40, 2)) == ["a", "… 3 more lines"]


def test_nothing_said_takes_no_lines() -> None:
    assert passage("", 40, 3) == []
