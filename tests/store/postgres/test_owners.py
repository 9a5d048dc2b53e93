"""Owners: nobody sees or changes what is another's; every statement says whose rows it reads."""

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from tests.store.made import START, Source, agent, price
from tests.store.postgres.cluster import SearchableStore
from tests.store.stores import EVERYTHING, shown
from unspool.model.api import MarksUpdate
from unspool.model.edits import EditQuery
from unspool.model.files import OutputFile
from unspool.model.query import SearchOrder, SessionQuery, TextQuery, TotalsQuery
from unspool.store import Store
from unspool.store.pack import packed
from unspool.store.postgres.export import COLUMNS, ExportReader
from unspool.store.postgres.rebuild import TABLES
from unspool.store.postgres.store import PostgresStore

NAME = ("-repo", "s1")
OUTPUT = OutputFile("/claude", "long.txt", *NAME, 4, 5)


def filled(store: Store, word: str) -> None:
    """Something in every table, under the same names and numbers whoever the owner is."""
    store.archive([packed(1, 0, 0, word.encode())], [Source().row])
    store.archive_outputs([(OUTPUT, word.encode())])
    source = Source()
    source.row = replace(source.row, path=f"{word}.jsonl")
    source.line(f"{word} both").spends(f"m:{word}", 7, model=word).calls().touches("/repo/a.py")
    source.hooks(key="k").attributes(command="/go").wonders(word).bad().knows(word.encode())
    source.line(word, message_id=word).answers().tells(title=word, transcript_path=f"/{word}")
    store.commit([source.batch(ties=(1,), state=word.encode())], price)
    store.put_agents(*NAME, [agent(f"a-{word}", facts=word.encode())])
    store.marks.change(*NAME, MarksUpdate(pinned=True, title=f"mark {word}"))
    store.reprice(price, word)


def seen(store: Store) -> str:
    """All that a store tells."""
    facts = store.facts_of(0, 2**62)
    orders: tuple[SearchOrder, ...] = ("newest", "ranked")
    with store.events_of(*NAME).reading() as rows:
        files = rows.sources()
        ids = [id for file in files for id in rows.line_ids(file, 0)]
        events: list[Any] = [rows.lines(file, 0) for file in files]
        events += [rows.tools(file) for file in files]
        events += [rows.lines_by_id(ids), rows.tools_by_line(ids), rows.tokens_of(ids)]
        events += [rows.line_of_call("toolu_1", is_result=one) for one in (True, False)]
        events += [rows.tokens(), rows.tokens_by_line(), rows.responses_of(ids), rows.hook_state()]
        events += [rows.hook_count(), rows.hook_notes(), rows.new_hook_notes(0)]
        events += [rows.hooks_by_line(ids)]
    asked = [TextQuery(terms=one, order=order) for one in ("both", "") for order in orders]
    asked += [TextQuery(terms="both r*", session="s", projects=("-repo",), before=ids[0])]
    everything: list[Any] = [
        shown(store), events, facts.calls(), facts.responses(), facts.waits(), facts.prompts(),
        facts.compactions(), facts.agent_types(), facts.event_ids(ids), store.strips([NAME]),
        [store.search(one) for one in asked], store.count_hits(TextQuery(terms="both")),
        store.words_with(["r"], 9), store.generations(), store.archived(1, 0),
        list(store.segments(1, 0, 1)), store.raw(1, 0, 0, 3), store.outputs(),
        store.output("/claude", "long.txt"), store.prices(), store.facts(*NAME),
        store.fold_state(1, 0), store.message_uuids(1, 0, 999), store.unlinked(),
        store.source(1), store.sources_of(*NAME), store.spools(), store.roots(),
        store.file_states(), store.line_at(1, 0, 0), store.line_counts(), store.bad_lines(limit=9),
        store.edited_files(EditQuery(path="a")), store.edits_of("/repo/a.py", EditQuery()),
        store.oddities(limit=9), store.sessions(EVERYTHING), store.project_ids(),
        store.facets(limit=9), store.agents_of([NAME]), store.related([1]), store.hooks(*NAME),
        store.hook_times("s1", "k"), store.hook_sessions(), store.changes(), store.head(),
        store.owners(["m:walrus", "m:ferret"]), store.responses(*NAME), store.usage_of([NAME]),
        [list(store.totals(TotalsQuery(by=by, model="r"))) for by in ("", "session", "model")],
        store.projects(), store.unpriced_models(limit=9), store.marks.all(), store.marks.stamp(),
        store.check(thorough=True), list(store.sessions(SessionQuery(scope=(("/claude", ""),)))),
    ]  # fmt: skip
    return repr(everything + exported(store))


