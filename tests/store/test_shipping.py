"""Shipments: which follow on what is there, and what their rows are called on the hub."""

import pytest
from msgspec.structs import replace

from tests.hub.made import mark_at, shipment
from tests.store.made import Source
from unspool.model.rows import Batch
from unspool.model.shipping import MachineIdentity, Shipment, SourceState
from unspool.store.shipping import Verdict, hub_batch, next_state, verdict

LAPTOP = MachineIdentity(7, 3, "laptop")


def three() -> tuple[Shipment, Shipment, Shipment]:
    """Three shipments of one source, each of a line."""
    source = Source(5)
    made = [shipment(source.line(str(n)).batch()) for n in range(3)]
    return made[0], made[1], made[2]


def after(*taken: Shipment) -> SourceState | None:
    known = None
    for one in taken:
        known = next_state(one, known)
    return known


def test_each_follows_on_the_one_before() -> None:
    first, second, third = three()

    assert verdict(first, None) == "due"
    assert verdict(second, after(first)) == "due"
    assert verdict(third, after(first, second)) == "due"


def test_what_was_taken_is_not_taken_again() -> None:
    first, second, _ = three()
    assert [verdict(one, after(first, second)) for one in (first, second)] == ["again", "again"]


def test_what_skips_something_is_refused() -> None:
    first, second, third = three()

    assert verdict(second, None) == "conflict"
    assert verdict(third, after(first)) == "conflict"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"before": mark_at(100, "other")}, "conflict"),
        ({"edition": 2}, "conflict"),
        ({"edition": 1}, "conflict"),  # a new edition begins at 0
    ],
)
def test_another_past_is_refused(change: dict[str, object], said: Verdict) -> None:
    first, second, _ = three()
    assert verdict(replace(second, **change), after(first)) == said


def test_the_same_places_of_another_past_are_refused() -> None:
    first, second, _ = three()
    other = replace(second, after=mark_at(200, "other"))

    assert verdict(other, after(first, second)) == "conflict"


def test_another_generation_begins_another_edition() -> None:
    first, second, _ = three()
    batch = replace(first.batch, source=replace(first.batch.source, generation=1))
    known = after(first, second)

    assert verdict(replace(first, batch=batch), known) == "conflict"
    anew = replace(first, batch=batch, edition=1)
    assert verdict(anew, known) == "due"
    assert verdict(anew, next_state(anew, known)) == "again"


def test_bytes_behind_the_checkpoint_are_counted() -> None:
    source = Source(5)
    first = shipment(source.line("x").batch())
    tail = shipment(source.line("y").provisional(), b"unfinished")
    known = after(first, tail)
    assert known is not None

    assert (known.offset, known.archived) == (100, 110)
    assert next_state(shipment(Batch(source=source.row, begins=100)), known).archived == 110


def test_rows_are_named_after_the_machine() -> None:
    source = Source(5, "s1", project="-repo").line("x").hooks(project_id="-repo")
    source.tells(transcript_path="/claude/projects/-repo/s1.jsonl").spends("l:5:1.0").spends("m:1")
    given = source.batch(guesses={"s2": "-repo"})
    batch = hub_batch(given, LAPTOP, 99, 4)

    assert (batch.source.source_id, batch.source.generation) == (99, 4)
    assert (batch.source.root, batch.source.project_id) == ("laptop:/claude", "laptop~-repo")
    assert batch.sessions[0].project_id == "laptop~-repo"
    assert batch.sessions[0].transcript_path == "laptop:/claude/projects/-repo/s1.jsonl"
    assert batch.hooks[0].project_id == "laptop~-repo"
    assert [row.message_key for row in batch.usage] == ["l:99:1.0", "m:1"]
    assert batch.guesses == {"s2": "laptop~-repo"}


def test_the_id_of_a_hook_event_is_a_place_on_the_hub() -> None:
    given = Source(5).line("x").hooks(id="5.0.120").hooks(id="55.0.1").batch()
    assert [row.event_id for row in hub_batch(given, LAPTOP, 99, 4).hooks] == ["99.4.120", "55.0.1"]
