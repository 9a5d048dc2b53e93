import msgspec

from tests.show.made import agent, call, chunk, document, step
from unspool.show import encode


def test_the_pieces_joined_are_the_document_exactly() -> None:
    made = document(
        chunk("user", "hi"),
        chunk("ai", "", step("output", "hello")),
        tool_executions=(call(command="ls", result="a"), call("Read", id="t2")),
        subagents=(agent("a1"),),
    )

    assert b"".join(encode.document(made)) == msgspec.json.encode(made)


def test_an_empty_document_is_one_too() -> None:
    made = document()

    assert b"".join(encode.document(made)) == msgspec.json.encode(made)


def test_a_list_has_items_and_a_cursor() -> None:
    assert b"".join(encode.listed([1, 2])) == b'{"items":[1,2],"nextCursor":null}'
    assert b"".join(encode.listed([])) == b'{"items":[],"nextCursor":null}'


def test_a_list_is_written_as_it_comes() -> None:
    pieces = encode.listed(iter(int, 1))

    assert next(pieces) == b'{"items":'
    assert next(pieces) == b"[0"
