"""The to-do list as it stands."""

from msgspec import Raw

from tests.derive.session_facts import session_facts_of
from unspool.demo import Transcript
from unspool.derive.todos import TodoFold
from unspool.model.document import TodoItem


def todos(transcript: Transcript) -> tuple[TodoItem, ...]:
    return session_facts_of(transcript).todos


def tasks() -> Transcript:
    made = Transcript().user("go")
    for number, subject in ((4, "build"), (5, "test")):
        made.calls("TaskCreate", subject=subject, activeForm=f"{subject}ing")
        made.returns("", result={"task": {"id": str(number)}})
    return made


def test_the_last_list_written_counts() -> None:
    first = [{"content": "a", "status": "pending", "activeForm": "Doing a"}]
    last = [{"content": "a", "status": "completed"}, {"content": "b"}]
    made = Transcript().user("go").calls("TodoWrite", todos=first).calls("TodoWrite", todos=last)

    assert todos(made) == (TodoItem("a", "completed"), TodoItem("b", "pending"))


def test_an_items_text_is_cut_at_500() -> None:
    made = Transcript().user("go").calls("TodoWrite", todos=[{"content": "x" * 600}])

    assert todos(made) == (TodoItem("x" * 500),)


def test_a_list_on_a_user_line_counts_and_an_empty_one_does_not() -> None:
    made = Transcript().user("go", todos=[{"content": "a", "status": "in_progress"}])

    assert todos(made.user("more", todos=[])) == (TodoItem("a", "in_progress"),)


def test_a_task_is_updated_by_the_number_its_result_gave() -> None:
    made = tasks().user("go on").calls("TaskUpdate", taskId="5", status="completed")

    assert [(todo.content, todo.status) for todo in todos(made)] == [
        ("build", "pending"),
        ("test", "completed"),
    ]


def test_a_task_without_a_result_is_numbered_as_it_came() -> None:
    made = Transcript().user("go").calls("TaskCreate", subject="a").calls("TaskCreate", subject="b")

    assert todos(made.calls("TaskUpdate", taskId="2", status="in_progress")) == (
        TodoItem("a"),
        TodoItem("b", "in_progress"),
    )


def test_a_deleted_task_is_gone() -> None:
    made = tasks().calls("TaskUpdate", taskId="4", status="deleted")

    assert [todo.content for todo in todos(made)] == ["test"]


def test_a_task_may_be_reworded() -> None:
    made = tasks().calls("TaskUpdate", taskId="4", subject="rebuild", activeForm="Rebuilding")

    assert todos(made)[0] == TodoItem("rebuild", "pending", "Rebuilding")


def test_a_list_written_after_tasks_replaces_them() -> None:
    assert todos(tasks().calls("TodoWrite", todos=[{"content": "a"}])) == (TodoItem("a"),)


def test_a_call_written_twice_makes_one_task() -> None:
    made = tasks().calls("TaskUpdate", taskId="4", status="completed")
    made.calls("TaskCreate", {"subject": "build"}, id="toolu_1")

    assert [todo.status for todo in todos(made)] == ["completed", "pending"]


def test_odd_input_makes_no_list_and_no_trouble() -> None:
    made = Transcript().user("go", todos="none").calls("TodoWrite", todos={"a": 1})
    made.calls("TodoWrite", todos=["x", 7]).calls("TodoWrite", [1]).calls("TaskUpdate", taskId=4)
    made.calls("TaskCreate", subject="a").returns("", result={"task": [1]}).returns("", result="x")

    assert todos(made) == (TodoItem("a"),)


def test_input_that_is_not_json_is_no_list() -> None:
    fold = TodoFold()
    fold.call("t1", "TodoWrite", Raw(b'{"todos": ['))

    assert fold.todos() == ()


def test_an_agents_list_inside_the_main_file_is_not_the_sessions() -> None:
    made = Transcript().user("go").calls("TodoWrite", {"todos": [{"content": "a"}]})
    made.calls("TodoWrite", {"todos": [{"content": "b"}]}, isSidechain=True)

    assert todos(made) == (TodoItem("a"),)
