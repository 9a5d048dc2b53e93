"""The short look at a result that tells of an agent says what the whole reading says."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.usage.scan.scans import files_of, root_with
from tests.examples import examples
from unspool.demo import Transcript
from unspool.derive.usage.responses import FileStart
from unspool.engine.usage.scan.answers import Odd
from unspool.engine.usage.scan.closer import line_rows
from unspool.engine.usage.scan.results import ResultLines, agent_started
from unspool.model.files import TranscriptFile
from unspool.model.usage import UsageRow

CALL = Transcript("s1").user("go").calls("Agent", {"prompt": "look"}, id="t1")
CALL.returns("seen", call="t1", result={"agentId": "a1", "status": "completed"})
RESULT: dict[str, Any] = json.loads(CALL.bytes().splitlines()[-1])
DEEP = b"[" * 300 + b"]" * 300


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> TranscriptFile:
    (found,) = files_of(root_with(tmp_path_factory.mktemp("results"), CALL))
    return found


def short(file: TranscriptFile, data: bytes) -> UsageRow | None:
    return agent_started(file, data, FileStart())


def whole(file: TranscriptFile, data: bytes) -> list[UsageRow]:
    return list(line_rows(file, data, FileStart()))


def with_result(**fields: Any) -> bytes:
    return json.dumps({**RESULT, "toolUseResult": {**RESULT["toolUseResult"], **fields}}).encode()


@pytest.mark.parametrize("status", ["completed", "async_launched", "forked"])
def test_a_result_that_starts_an_agent_takes_no_closer_look(
    status: str, file: TranscriptFile
) -> None:
    found = short(file, with_result(status=status))

    assert found is not None
    assert [found] == whole(file, with_result(status=status))


@pytest.mark.parametrize(
    "data",
    [
        with_result(status="teammate_spawned"),
        with_result(query="it", searchCount=2),
        with_result(agentId=None),
        with_result(agentId=7),
        json.dumps({**RESULT, "isSidechain": True}).encode(),
        json.dumps({**RESULT, "timestamp": "noon"}).encode(),
        json.dumps({**RESULT, "uuid": None}).encode(),
        json.dumps({**RESULT, "type": "progress"}).encode(),
        json.dumps({**RESULT, "message": {"role": "user", "content": "seen"}}).encode(),
        json.dumps(RESULT).encode()[:-1] + b',"x":' + DEEP + b"}",
        json.dumps(RESULT).encode().replace(b"seen", b"\xff"),
        json.dumps(RESULT).encode()[:-9],
    ],
)
def test_every_other_line_takes_one(data: bytes, file: TranscriptFile) -> None:
    assert short(file, data) is None


FIELDS: dict[str, list[Any]] = {
    "timestamp": [None, "", "2026-02-03T10:00:00Z", 5],
    "isSidechain": [None, "true", False, True],
    "sessionId": [None, "", "s9", 3],
    "uuid": [None, "", "u7"],
    "forkedFrom": [None, {}, {"messageUuid": "u1"}, "u1"],
    "parentUuid": [4, None],
    "type": ["user", "assistant", None],
}
TOLD: dict[str, list[Any]] = {
    "agentId": [None, "", "a 1", 4],
    "agent_id": ["a2", None],
    "status": [None, "forked", "failed", 1],
    "color": [3, "red"],
    "searchCount": [1, "1", None],
    "query": ["it", None, 2],
}
BLOCK: dict[str, list[Any]] = {
    "type": ["tool_result", "text", "mcp_tool_result", None],
    "tool_use_id": ["t1", "", None, 5],
    "is_error": [True, None, "yes"],
    "content": ["seen agentId: a7", [], None, 3],
}


def some(fields: dict[str, list[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in fields.items()})


@given(fields=some(FIELDS), told=some(TOLD), block=some(BLOCK))
@settings(max_examples=examples(300))
def test_they_agree_on_odd_fields(
    fields: dict[str, Any], told: dict[str, Any], block: dict[str, Any], file: TranscriptFile
) -> None:
    line = json.loads(with_result(**told)) | fields
    line["message"]["content"][0] |= block
    data = json.dumps(line, separators=(",", ":")).encode()
    found = short(file, data)

    try:
        assert found is None or [found] == whole(file, data)
    except Odd:
        pytest.fail("a line that is odd has to take the closer look")


def test_without_a_call_no_result_is_looked_for() -> None:
    data = json.dumps(RESULT).encode() + b"\n"
    lines = ResultLines(is_agent=False)

    assert list(lines.lines({"Bash"}, data, len(data))) == []
    assert list(lines.lines({"Agent"}, data, len(data))) == [data[:-1]]
