from tests.derive.reads import heard, last_of
from unspool.demo import Transcript
from unspool.engine.indexing.transcript_rows import event_type


def answered(*blocks: object) -> str:
    return event_type(last_of(Transcript().user("go").answers([list(blocks)])))


def test_what_a_person_types_is_a_prompt() -> None:
    typed = ["hello", "<command-name>/cost</command-name>", "<bash-input>ls</bash-input>"]

    assert [event_type(heard(text)) for text in typed] == ["user_prompt"] * 3


def test_a_call_tells_more_than_the_words_beside_it() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}

    assert answered({"type": "thinking", "thinking": "so"}, "words", call) == "pre_tool_use"


def test_words_tell_more_than_thoughts() -> None:
    assert answered({"type": "thinking", "thinking": "so"}, "words") == "assistant_text"
    assert answered({"type": "thinking", "thinking": "so"}) == "thinking"


def test_a_result_is_the_end_of_a_tool() -> None:
    message = last_of(Transcript().user("go").calls("Bash", command="ls").returns("a"))

    assert event_type(message) == "post_tool_use"


def test_a_summary_is_a_compaction() -> None:
    assert event_type(last_of(Transcript().user("go").compacts())) == "compact"


def test_an_api_error_is_one() -> None:
    failed = Transcript().user("go").synthetic("API Error: 529", error="overloaded")

    assert event_type(last_of(failed)) == "api_error"


def test_a_background_task_that_reports_is_a_notification() -> None:
    told = "<task-notification><task-id>a</task-id><status>completed</status></task-notification>"

    assert event_type(heard(told)) == "notification"


def test_an_injected_line_is_no_event() -> None:
    assert event_type(last_of(Transcript().user("go").reminder("be brief"))) == ""
