import msgspec

from tests.show.made import agent, call, chunk, document, step
from unspool.show import session_json


def test_the_pieces_joined_are_the_document_exactly() -> None:
    made = document(
        chunk("user", "hi"),
        chunk("ai", "", step("output", "hello")),
        tool_executions=(call(command="ls", result="a"), call("Read", id="t2")),
        subagents=(agent("a1"),),
    )

    assert b"".join(session_json.document(made)) == msgspec.json.encode(made)


def test_an_empty_document_is_one_too() -> None:
    made = document()

    assert b"".join(session_json.document(made)) == msgspec.json.encode(made)


def test_a_list_may_be_read_as_it_is_written() -> None:
    made = document(chunk("user", "hi"))
    chunks = iter([chunk("user", "hi")])

    assert b"".join(session_json.document(made, {"chunks": chunks})) == msgspec.json.encode(made)


def test_what_a_value_says_may_be_changed_on_the_way() -> None:
    made = document(chunk("user", "hi"), chunk("user", "ho"))
    told = b"".join(session_json.document(made, each=lambda _: b"0"))

    assert msgspec.json.decode(told)["chunks"] == [0, 0]


def test_a_list_has_items_and_a_cursor() -> None:
    assert b"".join(session_json.list_answer([1, 2])) == b'{"items":[1,2],"nextCursor":null}'
    assert b"".join(session_json.list_answer([])) == b'{"items":[],"nextCursor":null}'


def test_a_list_is_written_as_it_comes() -> None:
    pieces = session_json.list_answer(iter(int, 1))

    assert next(pieces) == b'{"items":'
    assert next(pieces) == b"[0"
