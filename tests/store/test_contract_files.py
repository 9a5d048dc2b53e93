"""Files, their lines and what is odd in them: what pages and checks ask for by place."""

from msgspec.structs import replace

from tests.store.made import LENGTH, Source, price
from tests.store.stores import EVERYTHING, AnyStore
from unspool.model.query import BadLinePlace, LineLocation, OddityCount, SessionQuery


def test_a_source_is_found_by_its_number_in_its_newest_generation(store: AnyStore) -> None:
    source = Source(1).line("old")
    store.commit([source.batch()])
    store.commit([source.restart().line("new").batch(), Source(2).line().batch()])

    assert store.source(1) == source.row
    assert store.source(1) == store.sources()[0]
    assert store.source(3) is None


def test_the_sources_of_a_session_are_its_own(store: AnyStore) -> None:
    main, agent = Source(2, "s1"), Source(1, "s1", kind="subagent", agent="a1")
    store.commit([one.line().batch() for one in (main, agent, Source(3, "s2"))])

    assert store.sources_of("-repo", "s1") == [agent.row, main.row]
    assert store.sources_of("-other", "s1") == []


def test_each_root_is_told_once_and_one_that_was_left_is_not(store: AnyStore) -> None:
    one, two, three = Source(1), Source(2), Source(3)
    two.row = replace(two.row, root="/b")
    three.row = replace(three.row, root="/b")
    store.commit([source.line().batch() for source in (one, two, three)])

    assert store.roots() == ["/b", "/claude"]


def test_sessions_are_of_the_roots_that_are_asked_for(store: AnyStore) -> None:
    one, two = Source(1, "s1"), Source(2, "s2", project="-b")
    two.row = replace(two.row, root="/b")
    store.commit([source.line().tells().batch() for source in (one, two)])

    def names(scope: tuple[tuple[str, str], ...]) -> list[str]:
        return [row.session_id for row in store.sessions(replace(EVERYTHING, scope=scope))]

    assert names((("/claude", ""),)) == ["s1"]
    assert names((("/b", "-b"), ("/claude", "-repo"))) == ["s2", "s1"]
    assert names((("/b", "-repo"),)) == names(()) == []
    assert len(store.sessions(SessionQuery(id="s2", scope=(("/b", ""),)))) == 1


def test_a_line_is_found_by_its_place(store: AnyStore) -> None:
    source = Source(7, "s1", agent="a1").line("one").line("two", agent_id="inline")
    store.commit([source.batch()])

    found = LineLocation(LENGTH, "-repo", "s1", "a1", "/claude")
    assert store.line_at(7, 0, 0) == found
    assert store.line_at(7, 0, LENGTH + 1) == LineLocation(*_but(found, agent="inline"))
    assert store.line_at(7, 0, 1) is store.line_at(7, 1, 0) is store.line_at(8, 0, 0) is None
    assert store.line_at(2**70, 0, 0) is None


def _but(line: LineLocation, agent: str) -> tuple[int, str, str, str, str]:
    return line.length, line.project_id, line.session_id, agent, line.root


def test_a_line_of_an_earlier_generation_is_still_found(store: AnyStore) -> None:
    source = Source(7).line("old")
    store.commit([source.batch()])
    store.commit([source.restart().line("new").batch()])

    assert store.line_at(7, 0, 0) == store.line_at(7, 1, 0)


def test_files_that_are_gone_have_no_state(store: AnyStore) -> None:
    one, two = Source(1, "s1").line(), Source(2, "s2").line()
    one.row = replace(one.row, size=150, mtime_ns=7)
    store.commit([one.batch(), two.batch()])
    store.mark_gone([2], 5)

    assert store.file_states() == [("/claude", "projects/-repo/s1-1.jsonl", 150, 7)]


def test_lines_are_counted_up_to_the_checkpoint(store: AnyStore) -> None:
    source = Source(1).line().bad().line()
    store.commit([source.batch(), Source(2).batch()])
    store.commit([source.line("unfinished").provisional()])

    assert store.line_counts() == {(1, 0): 3}
    store.commit([source.restart().line().batch()])
    assert store.line_counts() == {(1, 1): 1}


def test_bad_lines_come_with_the_last_written_file_first(store: AnyStore) -> None:
    old, new = Source(1, "s1").bad().bad("cut"), Source(2, "s2").bad()
    new.row = replace(new.row, mtime_ns=9)
    left = Source(3, "s3").bad()
    store.commit([old.batch(), new.batch(), left.batch()])
    store.commit([left.restart().line().batch()])

    path = "projects/-repo/{}.jsonl".format
    assert store.bad_lines(limit=9) == [
        BadLinePlace("/claude", path("s2-2"), 1, "damaged"),
        BadLinePlace("/claude", path("s1-1"), 1, "damaged"),
        BadLinePlace("/claude", path("s1-1"), 2, "cut"),
    ]
    assert len(store.bad_lines(limit=1)) == 1


def test_oddities_are_added_up_over_files(store: AnyStore) -> None:
    one, two = Source(1, "s1").line().wonders("rare"), Source(2, "s2").line().wonders("common")
    store.commit([one.line().wonders("common").batch(), two.batch()])

    assert store.oddities(limit=9) == [
        OddityCount("2.1.0", "type", "common", 2),
        OddityCount("2.1.0", "type", "rare", 1),
    ]
    assert len(store.oddities(limit=1)) == 1


def test_models_without_a_price_are_counted_by_response(store: AnyStore) -> None:
    source = Source().line().spends("m:1", geo="nowhere", model="b")
    source.spends("m:2", geo="nowhere", model="a").spends("m:3", geo="nowhere", model="a")
    store.commit([source.spends("m:4", model="priced").batch()], price)

    assert store.unpriced_models(limit=9) == [("a", 2), ("b", 1)]
    assert store.unpriced_models(limit=1) == [("a", 2)]


def test_the_last_state_of_a_fold_is_kept_with_its_offset(store: AnyStore) -> None:
    source = Source(1).line("a")
    store.commit([source.batch(state=b"one")])
    first = source.row.offset
    store.commit([source.line("b").batch()])
    assert store.fold_state(1, 0) == (first, b"one")

    store.commit([source.line("c").batch(state=b"two")])
    assert store.fold_state(1, 0) == (source.row.offset, b"two")
    assert store.fold_state(1, 1) is store.fold_state(2, 0) is None


def test_a_batch_that_is_not_taken_brings_no_state(store: AnyStore) -> None:
    source = Source(1).line("a")
    batch = source.batch(state=b"one")
    store.commit([batch])
    store.commit([replace(batch, state=b"two")])

    assert store.fold_state(1, 0) == (source.row.offset, b"one")


def test_uuids_are_those_of_messages_before_an_offset_in_order(store: AnyStore) -> None:
    usual = "0b2cf1a4-5d6e-4f70-8a9b-0c1d2e3f4a5b"
    source = Source(1).line("a", uuid=usual).line("b", uuid="u2", agent_id="in1").line("c")
    end = source.row.offset
    store.commit([source.line("d", uuid="u4").batch(), Source(2).line("e", uuid="u5").batch()])

    assert store.message_uuids(1, 0, end) == [(usual, ""), ("u2", "in1")]
    assert store.message_uuids(1, 1, end) == []


def test_the_files_of_the_spool_are_told_apart(store: AnyStore) -> None:
    spool = Source(2, "", project="", kind="spool").line()
    store.commit([Source(1).line().batch(), spool.batch()])

    assert store.spools() == [spool.row]
