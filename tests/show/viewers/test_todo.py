from unspool.show.viewers import todo
from unspool.show.viewers.pieces import Amount, Check, Checks, Output


def test_a_list_is_a_check_list() -> None:
    todos = [{"content": "Build", "status": "completed"}]

    assert todo.pieces({"todos": todos}, None, Amount()) == [Checks((Check("Build", "completed"),))]


def test_a_single_task_shows_what_was_answered() -> None:
    (made,) = todo.pieces({"taskId": "1"}, "updated", Amount())

    assert isinstance(made, Output)
