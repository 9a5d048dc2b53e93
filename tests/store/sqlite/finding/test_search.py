from contextlib import closing
from pathlib import Path

from tests.store.made import Source
from unspool.model.api import MarksGiven
from unspool.model.query import TextQuery
from unspool.store.sqlite.finding.search import Search
from unspool.store.sqlite.store import SqliteStore

TEXTS = {0: "green lantern", 100: "lantern green", 200: "green, lantern"}


def body(_source: int, _generation: int, offset: int, _length: int) -> str | None:
    return TEXTS.get(offset)


def full(store: SqliteStore) -> SqliteStore:
    source = Source()
    for text in TEXTS.values():
        source.line(text, "tool_result")
    store.commit([source.batch()])
    return store


def test_a_phrase_in_what_tools_put_out_is_looked_for_in_the_body(tmp_path: Path) -> None:
    with closing(full(SqliteStore(tmp_path, bodies=body))) as store:
        hits = store.search(TextQuery(terms='"green lantern"'))

    assert [hit.offset for hit in hits] == [200, 0]


def test_without_bodies_all_its_words_must_do(sqlite: SqliteStore) -> None:
    hits = full(sqlite).search(TextQuery(terms='"green lantern"'))

    assert [hit.offset for hit in hits] == [200, 100, 0]


def test_a_body_that_is_lost_may_have_had_it(tmp_path: Path) -> None:
    with closing(full(SqliteStore(tmp_path, bodies=lambda *_: None))) as store:
        assert len(store.search(TextQuery(terms='"green lantern"'))) == 3


def test_a_search_that_takes_too_long_gives_what_it_has_and_says_so(sqlite: SqliteStore) -> None:
    source = Source()
    for _ in range(3000):
        source.line("word")
    sqlite.commit([source.batch()])
    search = Search(sqlite._readers, None)
    hurried = search.search(TextQuery(terms="word", limit=3000), seconds=0.0)

    assert (hurried.partial, len(hurried) < 3000) == (True, True)
    assert not search.search(TextQuery(terms="word", limit=3000), seconds=60.0).partial


def test_bodies_without_a_phrase_are_looked_at_until_the_time_is_up(sqlite: SqliteStore) -> None:
    asked: list[int] = []

    def body(*place: int) -> str:
        asked.append(place[2])
        return "nothing of it"

    hurried = Search(full(sqlite)._readers, body).search(TextQuery(terms='"green lantern"'), 0.0)

    assert (hurried.partial, asked) == (True, [200])


def test_a_title_you_gave_is_shown(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line("word").tells(title="its own").batch()])
    sqlite.marks.change("-repo", "s1", MarksGiven(title="mine"))

    assert sqlite.search(TextQuery(terms="word"))[0].title == "mine"


def test_a_line_that_cannot_have_a_phrase_is_not_decoded(tmp_path: Path) -> None:
    asked: list[int] = []

    def noted(source: int, generation: int, offset: int, length: int) -> str | None:
        asked.append(offset)
        return body(source, generation, offset, length)

    def line(*place: int) -> bytes:
        return f'{{"text":"{TEXTS[place[2]]} hung"}}'.encode()

    with closing(full(SqliteStore(tmp_path, bodies=noted, lines=line))) as store:
        assert [hit.offset for hit in store.search(TextQuery(terms='"green lantern"'))] == [200, 0]
    assert asked == [200, 0]
