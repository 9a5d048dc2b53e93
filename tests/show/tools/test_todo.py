from tests.show.made import texts
from unspool.show.tools import todo
from unspool.show.tools.details import Checklist, ChecklistItem, DetailBuilder, OutputDetail

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
    assert texts(todo.preview(TODOS, None, failed=False)) == ["☑ Read", "▸ Write", "☐ Test"]


def test_one_task_is_told_by_number_and_change() -> None:
    assert todo.summary({"taskId": "3", "status": "in_progress"}, None) == "#3 → in progress"
    assert todo.summary({"subject": "Write"}, None) == "Write"
    assert todo.summary({}, {"task": {"subject": "Read"}}) == "Read"


def test_a_list_that_came_back_is_shown_too() -> None:
    result = {"tasks": [{"subject": "Write", "status": "completed"}]}

    assert texts(todo.preview({}, result, failed=False)) == ["☑ Write"]


def test_the_list_speaks_for_itself() -> None:
    assert todo.facts(TODOS, None) == ""


def test_a_list_is_a_check_list() -> None:
    todos = [{"content": "Build", "status": "completed"}]

    assert todo.details({"todos": todos}, None, DetailBuilder()) == [
        Checklist((ChecklistItem("Build", "completed"),))
    ]


def test_a_single_task_shows_what_was_answered() -> None:
    (made,) = todo.details({"taskId": "1"}, "updated", DetailBuilder())

    assert isinstance(made, OutputDetail)
