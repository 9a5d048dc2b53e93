from pathlib import Path
from time import process_time

import pytest
from msgspec import structs

from tests.engine.indexing.roots import only_file, saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing.intake import new_source
from unspool.engine.indexing.run import LARGE, Queue, has_more, share
from unspool.engine.indexing.survey import PendingFile
from unspool.model.files import TailState
from unspool.model.rows import SourceRow


@pytest.fixture
def files(tmp_path: Path) -> list[PendingFile]:
    file = only_file(saved(tmp_path, Transcript().user("a")))
    return [PendingFile(structs.replace(file, relpath=name, size=10), None) for name in "abc"]


def sized(found: PendingFile, size: int) -> PendingFile:
    return structs.replace(found, file=structs.replace(found.file, size=size))


def read_to(found: PendingFile, offset: int, pending: int = 0) -> SourceRow:
    """A checkpoint in a file of ten bytes."""
    tail = TailState(offset=offset, pending=pending, size_seen=10)
    return structs.replace(new_source(found.file), offset=offset, tail=tail)


def test_files_come_in_order_each_once(files: list[PendingFile]) -> None:
    queue = Queue(files)

    assert (list(queue), list(queue)) == (files, [])


def test_handing_out_takes_as_long_as_there_are_files(files: list[PendingFile]) -> None:
    def seconds(count: int) -> float:
        begun = process_time()
        assert len(list(Queue(many[:count]))) == count
        return process_time() - begun

    file = files[0].file
    many = [PendingFile(structs.replace(file, relpath=str(n)), None) for n in range(80_000)]
    few, all = (min(seconds(count) for _ in range(3)) for count in (20_000, 80_000))

    assert all < 8 * few  # by the square it would be 16


def test_one_that_is_claimed_is_not_handed_out(files: list[PendingFile]) -> None:
    queue = Queue(files)

    assert queue.claim(files[1])
    assert list(queue) == [files[0], files[2]]


def test_one_that_was_handed_out_cannot_be_claimed_until_it_is_committed(
    files: list[PendingFile],
) -> None:
    queue = Queue(files)
    one = next(iter(queue))
    before = queue.claim(one)
    queue.done(read_to(one, 4))
    meanwhile = queue.claim(one)
    queue.done(read_to(one, 10))

    assert (before, meanwhile, queue.claim(one)) == (False, False, True)


def test_a_file_nobody_queued_can_be_claimed(files: list[PendingFile]) -> None:
    assert Queue().claim(files[0])


def test_a_last_line_without_an_end_is_not_more(files: list[PendingFile]) -> None:
    assert has_more(read_to(files[0], 4))
    assert not has_more(read_to(files[0], 4, pending=6))


def test_a_file_read_to_its_end_has_no_more(tmp_path: Path) -> None:
    ((_, batch),) = taken(saved(tmp_path, Transcript().user("a")))

    assert not has_more(batch.source)


def test_all_small_files_go_before_one_large_one(files: list[PendingFile]) -> None:
    one, two, three = sized(files[0], LARGE + 1), files[1], sized(files[2], LARGE + 1)

    assert share([one, two, three]) == [two, one]


def test_no_more_small_files_are_read_at_once_than_are_quickly_read(
    files: list[PendingFile],
) -> None:
    many = [sized(files[0], LARGE)] * 100

    assert 10 < len(share(many)) < 50
