from unspool.show.viewers.changed import marked


def test_a_line_that_replaces_another_shows_the_words_that_differ() -> None:
    old, new = marked([("-", "key = route + 1"), ("+", "key = tenant + 1")])

    assert old == ("-", (("", "key = "), ("del", "route"), ("", " + 1")))
    assert new == ("+", (("", "key = "), ("ins", "tenant"), ("", " + 1")))


def test_lines_with_little_in_common_are_not_compared() -> None:
    assert list(marked([("-", "for x in y:"), ("+", "raise Oops")])) == [
        ("-", (("", "for x in y:"),)),
        ("+", (("", "raise Oops"),)),
    ]


def test_unequal_blocks_are_not_compared() -> None:
    lines = list(marked([("-", "a = 1"), ("+", "a = 2"), ("+", "b = 2")]))

    assert all(name == "" for _, spans in lines for name, _ in spans)


def test_what_cannot_be_seen_is_made_visible() -> None:
    (_, spans) = next(iter(marked([("+", "a\u202eb")])))

    assert spans == (("", "a"), ("bidi", "U+202E"), ("", "b"))


def test_a_line_that_stayed_has_no_mark() -> None:
    assert list(marked([(" ", "same")])) == [(" ", (("", "same"),))]
