from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import indexed, server_context


def test_where_the_index_has_nothing_else_there_is_no_filter(tmp_path: Path) -> None:
    place = root(tmp_path, talk())
    indexed(place)
    with server_context(place) as made:
        assert made.scope.current() is None
        assert [row.session_id for row in made.scope.sessions("session-one")] == ["session-one"]


def test_sessions_of_another_root_are_out_of_scope(tmp_path: Path) -> None:
    ours, theirs = root(tmp_path / "a", talk()), root(tmp_path / "b", talk("session-two"))
    for place in (ours, theirs):
        indexed(place)
    with server_context(ours) as made:
        assert made.scope.current() == ((str(ours), ""),)
        assert made.scope.sessions("session-two") == []
        assert made.scope.root(str(theirs)) is None
        assert [one.sessions for one in made.projects.all()] == [1]
