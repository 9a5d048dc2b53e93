from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.store.made import START, Source
from unspool.model.api import MarksUpdate
from unspool.model.query import TextQuery
from unspool.model.rows import TextKind
from unspool.store.sqlite.search import hits as module
from unspool.store.sqlite.search import postings
from unspool.store.sqlite.search.hits import TextSearch
from unspool.store.sqlite.store import SqliteStore

DAY = 86_400_000
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
    search = TextSearch(sqlite._readers, sqlite.marks)
    hurried = search.search(TextQuery(terms="word", limit=3000), seconds=0.0)

    assert (hurried.partial, len(hurried) < 3000) == (True, True)
    assert not search.search(TextQuery(terms="word", limit=3000), seconds=60.0).partial


def test_bodies_without_a_phrase_are_looked_at_until_the_time_is_up(sqlite: SqliteStore) -> None:
    asked: list[int] = []

    def body(*place: int) -> str:
        asked.append(place[2])
        return "nothing of it"

    hurried = TextSearch(full(sqlite)._readers, sqlite.marks, body).search(
        TextQuery(terms='"green lantern"'), 0.0
    )

    assert (hurried.partial, asked) == (True, [200])


def test_a_title_you_gave_is_shown(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line("word").tells(title="its own").batch()])
    sqlite.marks.change("-repo", "s1", MarksUpdate(title="mine"))

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


@pytest.fixture
def long(sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """Days of lines that came in no order, and a search that holds five of them for many."""
    monkeypatch.setattr(postings, "_FIRST_READ", 5)
    for number, day in enumerate((9, 2, 7, 0, 5, 1), 1):
        source = Source(number, f"s{number}", at=START + day * DAY)
        for n in range(10):
            kind: TextKind = "tool_result" if n % 2 else "answer"
            source.line(f"common n{n} " + "rare" * (n == 4 and day == 2), kind)
        sqlite.commit([source.batch()])
    return sqlite


def times(store: SqliteStore, **asked: object) -> list[int]:
    rows = store.search(TextQuery(limit=1000, **asked))  # type: ignore[arg-type]
    return [hit.timestamp or 0 for hit in rows]


@pytest.mark.parametrize("terms", ["common", ""])
def test_the_newest_come_first_whatever_order_they_came_in(long: SqliteStore, terms: str) -> None:
    found = times(long, terms=terms)

    assert len(found) == 60
    assert found == sorted(found, reverse=True)


def test_looking_at_many_and_looking_at_few_find_the_same(
    long: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = times(long, terms="common n3", since=START + DAY)
    monkeypatch.setattr(postings, "_FIRST_READ", 10_000)

    assert many == times(long, terms="common n3", since=START + DAY)
    assert len(many) == 5


def test_pages_of_a_long_walk_are_disjoint_and_complete(long: SqliteStore) -> None:
    seen: list[int] = []
    before = None
    while page := long.search(TextQuery(terms="common", before=before, limit=7)):
        seen += [hit.timestamp or 0 for hit in page]
        before = page[-1].line_id

    assert seen == times(long, terms="common")


def test_an_old_session_is_found_among_newer_ones(long: SqliteStore) -> None:
    assert {time // DAY for time in times(long, terms="common", session="s4")} == {START // DAY}
    assert len(times(long, terms="common", session="s4")) == 10


def test_a_project_is_found_by_its_whole_id(sqlite: SqliteStore) -> None:
    sqlite.commit([Source(project="-home-Kettle").line("common").batch()])
    asked = (("-home-Kettle", "-pot"), ("-home",), ())

    assert [len(times(sqlite, terms="common", projects=some)) for some in asked] == [1, 0, 0]


def test_a_walk_ends_at_its_times(long: SqliteStore) -> None:
    found = times(long, terms="common", since=START + DAY, until=START + 6 * DAY)

    assert len(found) == 30


def test_a_cursor_nobody_knows_finds_nothing(long: SqliteStore) -> None:
    assert times(long, terms="common", before=999) == []


def test_the_best_come_first(sqlite: SqliteStore) -> None:
    source = Source().line("lantern " * 5, "answer").line("lantern " + "other " * 50, "answer")
    sqlite.commit([source.line("lantern", "tool_result").batch()])
    hits = sqlite.search(TextQuery(terms="lantern", order="ranked"))

    assert [hit.line_number for hit in hits if hit.text_kind == "answer"] == [1, 2]
    assert all(one.rank >= other.rank for one, other in pairwise(hits))


def test_pages_of_the_best_are_disjoint_and_complete(long: SqliteStore) -> None:
    seen: list[int] = []
    before = None
    while page := long.search(TextQuery(terms="common", order="ranked", before=before, limit=7)):
        seen += [hit.line_id for hit in page]
        before = page[-1].line_id

    assert len(seen) == len(set(seen)) == 60


def test_only_about_the_newest_are_ranked_where_there_are_many(
    long: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RANKED", 10)
    found = times(long, terms="common", order="ranked")

    assert {time // DAY - START // DAY for time in found} == {9}


def test_what_was_asked_for_is_ranked_among_all(
    long: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RANKED", 10)

    assert len(times(long, terms="common", order="ranked", session="s4")) == 10
