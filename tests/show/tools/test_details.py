from unspool.show.tools.details import (
    Checklist,
    DetailBuilder,
    DiffDetail,
    ImageDetail,
    MarkdownDetail,
    OutputDetail,
    PairsDetail,
    images,
    is_cut,
    pairs,
    weight,
)

WINDOW, WHOLE = DetailBuilder(), DetailBuilder(is_whole=True)


def output(text: str, build: DetailBuilder = WINDOW) -> OutputDetail:
    (made,) = build.output(text)
    assert isinstance(made, OutputDetail)
    return made


def test_a_short_text_is_shown_whole() -> None:
    assert output("a\nb") == OutputDetail(label="output", head="a\nb", size="2 lines, 3B")


def test_of_a_long_text_the_beginning_and_the_end_are_shown() -> None:
    made = output("\n".join(map(str, range(100))))

    assert made.head.startswith("0\n1\n")
    assert made.tail.endswith("98\n99")
    assert made.hidden == 64


def test_an_endless_line_is_cut() -> None:
    made = output("x" * 1_000_000)

    assert len(made.head) == 2_000
    assert is_cut(made)


def test_whole_is_whole() -> None:
    assert len(output("x\n" * 500, WHOLE).head.split("\n")) == 500


def test_blank_text_is_nothing() -> None:
    assert WINDOW.output(" \n\n") == []


def test_a_long_diff_says_how_much_is_left_out() -> None:
    (made,) = WINDOW.diff("a.py", [("+", str(n)) for n in range(100)])

    assert isinstance(made, DiffDetail)
    assert (len(made.lines), made.hidden) == (48, 52)


def test_a_whole_diff_leaves_nothing_out() -> None:
    (made,) = WHOLE.diff("a.py", [("+", str(n)) for n in range(100)])

    assert not is_cut(made)


def test_a_whole_diff_of_too_many_lines_is_plain_text() -> None:
    made = WHOLE.diff("a.py", [("+", "x"), *[("-", "y")] * 5_000])

    assert made == [PairsDetail((("diff of a.py", "+x" + "\n-y" * 5_000),))]
    (most,) = WHOLE.diff("a.py", [("-", "y")] * 5_000)
    assert isinstance(most, DiffDetail)


def test_no_change_is_no_diff() -> None:
    assert WINDOW.diff("a.py", []) == []


def test_no_words_are_no_prose() -> None:
    assert WINDOW.markdown("  ") == []


def test_pairs_without_a_value_are_left_away() -> None:
    assert pairs([("a", "")]) == []


def test_pictures_are_numbered_in_their_order() -> None:
    blocks = [{"type": "text", "text": "x"}, {"type": "image"}, {"type": "document"}, 7]

    assert images({"content": blocks}) == [ImageDetail(0, "image"), ImageDetail(1, "document")]


def test_a_result_that_is_no_list_has_no_images() -> None:
    assert images("image") == []


def test_weight_grows_with_what_is_shown() -> None:
    light, heavy = (weight(output("x" * size)) for size in (10, 1_000))
    (diff,) = WINDOW.diff("a", [("+", "x")])

    assert light < heavy
    assert weight(MarkdownDetail("xx")) == 2
    assert min(weight(diff), weight(Checklist(()))) > 0
