import os
from pathlib import Path
from random import Random

import pytest

from tests.decode.damage import damaged, lines
from tests.engine.indexed import archive, index
from tests.engine.roots import append, saved
from tests.waiting import open_below
from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.derive.reading.searchable import searchable
from unspool.engine.archive import reader as module
from unspool.engine.archive.reader import Archive, text_of
from unspool.model.rows import SourceRow

TALK = Transcript().user("alpha one").says("beta two")


def first_line(made: Archive) -> tuple[int, int, int, int]:
    (source,) = made.sources().values()
    length = len(TALK.bytes().splitlines()[0])
    return source.source_id, source.generation, 0, length


def test_a_line_is_read_from_its_file(tmp_path: Path) -> None:
    saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        (tmp_path / "un" / "raw.db").unlink()

        assert made.line(*first_line(made)) == TALK.bytes().splitlines()[0]


def test_a_source_is_asked_for_once(tmp_path: Path) -> None:
    saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        number = made.store.sources()[0].source_id

        assert made.source(number) is made.source(number) is not None
        assert made.source(number + 1) is None


def test_a_line_whose_file_is_gone_is_read_from_the_archive(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        path.unlink()

        assert made.line(*first_line(made)) == TALK.bytes().splitlines()[0]


def test_a_file_that_is_another_by_now_is_not_believed(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        path.write_bytes(TALK.bytes().replace(b"alpha", b"gamma"))

        assert b"alpha" in (made.line(*first_line(made)) or b"")


def test_a_file_that_grew_meanwhile_is_read_from_the_archive(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        place = first_line(made)
        made.line(*place)
        append(path, b"{}\n")
        os.truncate(path, 3)

        assert made.line(*place) == TALK.bytes().splitlines()[0]


def test_lines_of_an_older_generation_are_still_there(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        place = first_line(made)
    path.write_bytes(Transcript().user("rewritten").bytes())
    with archive(tmp_path) as made:
        assert b"alpha" in (made.line(*place) or b"")


def test_what_is_nowhere_is_none(tmp_path: Path) -> None:
    saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        source, generation, _, length = first_line(made)

        assert made.line(source, generation, 10_000, length) is None
        assert made.text(source, generation + 9, 0, length) is None
        assert made.line(1, 0, 0, 1) is None


def test_the_text_of_a_line_is_what_a_search_finds(tmp_path: Path) -> None:
    saved(tmp_path, TALK)
    with archive(tmp_path) as made:
        assert made.text(*first_line(made)) == "alpha one"


def test_only_so_many_files_are_open_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_OPEN", 2)
    saved(tmp_path, *(Transcript(session=f"s{number}").user("x") for number in range(5)))
    with archive(tmp_path) as made:
        sources: list[SourceRow] = list(made.sources().values())
        before = open_below(tmp_path)
        found = [made.line(one.source_id, 0, 0, 10) for one in sources]

        assert len(open_below(tmp_path)) - len(before) == 2
    assert None not in found


def test_a_file_that_cannot_be_opened_is_read_from_the_archive(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, TALK)
    index(tmp_path)
    path.unlink()
    path.mkdir()
    with archive(tmp_path) as made:
        assert made.line(*first_line(made)) == TALK.bytes().splitlines()[0]


@pytest.mark.parametrize("line", [*lines(), *(damaged(Random(seed))[0] for seed in range(40))])
def test_the_text_of_a_line_is_the_one_that_was_indexed(line: bytes) -> None:
    """Messages are made only where the text depends on them."""
    for changed in (line, line.replace(b'"uuid"', b'"id"'), line.replace(b'"message"', b'"msg"')):
        read_all = [(entry, read(entry, 1)) for entry in decode(changed)]
        indexed = [searchable(entry, message)[1] for entry, message in read_all if message]

        assert text_of(changed) == "\n".join(indexed)
