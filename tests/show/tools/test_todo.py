from tests.show.made import texts
from unspool.show.tools import todo

TODOS = {
    "todos": [
        {"content": "Read", "status": "completed"},
        {"content": "Write", "status": "in_progress"},
        {"content": "Test"},
    ]
}


def test_a_list_says_how_far_it_is() -> None:
    assert todo.summary(TODOS, None) == "1 of 3 done"


def test_each_thing_to_do_has_a_box() -> None:
    assert texts(todo.body(TODOS, None, failed=False)) == ["☑ Read", "▸ Write", "☐ Test"]


def test_one_task_is_told_by_number_and_change() -> None:
    assert todo.summary({"taskId": "3", "status": "in_progress"}, None) == "#3 → in progress"
    assert todo.summary({"subject": "Write"}, None) == "Write"
    assert todo.summary({}, {"task": {"subject": "Read"}}) == "Read"


def test_a_list_that_came_back_is_shown_too() -> None:
    result = {"tasks": [{"subject": "Write", "status": "completed"}]}

    assert texts(todo.body({}, result, failed=False)) == ["☑ Write"]


def test_the_list_speaks_for_itself() -> None:
    assert todo.facts(TODOS, None) == ""
