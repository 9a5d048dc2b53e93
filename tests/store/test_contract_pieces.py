"""The pieces do not matter: any order and any grouping of the same batches shows the same."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.made import START, Source
from tests.store.stores import KINDS, AnyStore, shown, tables
from unspool.model.rows import Batch
from unspool.store.sqlite.store import SqliteStore

# What a file does next; every file of a session may speak of the same calls and responses.
STEPS = st.one_of(
    st.tuples(st.just("line"), st.sampled_from(["ash", "birch", "cedar"])),
    st.tuples(st.just("output"), st.sampled_from(["ash", "birch"])),
    st.tuples(st.just("calls"), st.integers(1, 3)),
    st.tuples(st.just("answers"), st.integers(1, 3)),
    st.tuples(st.just("spends"), st.tuples(st.integers(1, 3), st.integers(1, 9))),
    st.tuples(st.sampled_from(["bad", "hook", "odd", "cut", "half", "restart", "tell"]), st.none()),
)
SCRIPTS = st.lists(st.lists(STEPS, max_size=12), min_size=1, max_size=3)


def played(number: int, script: list[tuple[str, Any]]) -> list[Batch]:
    """One file's batches, in the order it wrote them."""
    source = Source(number, kind="main" if number == 1 else "subagent", agent="a" * (number - 1))
    source.at = START + number
    batches = []
    for step, what in script:
        batches += played_step(source, step, what)
    return [*batches, source.line("last").batch()]


def played_step(source: Source, step: str, what: Any) -> list[Batch]:
    if step == "cut":
        return [source.batch()]
    if step == "half":
        return [source.batch(), source.line("half").calls(id="toolu_1").provisional()]
    if step == "restart":
        before = source.batch()
        source.restart()
        return [before]
    if step == "bad":
        source.bad()
        return []
    source.line(what if step in ("line", "output") else "", kind_of(step))
    said: dict[str, Callable[[], Source]] = {
        "calls": lambda: source.calls(id=f"toolu_{what}"),
        "answers": lambda: source.answers(f"toolu_{what}"),
        "spends": lambda: source.spends(f"m:{what[0]}", what[1]),
        "hook": lambda: source.hooks(id=f"h{source.row.source_id}.{source.row.offset}"),
        "odd": source.wonders,
        "tell": lambda: source.tells(title=f"t{source.row.lines}"),
    }
    if step in said and not (step == "tell" and source.row.kind != "main"):
        said[step]()
    return []


def kind_of(step: str) -> Any:
    return "tool_result" if step == "output" else "prompt"


def taken(store: AnyStore, batches: list[Batch], cuts: list[bool]) -> dict[str, Any]:
    group: list[Batch] = []
    for batch, is_cut in zip(batches, [*cuts, *[True] * len(batches)], strict=False):
        group.append(batch)
        if is_cut:
            store.commit(group)
            group = []
    store.commit(group)
    return shown(store) | (tables(store) if isinstance(store, SqliteStore) else {})


def mixed(files: list[list[Batch]], data: st.DataObject) -> list[Batch]:
    """Any order in which files could have been read: each file's own is kept."""
    turns = data.draw(st.permutations([n for n, made in enumerate(files) for _ in made]))
    waiting = [iter(made) for made in files]
    return [next(waiting[turn]) for turn in turns]


@settings(max_examples=examples(40))
@given(SCRIPTS, st.data(), st.lists(st.booleans(), max_size=30))
def test_order_and_grouping_do_not_matter(
    scripts: list[list[tuple[str, Any]]], data: st.DataObject, cuts: list[bool]
) -> None:
    files = [played(number, script) for number, script in enumerate(scripts, 1)]
    orders = [[batch for made in files for batch in made], mixed(files, data)]
    with TemporaryDirectory() as place:
        for name, make in KINDS.items():
            stores = [make(Path(place, name, str(n))) for n in range(2)]
            one, other = (
                taken(s, o, cuts[n:]) for n, (s, o) in enumerate(zip(stores, orders, strict=True))
            )
            for store in stores:
                store.close()

            assert one == other


@settings(max_examples=examples(40))
@given(SCRIPTS, st.lists(st.booleans(), max_size=30))
def test_every_store_shows_the_same(scripts: list[list[tuple[str, Any]]], cuts: list[bool]) -> None:
    batches = [b for n, script in enumerate(scripts, 1) for b in played(n, script)]
    seen = []
    with TemporaryDirectory() as place:
        for name, make in KINDS.items():
            store = make(Path(place, name))
            taken(store, batches, cuts)
            seen.append((shown(store), [(c.kind, c.offset, c.end) for c in store.changes()]))
            store.close()

    assert seen == [seen[0]] * len(KINDS)
