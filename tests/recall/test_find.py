import os
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recall.roots import recall, saved, session
from unspool.demo import Transcript
from unspool.errors import NotFound
from unspool.model.document import SessionDocument
from unspool.model.files import Root, TranscriptFile
from unspool.model.search import Scope
from unspool.recall.find import by_fragment, occurrences, page

ROOT = Root(1, "/r", "", "/r/projects")
IDS = [str(UUID(int=number)) for number in range(1, 6)]


def talk(root: Path) -> SessionDocument:
    made = Transcript().user("alpha intro alpha").thinks("alpha thought").says("older alpha")
    made.calls("Bash", command="echo alpha").returns("alpha out").says("latest alpha alpha output")
    return session(root, made).document()


def kinds(document: SessionDocument, text: str, scope: Scope = "devtools") -> list[str]:
    return [found.kind for found in occurrences(document, text, scope=scope)]


def file(session_id: str, mtime: int = 0, project: str = "-p") -> TranscriptFile:
    return TranscriptFile(
        ROOT, f"/{session_id}", "", "main", project, session_id, None, 1, mtime, 1
    )


# devtools 110
def test_prompts_and_last_answers_are_searched_as_devtools_does(tmp_path: Path) -> None:
    assert kinds(talk(tmp_path), "alpha") == ["user", "user", "ai", "ai"]


# devtools 110
def test_scope_all_finds_older_answers_thinking_and_tools_too(tmp_path: Path) -> None:
    found = kinds(talk(tmp_path), "ALPHA", "all")

    assert sorted(found) == sorted(
        ["user", "user", "thinking", "ai", "ai", "ai", "tool_input", "tool_result"]
    )


def test_an_occurrence_tells_where_it_stands(tmp_path: Path) -> None:
    document = talk(tmp_path)
    second = occurrences(document, "alpha")[1]

    assert (second.index, second.offset, second.line) == (1, 12, 1)
    assert (second.chunk_id, second.context) == (document.chunks[0].id, "alpha intro alpha")


def test_the_context_is_fifty_characters_each_side(tmp_path: Path) -> None:
    document = session(tmp_path, Transcript().user("x" * 80 + "alpha" + "y" * 80)).document()

    assert occurrences(document, "alpha")[0].context == "x" * 50 + "alpha" + "y" * 50


def test_a_text_is_no_pattern(tmp_path: Path) -> None:
    document = session(tmp_path, Transcript().user("a.c abc (")).document()

    assert len(occurrences(document, "a.c")) == 1
    assert len(occurrences(document, "(")) == 1


def test_nothing_asked_for_is_nowhere(tmp_path: Path) -> None:
    assert occurrences(talk(tmp_path), "  ") == []


def test_a_limit_is_kept(tmp_path: Path) -> None:
    assert len(occurrences(talk(tmp_path), "a", limit=3)) == 3


# devtools 111
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(IDS)), unique=True), st.integers(1, 4))
def test_pages_are_disjoint_and_complete(rows: list[tuple[int, str]], size: int) -> None:
    files = [file(name, mtime, f"-{mtime}") for mtime, name in rows]
    pages = [page(files, limit=size)]
    while pages[-1].next_cursor:
        pages.append(page(files, pages[-1].next_cursor, size))

    got = [(-one.mtime_ns, one.session_id) for made in pages for one in made.items]
    assert got == sorted((-mtime, name) for mtime, name in rows)


# devtools 111
def test_files_written_at_one_moment_are_ordered_by_id() -> None:
    assert [one.session_id for one in page([file("b"), file("c"), file("a")]).items] == [*"abc"]


# devtools 111
@pytest.mark.parametrize(("limit", "size"), [(0, 20), (500, 200), (7, 7)])
def test_a_page_has_at_most_two_hundred_rows(limit: int, size: int) -> None:
    files = [file(str(number)) for number in range(300)]

    assert len(page(files, limit=limit).items) == size


@pytest.mark.parametrize("cursor", ["nonsense", "bm90IGpzb24=", "", "é"])
def test_a_cursor_nobody_gave_out_begins_at_the_start(cursor: str) -> None:
    assert len(page([file("a")], cursor).items) == 1


# devtools 112
@pytest.mark.parametrize("fragment", ["", "ab", "xyz", "../..", "0000 "])
def test_a_fragment_too_short_or_not_hex_is_rejected(fragment: str) -> None:
    with pytest.raises(NotFound):
        by_fragment([file(IDS[0])], fragment)


# devtools 112
def test_a_fragment_may_stand_anywhere_in_an_id() -> None:
    files = [file(name) for name in IDS]

    assert by_fragment(files, "00003") == [files[2]]
    assert by_fragment(files, "000-0000") == files


# devtools 112
def test_a_whole_id_fits_itself_alone() -> None:
    files = [file(IDS[0]), file(f"{IDS[0]}-copy")]

    assert by_fragment(files, IDS[0].upper()) == files[:1]


def test_pages_are_made_of_the_files_on_disk(tmp_path: Path) -> None:
    for name in ("one", "two"):
        os.utime(saved(tmp_path, Transcript(session=name).user("x"))[0], (1, 1))

    assert [one.session_id for one in page(recall(tmp_path).files()).items] == ["one", "two"]
