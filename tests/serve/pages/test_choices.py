from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.serve.pages import choices


def test_there_is_everything_that_sessions_are_of(site: Served) -> None:
    found = choices.every(site.desk)

    assert found.projects == (("-home-dev-kettle", "kettle"),)
    assert found.branches == (("main", "main"),)
    assert found.models == (("claude-sonnet-4-6", "sonnet-4-6"),)


def test_a_secret_is_not_offered_to_be_chosen(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab1" * 12
    odd = Transcript("odd", branch=secret).user("x").says("y", id="odd")
    with served(root(tmp_path / "claude", talk(), odd)) as site:
        assert secret not in str(choices.every(site.desk))
