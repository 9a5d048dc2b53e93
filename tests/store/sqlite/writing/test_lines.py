import apsw
import pytest
from msgspec.structs import replace

from tests.store.made import Source
from tests.store.stores import tables
from unspool.model.query import TextQuery
from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing.lines import LineTimes, traces
from unspool.store.sqlite.writing.pending import PendingWrites

DAY = 86_400_000


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    return made


def noted(connection: apsw.Connection, *runs: list[int]) -> list[tuple[object, ...]]:
    """Note runs of lines one after the other, each in a transaction; the blocks there are then."""
    pending = PendingWrites(connection)
    times, first = LineTimes(connection, pending), 1
    for run in runs:
        times.note(first, run)
        times.write()
        pending.write()
        first += len(run)
    return connection.execute("SELECT * FROM block").fetchall()


def test_lines_of_one_time_make_one_block(connection: apsw.Connection) -> None:
    assert noted(connection, [100, 300, 200], [400]) == [(1, 4, 100, 400)]


def test_lines_of_another_time_begin_a_block(connection: apsw.Connection) -> None:
    assert noted(connection, [5 * DAY], [2 * DAY]) == [
        (1, 1, 5 * DAY, 5 * DAY),
        (2, 2, 2 * DAY, 2 * DAY),
    ]


@pytest.mark.parametrize(("later", "blocks"), [(DAY, 1), (DAY + 1, 2)])
def test_lines_up_to_a_day_apart_are_of_one_time(
    connection: apsw.Connection, later: int, blocks: int
) -> None:
    assert len(noted(connection, [100], [100 + later])) == blocks


def test_every_block_of_a_transaction_is_written(connection: apsw.Connection) -> None:
    times = LineTimes(connection, pending := PendingWrites(connection))
    written = [5 * DAY, 1, 5 * DAY, 9 * DAY, 1]
    for number, at in enumerate(written, start=1):
        times.note(number, [at])
    times.write()
    pending.write()

    assert connection.execute("SELECT * FROM block").fetchall() == [
        (number, number, at, at) for number, at in enumerate(written, start=1)
    ]


def test_a_block_is_filled_to_its_last_place(connection: apsw.Connection) -> None:
    assert noted(connection, list(range(2047)), [2047], [2048]) == [
        (1, 2048, 0, 2047),
        (2049, 2049, 2048, 2048),
    ]


def test_blocks_are_not_too_long(connection: apsw.Connection) -> None:
    assert noted(connection, list(range(5000)), [5000]) == [
        (1, 2048, 0, 2047),
        (2049, 4096, 2048, 4095),
        (4097, 5001, 4096, 5000),
    ]


def test_no_lines_make_no_block(connection: apsw.Connection) -> None:
    assert noted(connection, []) == []


def test_the_block_before_is_read_back(connection: apsw.Connection) -> None:
    noted(connection, [100, 200])
    times = LineTimes(connection, pending := PendingWrites(connection))
    times.note(3, [300])
    times.write()
    pending.write()

    assert connection.execute("SELECT * FROM block").fetchall() == [(1, 3, 100, 300)]


def test_what_a_rollback_took_back_is_no_block_before(connection: apsw.Connection) -> None:
    times = LineTimes(connection, pending := PendingWrites(connection))
    times.note(1, [100])
    times.forget()
    times.note(1, [500])
    times.write()
    pending.write()

    assert connection.execute("SELECT * FROM block").fetchall() == [(1, 1, 500, 500)]


def half(source: Source) -> Source:
    """A last line that says all that a line can say."""
    source.line("half").calls().answers().touches("/a").wonders().hooks().bad()
    return source


def test_what_an_unfinished_line_said_is_taken_back(sqlite: SqliteStore) -> None:
    source = Source().line("whole")
    sqlite.commit([source.batch()])
    before = tables(sqlite)
    sqlite.commit([half(source).provisional()])
    during = tables(sqlite)
    sqlite.commit([source.batch()])

    assert tables(sqlite) == before
    assert all(
        len(during[name]) > len(before[name]) for name in ("lines", "tool_calls", "oddities")
    )


def test_only_the_unfinished_half_of_a_call_is_taken_back(sqlite: SqliteStore) -> None:
    source = Source().line().calls("Bash")
    sqlite.commit([source.batch(), source.line().answers(state="error").provisional()])
    during = sqlite.sql("SELECT name, state FROM tool_calls")[1]
    sqlite.commit([source.batch()])

    assert during == [("Bash", "error")]
    assert sqlite.sql("SELECT name, state FROM tool_calls")[1] == [("Bash", "no_result")]


def test_counts_follow_what_is_there(sqlite: SqliteStore) -> None:
    source = Source().line().calls(id="toolu_0").bad().tells()
    sqlite.commit([source.batch(), half(source).provisional()])
    ask = "SELECT events, tool_calls FROM sessions"
    during = sqlite.sql(ask)[1]
    sqlite.commit([source.batch()])

    assert (during, sqlite.sql(ask)[1]) == ([(2, 2)], [(1, 1)])
    assert sqlite.status().bad_lines == 1


def test_a_generation_that_is_over_keeps_lines_and_bad_lines_alone(sqlite: SqliteStore) -> None:
    source = half(Source())
    sqlite.commit([source.batch(), source.restart().line("new").batch()])
    left = {name: len(rows) for name, rows in tables(sqlite).items()}

    assert (left["lines"], left["bad_lines"], left["events"]) == (2, 1, 1)
    assert (left["tool_calls"], left["files_touched"], left["hook_events"], left["oddities"]) == (
        (0,) * 4
    )


def test_another_files_word_on_a_call_stands_when_the_first_is_taken_back(
    sqlite: SqliteStore,
) -> None:
    first, other = Source(1).line().calls("Bash"), Source(2).line().line().calls("Read")
    sqlite.commit([first.batch(), other.batch()])
    before = sqlite.sql("SELECT name FROM tool_calls")[1]
    sqlite.commit([first.restart().line().batch()])

    assert (before, sqlite.sql("SELECT name FROM tool_calls")[1]) == ([("Bash",)], [("Read",)])


def test_what_is_unknown_in_one_line_is_counted(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().wonders().wonders().line().wonders().batch()])

    assert sqlite.sql("SELECT count FROM oddities")[1] == [(3,)]


def test_texts_of_two_lines_with_one_id_are_found_in_the_first(sqlite: SqliteStore) -> None:
    batch = Source().line("ash").line("birch").batch()
    first, second = batch.lines
    lines = [first, replace(second, line_id=first.line_id)]
    texts = [replace(text, line_id=first.line_id) for text in batch.texts]
    sqlite.commit([replace(batch, lines=lines, texts=texts)])

    assert [hit.line_number for hit in sqlite.search(TextQuery(terms="ash birch"))] == [1]


def test_a_batch_leaves_a_trace_of_every_line() -> None:
    assert traces(Source().line().bad().line().batch()) == [(0, 99), (200, 99), (100, 99)]
