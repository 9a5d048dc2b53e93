"""Over all files, too, each response is counted once, and by one owner."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.money.books import LINES, ledger_of
from unspool.demo import Transcript
from unspool.derive.money.ledger import Ledger, merge
from unspool.model.message import Message
from unspool.model.usage import Response


def original() -> Transcript:
    return Transcript().user("go").says("one").says("two")


def fork_of(transcript: Transcript, *, marked: bool = False) -> bytes:
    """A file that repeats another: under new uuids and marked as `/branch` does, or just so."""
    copy = Transcript("s2")
    for line in transcript.dicts():
        mark = {"forkedFrom": {"sessionId": "s1", "messageUuid": line["uuid"]}} if marked else {}
        uuid = f"new-{line['uuid']}" if marked else line["uuid"]
        copy.entry(line["type"], **{**line, **mark, "uuid": uuid, "sessionId": "s2"})
    return copy.bytes()


def keys(owned: dict[str, list[Response]]) -> dict[str, list[str]]:
    return {owner: [one.key for one in responses] for owner, responses in owned.items()}


# format 3
def test_a_fork_with_the_same_uuids_is_credited_to_the_file_it_copies() -> None:
    whole, copy = ledger_of(original()), ledger_of(fork_of(original()))

    assert keys(merge([("s1", 0, whole), ("s2", 0, copy)])) == {
        "s1": ["m:msg_1", "m:msg_2"],
        "s2": [],
    }


# format 4
def test_a_branch_with_new_uuids_owns_nothing_it_copied_wherever_it_is_listed() -> None:
    whole, copy = ledger_of(original()), ledger_of(fork_of(original(), marked=True))

    assert keys(merge([("s2", 0, copy), ("s1", 0, whole)])) == {
        "s1": ["m:msg_1", "m:msg_2"],
        "s2": [],
    }


# format 4
def test_a_branch_of_lines_without_ids_is_known_by_the_uuids_it_names() -> None:
    bare = {"id": Transcript.ABSENT, "request": Transcript.ABSENT}
    transcript = Transcript().says("one", **bare)
    copy = ledger_of(fork_of(transcript, marked=True))

    assert keys(merge([("s2", 0, copy), ("s1", 0, ledger_of(transcript))])) == {
        "s1": ["u:u1"],
        "s2": [],
    }


def test_a_branch_whose_origin_is_gone_owns_what_it_copied() -> None:
    copy = ledger_of(fork_of(original(), marked=True))

    assert keys(merge([("s2", 0, copy)])) == {"s2": ["m:msg_1", "m:msg_2"]}


def test_figures_do_not_move_when_a_fork_appears() -> None:
    whole, copy = ledger_of(original()), ledger_of(fork_of(original(), marked=True))

    before, after = merge([("s1", 0, whole)]), merge([("s2", 0, copy), ("s1", 0, whole)])

    assert [one.tokens for one in after["s1"]] == [one.tokens for one in before["s1"]]


# devtools 13
def test_a_response_in_a_parent_and_its_resumed_file_counts_once() -> None:
    resumed = ledger_of(Transcript("s2").says("one", id="msg_1", request="req_1").says("new"))
    owned = merge([("s1", 0, ledger_of(original())), ("s2", 0, resumed)])

    assert sum(one.tokens.input for responses in owned.values() for one in responses) == 20


def test_the_earliest_copy_owns() -> None:
    early = ledger_of(Transcript(start="2026-01-01T00:00:00.000Z").says("one"))
    late = ledger_of(Transcript(start="2026-01-02T00:00:00.000Z").says("one"))

    assert keys(merge([("late", 0, late), ("early", 9, early)])) == {
        "late": [],
        "early": ["m:msg_1"],
    }


def test_of_two_as_early_the_least_deep_owns() -> None:
    agent = ledger_of(Transcript(agent="a1").says("one"))

    assert keys(merge([("a1", 1, agent), ("s1", 0, ledger_of(Transcript().says("one")))])) == {
        "a1": [],
        "s1": ["m:msg_1"],
    }


def test_a_copy_without_a_time_is_not_the_earliest() -> None:
    timeless = ledger_of(Transcript().says("one", timestamp=None))

    assert keys(merge([("s2", 0, timeless), ("s1", 0, ledger_of(original()))]))["s2"] == []


def test_the_owner_gets_the_best_copy_at_its_own_line() -> None:
    cut = Transcript(agent="a1").user("go").says("one", id="m", stop=None)
    whole = Transcript("s2", start="2026-02-01T00:00:00.000Z")
    whole.says("one", id="m", usage={"output_tokens": 99})

    (one,) = merge([("s2", 0, ledger_of(whole)), ("a1", 1, ledger_of(cut))])["a1"]

    assert (one.tokens.output, one.line, one.agent_id) == (99, 2, "a1")
    assert (one.finished, one.lines) == (True, 2)


def test_what_an_owner_has_is_in_the_order_of_its_file() -> None:
    later = Transcript("s2", start="2026-02-01T00:00:00.000Z").says("two", id="msg_2")

    owned = merge([("s2", 0, ledger_of(later)), ("s1", 0, ledger_of(original()))])

    assert keys(owned)["s1"] == ["m:msg_1", "m:msg_2"]


def test_merging_leaves_the_ledgers_as_they_were() -> None:
    first, second = ledger_of(original()), ledger_of(fork_of(original()))
    before = first.responses(), second.responses()

    merge([("s1", 0, first), ("s2", 0, second)])

    assert (first.responses(), second.responses()) == before


def test_the_same_line_number_in_two_files_is_two_responses() -> None:
    bare = {key: Transcript.ABSENT for key in ("id", "request", "uuid")}
    ledgers = [ledger_of(Transcript().says("one", **bare)) for _ in range(2)]

    assert keys(merge([("s1", 0, ledgers[0]), ("s2", 0, ledgers[1])])) == {
        "s1": ["l:s1:1.0"],
        "s2": ["l:s2:1.0"],
    }


@given(st.lists(st.tuples(LINES, st.integers(0, 2)), max_size=12), st.permutations(range(3)))
def test_however_lines_are_spread_over_files_the_totals_are_the_same(
    placed: list[tuple[Message, int]], turns: Sequence[int]
) -> None:
    together = totals([[one for one, _ in placed]])
    files = [[one for one, place in placed if place == turn] for turn in turns]

    assert totals(files) == together
    assert totals([list(reversed(lines)) for lines in files]) == together


def totals(files: Sequence[Sequence[Message]]) -> list[tuple[object, ...]]:
    """What is summed: everything but who owns it and where."""
    ledgers = []
    for name, lines in enumerate(files):
        ledgers.append((str(name), 0, Ledger()))
        for one in lines:
            ledgers[-1][2].feed(one)
    found = [one for responses in merge(ledgers).values() for one in responses]
    return sorted(
        (one.key, one.model, one.at, repr(one.tokens), one.finished, one.lines) for one in found
    )
