from unspool.engine.ids import LineIds, line_id, source_id
from unspool.engine.indexing.segments import PIECE


def test_a_source_is_named_by_root_and_path_together() -> None:
    ids = {source_id("/a", "b/c"), source_id("/a/b", "c"), source_id("/a", "b/d")}

    assert len(ids) == 3


def test_a_source_has_the_same_number_in_every_process() -> None:
    assert source_id("/home/a/.claude", "projects/p/s.jsonl") == 11870070086268


def test_a_path_that_is_not_utf_8_has_a_number_too() -> None:
    assert source_id("/a", "\udcff.jsonl") > 0


def test_ids_of_later_lines_are_greater_wherever_they_stand() -> None:
    assert line_id(10**9 - 1, 1_700_000_000_000) < line_id(0, 1_700_000_000_001)


def test_lines_of_one_moment_and_piece_differ_by_their_place() -> None:
    begins = 7 * PIECE + 12_345
    places = [begins, begins + 1, begins + PIECE // 2, begins + PIECE - 1]

    assert len({line_id(place, 1_700_000_000_000) for place in places}) == len(places)


def test_an_id_fits_a_database_integer_whatever_the_clock_said() -> None:
    assert 0 <= line_id(2**47 - 1, 10**15) < 2**63


def test_no_two_lines_of_a_piece_share_an_id_though_none_has_a_time() -> None:
    ids = LineIds()

    assert len({ids.next(offset, None) for offset in range(20_000)}) == 20_000


def test_the_same_lines_get_the_same_ids_again() -> None:
    times = [None, 5, 5, None, 9, 5]
    one, two = LineIds(), LineIds()

    assert [one.next(*place) for place in enumerate(times)] == [
        two.next(*place) for place in enumerate(times)
    ]


def test_a_line_without_a_time_takes_that_of_the_line_before() -> None:
    ids = LineIds()

    assert ids.next(0, 1_700_000_000_000) >> 22 == ids.next(10, None) >> 22
