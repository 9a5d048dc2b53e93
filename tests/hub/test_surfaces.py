"""One answer, on a hub, too: of whatever its machine has sent it says what the machine says."""

from pathlib import Path
from typing import Final

import pytest

from tests.e2e.cases import Case
from tests.e2e.surfaces import HUB, all_fields, asked, disagreements
from tests.e2e.test_surfaces import CASES
from tests.e2e.walk import ANYTHING, Walk, faults
from tests.hub.machines import HubDatabase
from tests.hub.surfaces import HubOfOne

_REGISTRY: Final = "what a process says of itself goes to the board alone"
_DISK: Final = "which repository a directory is of, and what the settings call it, is not sent"
_NAME: Final = "a machine asks its transcripts where a project is; a hub also hooks and agents"
_EARLIER: Final = "when an earlier version was written is not sent with the later one"
_ROOT: Final = "where a machine has its sessions a hub knows from transcripts: none was sent"
# Fields that a hub cannot know of a case, or knows better, and why.
APART: Final = {
    "a registered session": ("state since evidence", _REGISTRY),
    "a session known from the registry only": ("listed opens", _REGISTRY),
    "a linked worktree and a clone": ("group group_name document.context", _DISK),
    "a linked worktree that was removed": ("group group_name", _DISK),
    "a name in the settings": ("group group_name", _DISK),
    "legacy agents that name no session or none that can be": ("group_name", _NAME),
    "agents whose session is gone": ("group_name", _NAME),
    "agents whose session was gone deleted and swept": ("group_name", _NAME),
    "hooks and agents of a session that is gone": ("group_name", _NAME),
    "a session known from a hook log only": ("group_name", _NAME),
    "a session that only hooks know": ("group_name listed opens", _ROOT),
    "a session known from the spool only": ("group_name listed opens", _ROOT),
    "a session known from the spool only an hour later": ("group_name listed opens", _ROOT),
    "a hook that names no transcript": ("group_name opens", _ROOT),
    "a prompt that only hooks tell of beside what an editor shows": (
        "group_name listed opens", _ROOT,
    ),
    "a file that was rewritten without a response": ("sources_rows", _EARLIER),
    "a file that was rewritten without the end of a response": ("sources_rows", _EARLIER),
}  # fmt: skip

# A field -> what is compared whole and has it.
WHOLE: Final = {"state": "session.status", "group_name": "session.projectGroup"}

# What a process says of itself is not sent, nor when an earlier version of a file was written.
WAYS: Final = tuple(way for way in dict.fromkeys(ANYTHING) if way not in ("register", "rewrite"))


@pytest.mark.parametrize(
    ("seed", "steps"), [(3, len(WAYS)), pytest.param(60, 60, marks=pytest.mark.slow(first=True))]
)
def test_whatever_is_written_a_hub_says_what_its_machine_says(
    hub: HubDatabase, tmp_path: Path, seed: int, steps: int
) -> None:
    walk, story = Walk(tmp_path, seed), ["begin"]
    there = HubOfOne(hub, walk.workspace)
    for number, way in enumerate(walk.plan(WAYS, steps)):
        story.append(walk.step((way,)))
        found = asked(walk.workspace, bare=False, opened=0)
        found |= there.asked(found["REST list"], rows=number % 6 == 5)

        assert faults(walk, found) == {}, story
    assert set(story) >= set(WAYS)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_of_every_case_a_hub_says_what_its_machine_says(
    hub: HubDatabase, tmp_path: Path, case: Case
) -> None:
    workspace, (apart, _) = case.workspace(tmp_path), APART.get(case.name, ("", ""))
    found = asked(workspace, index=case.index, bare=False, opened=0)
    there = HubOfOne(hub, workspace).asked(found["REST list"])
    left_out = {name for one in apart.split() for name in (one, WHOLE.get(one, one))}
    assert there.keys() >= {HUB + "document", HUB + "sql sessions"}

    fields = all_fields(found | there) - left_out
    assert {name: said for name in fields if (said := disagreements(found | there, name))} == {}


def test_what_is_left_out_is_of_a_case() -> None:
    assert APART.keys() <= {case.name for case in CASES}
