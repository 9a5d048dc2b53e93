import json
from typing import Any

import pytest
from msgspec import Raw

from unspool.decode.bodies import block_texts, images, result_text, tool_input
from unspool.decode.lines import decode


def raw(value: Any) -> Raw:
    return Raw(json.dumps(value).encode())


def texts(**line: Any) -> list[str]:
    (entry,) = decode(json.dumps(line).encode())
    return block_texts(entry)


def blocks(*content: Any) -> list[str]:
    return texts(type="assistant", message={"content": list(content)})


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "text", "text": "hi"}, "hi"),
        ({"type": "thinking", "thinking": "hm"}, "hm"),
        ({"type": "redacted_thinking", "data": "x"}, ""),
        ({"type": "tool_use", "name": "Bash", "input": {"a": 1}}, '{"a": 1}'),
        ({"type": "tool_use", "name": "Bash"}, ""),
        ({"type": "server_tool_use", "input": [1]}, "[1]"),
        ({"type": "mcp_tool_use", "input": "x"}, '"x"'),
        ({"type": "tool_result", "content": "out"}, "out"),
        ({"type": "mcp_tool_result", "content": [{"type": "text", "text": "out"}]}, "out"),
        ({"type": "tool_reference", "tool_name": "Grep"}, "Grep"),
        ({"type": "document", "title": "Paper"}, "Paper"),
        ({"type": "document"}, ""),
        (PICTURE, ""),
        ({"type": "hologram", "z": 1}, '{"type": "hologram", "z": 1}'),
    ],
)
def test_each_block_has_its_text(block: Any, expected: str) -> None:
    assert blocks(block) == [expected]


def test_texts_stand_at_the_places_of_their_blocks() -> None:
    assert blocks(PICTURE, {"type": "text", "text": "a"}) == ["", "a"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"type": "user", "message": {"content": "hi"}}, ["hi"]),
        ({"type": "user", "message": {}}, [""]),
        ({"type": "user"}, [""]),
        ({"type": "system", "content": "note"}, ["note"]),
        ({"type": "system", "error": {"status": 529}}, ['{"status": 529}']),
        ({"type": "attachment", "attachment": {"type": "q", "prompt": "do"}}, ["do"]),
        ({"type": "attachment", "attachment": {"stdout": "a", "stderr": "b"}}, ["a\nb"]),
        ({"type": "attachment"}, [""]),
        ({"type": "summary", "summary": "Title"}, ["Title"]),
        ({"type": "ai-title", "aiTitle": "Title"}, ["Title"]),
        ({"type": "queue-operation", "content": "next"}, ["next"]),
        ({"type": "mode", "mode": "normal"}, [""]),
        ({"type": "new"}, [""]),
    ],
)
def test_each_line_has_its_text(line: dict[str, Any], expected: list[str]) -> None:
    assert texts(**line) == expected


# devtools 8
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("", ""),
        ("plain", "plain"),
        ([], ""),
        ([{"type": "text", "text": "a"}, PICTURE, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "tool_reference", "tool_name": "Grep"}], "Grep"),
        ([{"title": "Page", "url": "https://a.example"}], "Page https://a.example"),
        (["a", 5, "b"], "a\nb"),
        ({"type": "text", "text": "alone"}, "alone"),
        ({"type": "text", "text": ""}, ""),
        ({"rows": [1]}, '{"rows": [1]}'),
        (PICTURE, ""),
        (7, "7"),
    ],
)
def test_a_result_gives_its_text(content: Any, expected: str) -> None:
    assert result_text(raw(content)) == expected


def test_a_result_with_a_broken_character_gives_the_rest() -> None:
    assert result_text(Raw(b'"a\xffb"')) == "a\ufffdb"


# devtools 7
@pytest.mark.parametrize("given", [b"null", b"[]", b'"x"', b"{", b"[" * 5000])
def test_an_input_that_is_no_object_is_empty(given: bytes) -> None:
    assert tool_input("Bash", Raw(given)) == {}


def test_an_input_is_given_as_it_is() -> None:
    assert tool_input("mcp__a__b", raw({"x": [1, "y"]})) == {"x": [1, "y"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([PICTURE, {"type": "text", "text": "a"}, PICTURE], [("image/png", 4)] * 2),
        (PICTURE, [("image/png", 4)]),
        (PICTURE["source"], [("image/png", 4)]),
        ([{"type": "image", "source": {"data": "AA"}}], [("", 2)]),
        ([{"type": "image", "source": {"type": "url", "url": "https://a.example"}}], []),
        ([{"type": "image", "source": "AA"}], []),
        ("text", []),
        (None, []),
    ],
)
def test_images_are_counted_with_their_weight(content: Any, expected: Any) -> None:
    assert images(raw(content)) == expected
