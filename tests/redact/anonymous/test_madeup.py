import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.redact.anonymous.madeup import MadeUp

MADE = MadeUp(b"key")
texts = st.text(max_size=60)


def shape(text: str) -> list[str]:
    return [unicodedata.category(sign) for sign in text]


@given(texts)
def test_a_text_keeps_its_length_and_what_its_signs_are(text: str) -> None:
    assert len(MADE.text(text)) == len(text)
    assert [kind[0] for kind in shape(MADE.text(text))] == [kind[0] for kind in shape(text)]


@given(texts.filter(lambda text: text.isprintable()))
def test_a_text_takes_as_many_bytes_as_before(text: str) -> None:
    assert len(MADE.text(text).encode()) == len(text.encode())


@pytest.mark.parametrize("word", ["Hello", "WORLD", "camelCase", "привет", "日本語", "שלום"])
def test_a_word_is_another_of_the_same_script_and_case(word: str) -> None:
    made = MADE.text(word)
    scripts = [{unicodedata.name(sign).split()[0] for sign in text} for text in (word, made)]

    assert made != word
    assert scripts[0] == scripts[1]
    assert shape(made) == shape(word)


def test_the_same_line_is_always_the_same() -> None:
    assert MADE.text("one line\nanother") == MADE.text("one line") + "\n" + MADE.text("another")


def test_the_same_word_in_two_lines_is_not() -> None:
    assert MADE.text("secret one").split()[0] != MADE.text("secret two").split()[0]


def test_another_key_makes_other_words() -> None:
    assert MadeUp(b"other").text("some words here") != MADE.text("some words here")


def test_files_of_one_directory_stay_together() -> None:
    one, two = MADE.path("/home/dev/kettle/a.py"), MADE.path("/home/dev/kettle/b.py")

    assert one.rpartition("/")[0] == two.rpartition("/")[0]
    assert one != two
    assert one.endswith(".py")


def test_names_of_claude_code_are_kept() -> None:
    assert MADE.path("~/.claude/projects").split("/") == ["~", ".claude", "projects"]
    assert MADE.path("/x/CLAUDE.md").endswith("/CLAUDE.md")


def test_a_project_fits_its_path() -> None:
    assert MADE.slug("-home-dev-kettle") == MADE.path("/home/dev/kettle").replace("/", "-")


@pytest.mark.parametrize("id", ["toolu_01AbC", "msg_x1", "3f2a1b9c-0000-4000-8000-123456789abc"])
def test_an_id_looks_as_before(id: str) -> None:
    made = MADE.id(id)

    assert made != id
    assert len(made) == len(id)
    assert made.partition("_")[1] == id.partition("_")[1]


def test_no_two_ids_become_one() -> None:
    ids = [str(number) for number in range(60)]

    assert len({MADE.id(id) for id in ids}) == len(ids)
