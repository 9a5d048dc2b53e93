"""Lines beside answers -> those that tell of usage: of searches, and of agents that ran."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from unspool.derive.reading.agent_ids import AGENT_TOOLS, as_id
from unspool.derive.reading.clock import millis
from unspool.derive.usage.responses import (
    STARTED,
    FileStart,
    is_foreign,
    unknown_agent,
    usage_claim,
)
from unspool.engine.usage.scan.answers import SIDECHAIN
from unspool.json_depth import shallow
from unspool.model.blocks import NULL
from unspool.model.files import TranscriptFile
from unspool.model.transcript import ForkedFrom
from unspool.model.usage import UsageRow

_SEARCH: Final = "WebSearch"
_SEARCHED: Final = b'"searchCount"'
TELLING: Final = AGENT_TOOLS | {_SEARCH}  # tools whose results tell of usage
_AGENT, _RESULT, _PROGRESS = b'"agentId"', b'"toolUseResult"', b'"agent_progress"'
_NAMED: Final = re.compile(rb'"agentId"\s*:\s*"([^"\\\n]*)"')


class ResultLines:
    """Finds the lines, beside answers, that tell of usage: of searches, of agents that ran.

    Feed all windows.
    """

    def __init__(self, *, is_agent: bool) -> None:
        self._is_agent = is_agent
        self._names: set[tuple[bytes, ...]] = set()

    def lines(self, tools: AbstractSet[str], data: bytes, stop: int) -> Iterator[bytes]:
        """Those of a window; `tools` are the ones called so far: without a call, no result."""
        if _SEARCH in tools:
            yield from _lines_with(_SEARCHED, data, stop)
        if not AGENT_TOOLS.isdisjoint(tools):
            yield from self._starting(data, stop)

    def _starting(self, data: bytes, stop: int) -> Iterator[bytes]:
        """Results that name an agent, and of the many lines of its progress the first."""
        for word in (_RESULT, _PROGRESS) if self._is_agent else (_AGENT,):
            for line in _lines_with(word, data, stop):
                is_own = self._is_agent or SIDECHAIN.search(line)
                if line.count(_AGENT) < (2 if is_own else 1):
                    continue  # an agent's own lines all name it
                if _RESULT in line or (_PROGRESS in line and self._is_first(line)):
                    yield line

    def _is_first(self, line: bytes) -> bool:
        names = (*_NAMED.findall(line),)
        is_first = names not in self._names
        self._names.add(names)
        return is_first


def _lines_with(word: bytes, data: bytes, stop: int) -> Iterator[bytes]:
    """The lines up to `stop` that have a word."""
    hit = data.find(word, 0, stop)
    while hit >= 0:
        end = data.find(b"\n", hit, stop)
        end = end if end >= 0 else stop
        yield data[data.rfind(b"\n", 0, hit) + 1 : end]
        hit = data.find(word, end, stop)


class _ResultBlock(Struct, frozen=True, gc=False):
    type: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None


class _ResultBody(Struct, frozen=True, gc=False):
    content: list[_ResultBlock] | str | None = None


class _Told(Struct, frozen=True, gc=False):
    """What a result says of the agent it is of."""

    agent_id: str | None = None
    agentId: str | None = None
    status: str | None = None
    query: Raw = NULL


class _ResultLine(Struct, frozen=True, rename="camel", gc=False):
    """The line of a tool's result without its text."""

    is_sidechain: bool | None = False
    session_id: str | None = None
    type: str = ""
    message: _ResultBody | None = None
    uuid: str | None = None
    timestamp: str | None = None
    tool_use_result: _Told | str | list[Raw] | None = None
    forked_from: ForkedFrom | None = None


_decode: Final = Decoder(_ResultLine).decode


def agent_started(file: TranscriptFile, line: bytes, start: FileStart) -> UsageRow | None:
    """The agent that the result of a call says was started; None if it takes a closer look."""
    try:
        found = _decode(shallow(line))
        if not line.isascii():
            line.decode()  # what is skipped is not checked, and the index checks it
    except (ValueError, RecursionError):
        return None
    told, at = found.tool_use_result, millis(found.timestamp)
    is_inline = found.is_sidechain is True and not file.agent_id
    if type(told) is not _Told or at is None or is_inline or not _is_plain(found):
        return None
    agent = told.agentId or told.agent_id
    if not agent or told.status not in STARTED or told.query is not NULL:
        return None
    foreign = is_foreign(found.session_id, file.session_id or "")
    claim = usage_claim(found.forked_from is not None, at, True, foreign, start)
    return unknown_agent(as_id(agent), claim, at)


def _is_plain(found: _ResultLine) -> bool:
    """Whether a line begins with the result of a call, as all do that current versions write."""
    content = found.message.content if found.message else None
    if found.type != "user" or not found.uuid or type(content) is not list or not content:
        return False
    return content[0].type == "tool_result" and bool(content[0].tool_use_id)
