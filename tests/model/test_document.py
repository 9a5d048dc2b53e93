"""What a session's row says of itself."""

import pytest

from unspool.model.document import ProjectGroup, SessionInfo

_WORKTREE = "-home-dev-kettle--claude-worktrees-brave-otter"


@pytest.mark.parametrize(
    ("group", "label"),
    [
        pytest.param(None, "brave-otter", id="nothing known"),
        pytest.param(
            ProjectGroup(id="-home-dev-kettle", name="kettle", path="/home/dev/kettle"),
            "kettle",
            id="worktree of a repository",
        ),
        pytest.param(ProjectGroup(id="Tea", name="Tea"), "Tea", id="named by the user"),
        pytest.param(
            ProjectGroup(id="-home-dev-kettle", name="-home-dev-kettle"),
            "brave-otter",
            id="a directory nobody has seen",
        ),
    ],
)
def test_a_session_goes_by_the_name_of_its_repository(
    group: ProjectGroup | None, label: str
) -> None:
    info = SessionInfo(
        id="s",
        project_id=_WORKTREE,
        project_path="/home/dev/kettle/.claude/worktrees/brave-otter",
        project_name="brave-otter",
        project_group=group,
    )

    assert info.project_label == label


def test_a_session_without_a_directory_goes_by_its_project_id() -> None:
    assert SessionInfo(id="s", project_id="-home-dev-kettle").project_label == "-home-dev-kettle"
