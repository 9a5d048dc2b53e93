from pathlib import Path

import pytest

from tests.ingest.scan.scans import files_of, root_with
from unspool.demo import Transcript
from unspool.derive.usage.responses import FileStart
from unspool.ingest.scan.closely import file_rows, line_rows
from unspool.ingest.scan.files import unread
from unspool.ingest.scan.merge import Odd
from unspool.model.usage import UsageRow

ABSENT = Transcript.ABSENT


def keys(path: Path, line: bytes) -> list[str]:
    (file,) = files_of(root_with(path, line))
    return [row.message_key for row in line_rows(file, unread(file), 0, line, FileStart())]


def whole(path: Path, data: bytes) -> tuple[int, list[UsageRow]]:
    (file,) = files_of(root_with(path, data))
    source, rows = file_rows(file, unread(file))
    return source.offset, rows


def test_records_glued_into_one_line_each_have_their_row(tmp_path: Path) -> None:
    one, two = Transcript().says("a").says("b").bytes().splitlines()

    assert keys(tmp_path, one + two + b"\n") == ["m:msg_1", "m:msg_2"]


def test_of_a_line_that_is_still_being_written_nothing_is_taken(tmp_path: Path) -> None:
    one, two = Transcript().says("a").says("b").bytes().splitlines()

    assert keys(tmp_path, one + two[:-9]) == []
    assert keys(tmp_path, one + two[:-9] + b"\n") == ["m:msg_1"]


@pytest.mark.parametrize(
    "made",
    [
        Transcript().says("a", timestamp=ABSENT),
        Transcript().says("a", id=ABSENT, request=ABSENT, uuid=ABSENT),
    ],
)
def test_a_line_that_needs_those_before_it_is_odd(tmp_path: Path, made: Transcript) -> None:
    with pytest.raises(Odd):
        keys(tmp_path, made.bytes())


def test_a_whole_file_numbers_its_lines(tmp_path: Path) -> None:
    made = Transcript().user("hi").says("a", id=ABSENT, request=ABSENT, uuid=ABSENT)
    offset, (row,) = whole(tmp_path, made.bytes())

    assert (offset, row.message_key[-4:]) == (len(made.bytes()), ":2.0")


def test_a_whole_file_takes_an_unfinished_last_line_that_is_whole(tmp_path: Path) -> None:
    data = Transcript().says("a").says("b").bytes().rstrip(b"\n")
    offset, rows = whole(tmp_path, data)

    assert len(rows) == 2
    assert offset == data.rfind(b"\n") + 1
