from multiprocessing import Pipe
from pathlib import Path
from random import Random
from threading import Thread

from msgspec.msgpack import decode

from tests.engine.indexing.roots import NOW, saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing.survey import survey
from unspool.engine.indexing.worker import IndexTask, Outbox, WorkerResult, read, together

MANY = [WorkerResult(trouble=f"{number} {'x' * 1000}") for number in range(200)]


def fill(outbox: Outbox, messages: list[WorkerResult]) -> None:
    for made in messages:
        outbox.put([made])


def test_a_source_is_read_as_it_would_be_at_home(tmp_path: Path) -> None:
    root = saved(tmp_path, Transcript().user("hello").says("hi"))
    (found,) = survey([root], {}).found
    *made, last = read(IndexTask(found, NOW))

    assert [(one.segments, one.batch) for one in made] == taken(root)
    assert last == WorkerResult()


def test_a_source_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    root = saved(tmp_path, Transcript().user("hello"))
    (found,) = survey([root], {}).found
    Path(found.file.path).unlink()
    Path(found.file.path).mkdir()
    (made,) = read(IndexTask(found, NOW))

    assert "s1.jsonl" in made.trouble


def test_short_files_come_in_one_message_and_a_long_one_ends_it(tmp_path: Path) -> None:
    noise = Random(1).randbytes(100_000).hex()
    short = [Transcript(f"s{number}").user("hello") for number in range(5)]
    root = saved(tmp_path, *short, Transcript("t").user(noise).says("hi"))
    found = sorted(survey([root], {}).found, key=lambda one: one.file.path)
    messages = list(together([IndexTask(one, NOW) for one in [*found, *found[:2]]]))

    # Each file gives its lines, and that it is done.
    assert [len(results) for results in messages] == [2 * 5 + 1, 1 + 2 * 2]


def test_what_is_put_in_comes_out_in_order() -> None:
    ours, theirs = Pipe()
    outbox = Outbox(theirs, 10_000)
    Thread(target=fill, args=(outbox, MANY)).start()

    assert [decode(ours.recv_bytes(), type=list[WorkerResult]) for _ in MANY] == [[m] for m in MANY]


def test_who_does_not_listen_makes_the_reader_wait() -> None:
    ours, theirs = Pipe()
    outbox = Outbox(theirs, 10_000)
    reader = Thread(target=fill, args=(outbox, MANY * 5))
    reader.start()
    reader.join(0.2)
    waits = reader.is_alive()
    for _ in MANY * 5:
        ours.recv_bytes()
    reader.join(60)

    assert (waits, reader.is_alive()) == (True, False)
