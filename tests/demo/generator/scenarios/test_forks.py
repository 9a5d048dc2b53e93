from __future__ import annotations

from typing import Any

from tests.demo.generator.made import Made, readable, responses


def pair(made: Made, trap: str, relation: str) -> tuple[list[Any], list[Any]]:
    return made.lines(trap), readable(made.file(made.related(trap, relation)).read_bytes())


def uuids(lines: list[Any]) -> list[str]:
    return [line["uuid"] for line in lines if "uuid" in line]


# format 3
def test_a_fork_keeps_uuids_and_changes_its_session(made: Made) -> None:
    old, new = pair(made, "fork", "forkOf")
    named = made.related("fork", "forkOf")

    assert set(uuids(old)) < set(uuids(new))
    assert {line["sessionId"] for line in new if "sessionId" in line} == {named}
    assert not any("forkedFrom" in line for line in new)


def test_a_fork_pays_only_for_what_it_adds(made: Made) -> None:
    old, new = pair(made, "fork", "forkOf")
    held = made.sessions[made.related("fork", "forkOf")]

    assert held["total"]["messages"] == len(responses(new).keys() - responses(old).keys()) > 0


def test_what_a_fork_shows_besides_is_what_it_copied(made: Made) -> None:
    held = made.sessions[made.related("fork", "forkOf")]
    shown = responses(readable(made.file(made.related("fork", "forkOf")).read_bytes()))

    assert held["copied"]["messages"] + held["total"]["messages"] == len(shown)


# format 4
def test_a_branch_renames_uuids_and_keeps_message_ids(made: Made) -> None:
    old, new = pair(made, "branch", "branchOf")
    origins = [line["forkedFrom"]["messageUuid"] for line in new if "forkedFrom" in line]

    assert set(uuids(old)).isdisjoint(uuids(new))
    assert origins == uuids(old)
    assert responses(old).keys() < responses(new).keys()


def test_a_branch_leaves_no_parent_behind(made: Made) -> None:
    new = pair(made, "branch_of_progress", "branchOf")[1]
    parents = {line["parentUuid"] for line in new if line.get("parentUuid")}

    assert parents <= set(uuids(new))
    assert "progress" in {line["type"] for line in made.lines("branch_of_progress")}


def test_a_desktop_copy_is_the_same_lines_in_another_file(made: Made) -> None:
    old, new = pair(made, "desktop_copy", "copyOf")

    assert new == old
    assert made.sessions[made.related("desktop_copy", "copyOf")]["total"]["messages"] == 0


def test_copies_are_counted(made: Made) -> None:
    counts = made.truth.counts

    assert (counts["forks"] >= 1, counts["branches"] >= 2, counts["copies"] >= 1) == (True,) * 3
