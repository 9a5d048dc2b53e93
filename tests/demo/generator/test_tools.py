from __future__ import annotations

import base64
import zlib
from random import Random

import pytest

from unspool.demo.generator.ids import Ids
from unspool.demo.generator.tools import Toolbox, picture
from unspool.demo.generator.words import Words


def toolbox() -> Toolbox:
    rng = Random(1)
    return Toolbox(rng, Ids(rng), Words(rng), "/repo")


def test_all_tools_are_drawn_in_time() -> None:
    tools = toolbox()

    assert len({tools.call(size=40).name for _ in range(600)}) == 10


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Bash", {"stdout", "stderr", "interrupted"}),
        ("Read", {"type", "file"}),
        ("Edit", {"filePath", "oldString", "newString", "structuredPatch", "originalFile"}),
        ("Write", {"type", "filePath", "content", "structuredPatch"}),
        ("Grep", {"numFiles", "filenames"}),
        ("Glob", {"numFiles", "filenames", "durationMs", "truncated"}),
        ("TodoWrite", {"oldTodos", "newTodos"}),
        ("WebFetch", {"bytes", "code", "result", "url", "durationMs"}),
        ("NotebookEdit", {"new_source", "notebook_path", "edit_mode", "cell_type"}),
    ],
)
def test_a_result_has_the_shape_of_its_tool(name: str, keys: set[str]) -> None:
    assert keys <= toolbox().call(name).result.keys()


# format 9
def test_a_server_tool_answers_in_blocks() -> None:
    call = toolbox().call("mcp__atlas__lookup")

    assert call.result == call.content == [{"type": "text", "text": call.content[0]["text"]}]


def test_an_answer_grows_with_the_size_asked_for() -> None:
    small, large = toolbox().call("Bash", 100), toolbox().call("Bash", 100_000)

    assert len(small.content) <= 100
    assert len(large.content) > 10_000


def test_files_lie_in_the_working_directory() -> None:
    assert toolbox().call("Edit").input["file_path"].startswith("/repo/src/")


def test_a_picture_is_a_png_of_its_size() -> None:
    data = base64.b64decode(picture(Random(1), 5))
    rows = data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8]

    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(zlib.decompress(rows)) == 5 * (1 + 5 * 3)
