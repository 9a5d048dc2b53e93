from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import desk, indexed


def test_where_the_index_has_nothing_else_all_is_ours(tmp_path: Path) -> None:
    place = root(tmp_path, talk())
    indexed(place)
    with desk(place) as made:
        assert made.ours.scope() is None
        assert [row.session_id for row in made.ours.named("session-one")] == ["session-one"]


def test_sessions_of_another_root_are_not_ours(tmp_path: Path) -> None:
    ours, theirs = root(tmp_path / "a", talk()), root(tmp_path / "b", talk("session-two"))
    for place in (ours, theirs):
        indexed(place)
    with desk(ours) as made:
        assert made.ours.scope() == ((str(ours), ""),)
        assert made.ours.named("session-two") == []
        assert made.ours.root(str(theirs)) is None
        assert [one.sessions for one in made.projects.all()] == [1]
