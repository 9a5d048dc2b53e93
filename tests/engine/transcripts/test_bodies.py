import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.json import encode

from tests.engine.roots import NOW, append, listed, root_sessions, saved, session
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.engine.archive.reader import SessionOutputs
from unspool.engine.transcripts.bodies import bodies
from unspool.engine.transcripts.reader import open_transcript
from unspool.model.document import SessionDocument, Step
from unspool.model.transcript import Unreadable

POINTER = "<persisted-output>\nOutput too large. Full output saved to: {}\n\nPreview:\nfirst\n"


@pytest.fixture
def spilled(tmp_path: Path) -> Path:
    """Where a session keeps results that are too long for a line."""
    path = tmp_path / "projects/-repo/s1/tool-results/call.txt"
    path.parent.mkdir(parents=True)
    path.write_text("the whole output")
    return path


def steps(document: SessionDocument) -> Iterator[Step]:
    return (step for chunk in document.chunks for step in chunk.steps or ())


def result(root: Path, pointer: str) -> object:
    made = Transcript().user("go").calls("Bash", command="x").returns(POINTER.format(pointer))
    return json.loads(encode(session(root, made).document().tool_executions[0].result))


def test_a_prompt_comes_back_as_it_was_typed(tmp_path: Path) -> None:
    document = session(tmp_path, Transcript().user("one\n\n  two ☃")).document()

    assert document.chunks[0].text == "one\n\n  two ☃"


def test_an_answer_comes_back_block_by_block(tmp_path: Path) -> None:
    blocks = [[thinking_block("hm"), text_block("words"), tool_block("Bash", {"command": "ls"})]]
    document = session(tmp_path, Transcript().user("go").answers(blocks)).document()

    assert [(step.type, step.text or "") for step in steps(document)] == [
        ("thinking", "hm"),
        ("output", "words"),
        ("tool_call", ""),
    ]


def test_a_call_comes_back_with_its_input_and_result(tmp_path: Path) -> None:
    made = Transcript().user("go").calls("Bash", command="ls").returns([text_block("a\nb")])
    (found,) = session(tmp_path, made).document().tool_executions

    assert json.loads(encode(found.input)) == {"command": "ls"}
    assert json.loads(encode(found.result)) == [text_block("a\nb")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8")).filter(str.strip))
def test_any_words_come_back(tmp_path: Path, text: str) -> None:
    document = session(tmp_path, Transcript().user("go").says(text)).document()

    assert [step.text for step in steps(document)] == [text]


def test_a_result_that_was_too_long_comes_from_its_own_file(tmp_path: Path, spilled: Path) -> None:
    assert result(tmp_path, str(spilled)) == "the whole output"


def test_a_tree_that_moved_still_has_its_long_results(tmp_path: Path, spilled: Path) -> None:
    assert result(tmp_path, f"/elsewhere/{spilled.name}") == "the whole output"


def test_a_pointer_out_of_the_session_is_not_followed(tmp_path: Path, spilled: Path) -> None:
    (spilled.parent.parent / "secret.txt").write_text("secret")

    assert "Preview" in str(result(tmp_path, "tool-results/../secret.txt"))


def test_a_link_out_of_the_session_is_not_followed(tmp_path: Path, spilled: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    spilled.unlink()
    spilled.symlink_to(tmp_path / "secret.txt")

    assert "Preview" in str(result(tmp_path, str(spilled)))


@pytest.mark.parametrize("pointer", ["", ".", "..", "call.txt\0", "missing.txt"])
def test_a_pointer_to_nothing_leaves_the_preview(
    tmp_path: Path, spilled: Path, pointer: str
) -> None:
    assert "Preview" in str(result(tmp_path, pointer))


def test_a_long_result_that_is_not_text_is_made_readable(tmp_path: Path, spilled: Path) -> None:
    spilled.write_bytes(b"caf\xe9")

    assert result(tmp_path, str(spilled)) == "caf\ufffd"


DEEP = b"[" * 190 + b"]" * 190
HOSTILE = {
    "bytes that are no UTF-8": (b'"\xff"', "\ufffd"),
    "half a surrogate pair": (b'"\\ud83c"', "\ufffd"),
    "a number no reader holds": (b"1e999", None),
    "as many brackets as a line may have": (DEEP, json.loads(DEEP)),
}


@pytest.mark.parametrize(("raw", "read"), HOSTILE.values(), ids=HOSTILE)
def test_a_document_is_json_whatever_a_tool_was_given(
    tmp_path: Path, raw: bytes, read: object
) -> None:
    line = Transcript().calls("Bash", {"x": "HERE"}).bytes().replace(b'"HERE"', raw)
    (path,) = saved(tmp_path, Transcript(uuid_prefix="p-").user("go"))
    document = root_sessions(tmp_path).open(append(path, line)).document()

    (found,) = json.loads(encode(document))["toolExecutions"]
    assert found["input"] == {"x": read}


def test_a_file_rewritten_after_it_was_read_gives_no_wrong_words(tmp_path: Path) -> None:
    made = Transcript().user("go").says("words").calls("Bash").returns("done")
    opened = session(tmp_path, made)
    Path(opened.path).write_bytes(b"x" * len(made.bytes()))

    texts = [step.text or "" for step in steps(opened.document())]
    assert "".join(texts) == ""


def test_a_file_gone_after_it_was_read_leaves_the_story_without_words(tmp_path: Path) -> None:
    opened = session(tmp_path, Transcript().user("go").says("words"))
    Path(opened.path).unlink()
    document = opened.document()

    assert [chunk.type for chunk in document.chunks] == ["user", "ai"]
    assert document.chunks[0].text is UNSET


def test_a_record_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript().user("go"))

    with bodies(
        str(path), open_transcript(listed(path), NOW).fold, SessionOutputs("", "")
    ) as found:
        assert found is not None
        assert isinstance(found.entry(1, part=1), Unreadable)
        assert isinstance(found.entry(1, part=5), Unreadable)


def test_a_line_of_two_records_gives_each_its_own_words(tmp_path: Path) -> None:
    one, two = Transcript().user("one").user("two").bytes().splitlines()
    (path,) = saved(tmp_path, Transcript().raw(one + two))

    document = root_sessions(tmp_path).open(path).document()
    assert [chunk.text for chunk in document.chunks] == ["one", "two"]
