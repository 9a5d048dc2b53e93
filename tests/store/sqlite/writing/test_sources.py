from msgspec.structs import replace

from tests.store.made import Source
from tests.store.stores import statements
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing.sources import _REMEMBERED


def asked(store: SqliteStore) -> list[str]:
    assert store._desk
    return statements(store._desk._writer._connection)


def test_a_file_that_grows_is_only_written_to(sqlite: SqliteStore) -> None:
    source = Source().line("first").tells()
    sqlite.commit([source.batch()])
    said = asked(sqlite)
    sqlite.commit([source.line("second").tells(title="new").batch()])

    read = [text for text in said if text.startswith("SELECT")]
    assert read == ["SELECT seq FROM sqlite_sequence WHERE name = 'change'"]


def test_files_of_one_commit_take_as_many_statements_as_one(sqlite: SqliteStore) -> None:
    sources = [Source(number, f"s{number}") for number in range(1, 9)]
    sqlite.commit([source.line("first").batch() for source in sources])
    said = asked(sqlite)
    sqlite.commit([source.line("more").batch() for source in sources])

    assert len({text for text in said if text.startswith(("INSERT", "UPDATE"))}) <= 8


def test_what_lies_behind_a_checkpoint_is_remembered(sqlite: SqliteStore) -> None:
    source = Source().line("whole")
    sqlite.commit([source.batch(), source.line("half").provisional()])
    sqlite.commit([source.line("all of it").batch()])

    assert sqlite.status().lines == 2


def test_a_file_that_moves_to_another_session_takes_its_hooks_along(sqlite: SqliteStore) -> None:
    source = Source(1, "").line().hooks()
    sqlite.commit([source.batch()])
    source.row = replace(source.row, session_id="s2")
    sqlite.commit([source.line().batch(), source.line().batch()])

    assert (len(sqlite.hooks("-repo", "s2")), sqlite.hooks("-repo", "")) == (1, [])


def test_sources_that_are_no_longer_remembered_go_on(sqlite: SqliteStore) -> None:
    first = Source(1).line("first")
    sqlite.commit([first.batch()])
    sqlite.commit([Source(number).line().batch() for number in range(2, _REMEMBERED + 2)])
    sqlite.commit([first.line("second").batch()])

    assert sqlite.status().lines == _REMEMBERED + 2
