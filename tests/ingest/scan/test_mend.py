from unspool.demo import Transcript
from unspool.ingest.scan.mend import records, whole

ONE, TWO = Transcript().says("a").says("b").bytes().splitlines()


def found(line: bytes) -> list[tuple[int, bytes]]:
    return list(records(line))


def test_records_that_were_glued_together_come_apart() -> None:
    assert found(ONE + TWO + b"\n") == [(0, ONE), (len(ONE), TWO)]


def test_a_record_begins_where_an_index_says_it_does() -> None:
    assert found(b"\0\0" + ONE + b"\n") == [(2, ONE)]


def test_what_was_cut_is_left_out() -> None:
    assert found(ONE[:40] + TWO + b"\n") == [(40, TWO)]


def test_of_a_line_still_being_written_nothing_is_taken_unless_it_is_whole() -> None:
    assert found(ONE + TWO[:-9]) == []
    assert len(whole(ONE + TWO)) == 2