def exported(store: Store) -> list[Any]:
    """What an export has."""
    assert isinstance(store, PostgresStore)
    with ExportReader(store.pool, 0, 0, store.visible).snapshot() as snapshot:
        parts = {table: list(snapshot.digests(table)) for table in COLUMNS}
        rows = [
            list(snapshot.rows(table, [(one.day, one.machine) for one in found]))
            for table, found in parts.items()
        ]
    assert all(rows)
    return [parts, rows, snapshot.seq]


@pytest.fixture
def two(postgres: SearchableStore) -> Iterator[tuple[SearchableStore, SearchableStore]]:
    """Two owners in one database, each with the same session and the same file."""
    other = SearchableStore(postgres.url, owner=2, machine=2)
    filled(postgres, "walrus")
    filled(other, "ferret")
    yield postgres, other
    super(SearchableStore, other).close()


def test_owners_do_not_see_each_other(two: tuple[SearchableStore, SearchableStore]) -> None:
    one, other = two

    assert "walrus" in (mine := seen(one))
    assert "ferret" not in mine
    assert "ferret" in (mine := seen(other))
    assert "walrus" not in mine
    assert [len(store.search(TextQuery(terms="both"))) for store in two] == [1, 1]
    assert [one.raw(1, 0, 0, 3), other.raw(1, 0, 0, 3)] == [b"wal", b"fer"]
    assert [row.message_key for row in one.responses(*NAME)] == ["m:walrus"]


def test_owners_do_not_change_each_other(two: tuple[SearchableStore, SearchableStore]) -> None:
    one, other = two
    before = seen(other)
    one.commit([Source().restart().line("again").batch()], price)
    one.mark_gone([1], START)
    one.reprice(lambda _: 1, "other prices")
    one.rebuild_into(lambda fresh: filled(fresh, "walrus"))
    one.erase([1], [("/claude", "long.txt")])
    one.marks.erase([NAME])

    assert seen(other) == before


def test_a_reader_of_both_sees_both(two: tuple[SearchableStore, SearchableStore]) -> None:
    one, _ = two
    reader = SearchableStore(one.url, owner=3, visible=[1, 2])
    titles = {row.title for row in reader.sessions(EVERYTHING)}
    hits = reader.search(TextQuery(terms="both"))
    super(SearchableStore, reader).close()

    assert titles == {"walrus", "ferret"}
    assert len(hits) == 2


def test_whoever_sees_others_writes_beside_them(
    two: tuple[SearchableStore, SearchableStore],
) -> None:
    """The same source and place, of which another owner has the same bytes, or others."""
    one, other = two
    before = seen(other)
    both = SearchableStore(one.url, owner=3, visible=[1, 2, 3])
    alone = SearchableStore(one.url, owner=3)
    for word in (b"walrus", b"ferret"):
        both.archive([packed(1, 0, 0, word)])
        assert alone.raw(1, 0, 0, 6) == word
    filled(both, "otter")
    assert alone.raw(1, 0, 0, 5) == b"otter"
    assert (both.marks.of(*NAME).title, len(both.marks.all())) == ("mark otter", 1)
    both.erase([1], [("/claude", "long.txt")])
    both.marks.erase([NAME])
    assert (alone.raw(1, 0, 0, 5), alone.outputs(), alone.marks.all()) == (None, [], {})
    for store in (both, alone):
        super(SearchableStore, store).close()

    assert seen(other) == before
    assert "otter" not in seen(one)


def reading(statement: str) -> list[str]:
    """The tables that a statement reads of, each with the name it has there."""
    tables = "|".join(
        (*TABLES, "segment", "generation", "output", "output_piece", "mark", "person")
    )
    found = re.findall(rf"\b(?:FROM|JOIN) ({tables})\b(?: AS (\w+))?", statement)
    return [alias or table for table, alias in found]


def test_every_statement_that_reads_says_whose_rows(
    two: tuple[SearchableStore, SearchableStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def noting(execute: Any) -> Any:
        def noted(self: Any, query: bytes | str, *given: Any, **named: Any) -> Any:
            said.append(query.decode() if isinstance(query, bytes) else query)
            return execute(self, query, *given, **named)

        return noted

    for kind in (psycopg.Cursor, psycopg.ServerCursor):
        monkeypatch.setattr(kind, "execute", noting(kind.execute))
    seen(two[0])
    questions = [one for one in said if reading(one)]

    assert len(questions) > 60
    for one in questions:
        assert "ANY(%(visible)s)" in one or "unnest(%(visible)s" in one, one
        for name in reading(one):
            compared = rf"\b{name}\.owner =|= {name}\.owner\b|(?<!\.)\bowner ="
            assert re.search(compared, one), (name, one)
