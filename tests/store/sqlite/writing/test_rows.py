from zlib import crc32

import apsw
import pytest
from msgspec.structs import replace

from tests.store.made import START, Source
from unspool.store.sqlite.functions import crc
from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing.rows import (
    Numbers,
    cleaned,
    line_rows,
    packed_uuid,
    tool_rows,
)
from unspool.store.sqlite.writing.strings import StringTable

UUID = "01234567-89ab-4cde-8f01-23456789abcd"


@pytest.fixture
def words() -> StringTable:
    connection = apsw.Connection(":memory:")
    create(connection, "index.db")
    return StringTable(connection)


def test_only_a_uuid_written_as_usual_is_packed() -> None:
    assert packed_uuid(UUID) == bytes.fromhex(UUID.replace("-", ""))
    for odd in (UUID.upper(), UUID.replace("-", " "), UUID[:-1] + "g", "u1"):
        assert packed_uuid(odd) == odd
    assert packed_uuid("") is None


def test_what_an_earlier_line_said_is_said_by_its_distance(words: StringTable) -> None:
    source = Source().line(uuid=UUID, message_id="m", request_id="r")
    source.line(parent_uuid=UUID, message_id="m", request_id="q").line(message_id="m")
    rows = list(line_rows(source.batch().lines, 7, 1, words))

    assert [row[0] for row in rows] == [7, 8, 9]
    assert [row[-3:] for row in rows] == [(None, "m", "r"), (1, 1, "q"), (None, 2, None)]


def test_a_time_is_kept_as_what_it_differs_from_the_id(words: StringTable) -> None:
    source = Source().line().line(timestamp=START).line(timestamp=None)
    rows = list(line_rows(source.batch().lines, 1, 1, words))

    assert [row[7:9] for row in rows] == [
        (START + 1000, 0),
        (START + 2000, -2000),
        (START + 3000, None),
    ]


def test_of_two_lines_with_one_id_the_first_is_meant() -> None:
    batch = Source().line().line().batch()
    twice = replace(
        batch, lines=[batch.lines[0], replace(batch.lines[1], line_id=batch.lines[0].line_id)]
    )
    numbers = Numbers(twice, 5)

    assert (numbers.of(batch.lines[0].line_id), numbers.of(12345)) == (5, 0)
    assert numbers.times == [START + 1000] * 2


def test_a_call_and_its_answer_are_one_row(words: StringTable) -> None:
    source = Source().line().calls("Bash").line().answers(state="error").line().answers()
    batch = source.batch()
    (row,) = tool_rows(batch, Numbers(batch, 1), words)

    assert row[:4] == (crc32(b"toolu_1"), "toolu_1", 1, 0)
    assert (row[6], row[7], row[9]) == (2, 0, 1)


def test_a_call_alone_has_no_answer(words: StringTable) -> None:
    batch = Source().line().calls().batch()
    (row,) = tool_rows(batch, Numbers(batch, 1), words)

    assert row[6:] == (None,) * 4


def test_an_id_that_is_half_a_character_has_a_checksum() -> None:
    assert crc("\ud800") == crc32(b"?")


def test_cleaning_reaches_every_row_and_leaves_the_rest() -> None:
    source = Source().line("a\ud800", turn=2**70).touches("/\udfff")
    made = cleaned(source.batch())

    assert (made.texts[0].body, made.files[0].path) == ("a?", "/?")
    assert made.lines[0].turn == 2**63 - 1
    assert cleaned(made) == made
