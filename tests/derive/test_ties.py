"""Ties: what related sessions have in common, and nothing else."""

import pytest

from tests.derive.session_facts import session_facts_of
from unspool.demo import Transcript
from unspool.derive.ties import offered, slug_ties, wanted


def test_those_of_one_slug_have_a_tie() -> None:
    assert slug_ties("calm-fox") == slug_ties("calm-fox") != slug_ties("calm-dog")
    assert slug_ties("unknown") == slug_ties("") == ()


@pytest.mark.parametrize("name", ["\ud800", "ü", "x" * 10_000])
def test_any_name_makes_a_number_of_64_bits(name: str) -> None:
    (tie,) = slug_ties(name)

    assert -(2**63) <= tie < 2**63


def test_a_copy_of_all_since_a_compaction_shares_a_tie() -> None:
    made = Transcript("first", uuid_prefix="a-").user("go").says("long").compacts().user("then")
    lines = made.bytes().splitlines(keepends=True)
    copy = Transcript("second", uuid_prefix="b-").raw(b"".join(lines[2:]), newline=False)
    ties = offered(session_facts_of(copy, "second"))

    assert set(ties) & set(wanted(session_facts_of(made, "first"), "first"))


def test_a_fork_is_found_by_the_session_it_names() -> None:
    origin = {"sessionId": "first", "messageUuid": "u1"}
    fork = session_facts_of(Transcript("second").user("go", forkedFrom=origin), "second")
    first = session_facts_of(Transcript("first", uuid_prefix="x-").user("ho"), "first")

    assert set(offered(fork)) & set(wanted(first, "first"))
    assert not set(offered(first)) & set(wanted(fork, "second"))


def test_of_a_long_session_few_lines_are_ties() -> None:
    made = Transcript()
    for n in range(200):
        made.user(f"prompt {n}", parentUuid=None).says("answer")

    assert len(offered(session_facts_of(made))) <= 32
