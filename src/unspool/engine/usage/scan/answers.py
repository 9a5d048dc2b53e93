"""Bytes of a transcript -> what its answers used, by one loop over the lines that are answers.

The rules are those of `derive.usage.responses`. A file that asks for more than the common case is
`Odd`, and is read in full.
"""

import re
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.json import Decoder

from unspool.derive.reading.agent_ids import as_id
from unspool.derive.reading.clock import millis
from unspool.derive.usage.responses import response_key
from unspool.json_depth import shallow
from unspool.model.blocks import Count
from unspool.model.transcript import CacheCreation, ForkedFrom, ServerTools
from unspool.model.usage import Tokens

# In every answer's line, and between quotes that are not escaped in nobody's text: whatever lies
# between two of these need not be read.
_WORD: Final = b'"assistant"'
_TYPE: Final = "assistant"
_PROGRESS: Final = "progress"
_NOBODY: Final = "<synthetic>"
SIDECHAIN: Final = re.compile(rb'"isSidechain"(?!\s*:\s*false)')


class Odd(Exception):
    """A line that only the whole file explains."""


class InlineAgent(Odd):
    """A line of an agent without a file: which one, other sidechain lines tell."""


# Fields stand in the order Claude Code writes them in: so they are found soonest.


class Used(Struct, frozen=True, gc=False):
    """The counts of a line, as Claude Code names them."""

    input_tokens: Count | None = 0
    cache_creation_input_tokens: Count | None = 0
    cache_read_input_tokens: Count | None = 0
    output_tokens: Count | None = 0
    server_tool_use: ServerTools | None = None
    cache_creation: CacheCreation | None = None
    inference_geo: str | None = None
    speed: str | None = None


class Block(Struct, frozen=True, gc=False):
    """A part of a message: the tool it calls."""

    name: str | None = None


class ApiMessage(Struct, frozen=True, gc=False):
    """An API message without its texts."""

    model: str | None = None
    id: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: Used | None = None


class AnswerLine(Struct, frozen=True, rename="camel", gc=False):
    """A line of a transcript without its content."""

    is_sidechain: bool | None = False
    agent_id: str | None = None
    session_id: str | None = None
    type: str = ""
    message: ApiMessage | None = None
    timestamp: str | None = None
    forked_from: ForkedFrom | None = None


class _Ids(Struct, frozen=True, rename="camel", gc=False):
    request_id: str | None = None
    uuid: str | None = None


_decode: Final = Decoder(AnswerLine).decode
_ids: Final = Decoder(_Ids).decode

_Origin: TypeAlias = tuple[bool | None, str | None, str | None, bool]


class Origin:
    """Where in a session a line was written; most lines of one file have the same."""

    def __init__(self, fields: _Origin, agent: str) -> None:
        is_sidechain, agent_id, self.session_id, self.is_fork = fields
        self.is_sidechain = is_sidechain is True
        self.agent_id = agent
        if self.is_sidechain and not agent:
            self.agent_id = as_id(agent_id or "")
            if not self.agent_id:
                raise InlineAgent


class Answer(Struct, gc=False):
    """One API response in one file: the line that counts, and the time of the earliest."""

    used: Used
    model: str
    origin: Origin
    at: int
    is_final: bool  # the line that counts says why it stopped
    first_at: int
    is_finished: bool  # some line does


class Answers:
    """The answers of one file by the keys of their responses, read window by window.

    `agent` is the one the file is of; `inline` names the agents of sidechain lines in the next
    window, by where each line begins.
    """

    def __init__(self, agent: str = "") -> None:
        self.agent = agent
        self.inline: dict[int, str] = {}
        self.known: dict[str, Answer] = {}
        self.agents: set[str] = set()  # whose lines there are
        self._blocks: set[Block] = set()  # each kind once
        self._origins: dict[_Origin, Origin] = {}

    @property
    def tools(self) -> set[str]:
        """The tools that were called."""
        return {block.name for block in self._blocks if block.name}

    def read(self, data: bytes, stop: int) -> list[tuple[int, int]]:
        """Take in the lines up to `stop`; gives the places of those that need a closer look.

        Everything is done in this one loop: it runs for every answer ever written.
        """
        known, origins, closer = self.known, self._origins, []
        find, rfind, inline, blocks = data.find, data.rfind, self.inline, self._blocks
        hit = find(_WORD, 0, stop)
        while hit >= 0:
            begin, end = rfind(b"\n", 0, hit) + 1, find(b"\n", hit, stop)
            end = end if end >= 0 else stop
            hit, raw = find(_WORD, end, stop), data[begin:end]
            try:
                line = _decode(shallow(raw))
                if not raw.isascii():
                    raw.decode()  # what is skipped is not checked, and the index checks it
            except (ValueError, RecursionError):
                closer.append((begin, end))
                continue
            body = line.message
            if body is not None and type(body.content) is list:
                blocks.update(body.content)
            if body is None or body.usage is None or line.type != _TYPE or body.model == _NOBODY:
                # It may report an agent's answer.
                closer += [(begin, end)] if line.type == _PROGRESS else ()
                continue
            key, at = "m:" + body.id if body.id else _key(line, raw), millis(line.timestamp)
            if not key or at is None:
                raise Odd
            fields = (
                line.is_sidechain,
                inline.get(begin) or line.agent_id,
                line.session_id,
                line.forked_from is not None,
            )
            origin, is_final = origins.get(fields) or self._origin(fields), bool(body.stop_reason)
            if key in known:
                _merge(known[key], origin, body.usage, body.model or "", at, is_final)
            else:
                known[key] = Answer(
                    body.usage, body.model or "", origin, at, is_final, at, is_final
                )
        return closer

    def note_agent(self, agent: str | None) -> None:
        """Note that there is a line of an agent."""
        if agent:
            self.agents.add(agent)

    def note_tool(self, name: str) -> None:
        """Note that a tool was called."""
        self._blocks.add(Block(name))

    def _origin(self, fields: _Origin) -> Origin:
        origin = Origin(fields, self.agent)
        self.note_agent(origin.agent_id)
        return self._origins.setdefault(fields, origin)


def _key(line: AnswerLine, data: bytes) -> str:
    """The key of a response without an id; "" where its line has none of the others either."""
    try:
        found = _ids(data)
    except (ValueError, RecursionError):
        return ""
    # A branch gives its copies new uuids, and names the old ones.
    origin = line.forked_from.message_uuid if line.forked_from else None
    return response_key("", found.request_id or "", origin or found.uuid or "")


def _merge(known: Answer, origin: Origin, used: Used, model: str, at: int, is_final: bool) -> None:
    """`responses.merged` for the common case; `Odd` for the others."""
    if known.origin is not origin:
        raise Odd
    known.first_at = min(known.first_at, at)
    output, most = used.output_tokens or 0, known.used.output_tokens or 0
    if output > most or (output == most and _is_higher(known, used, model, at, is_final)):
        known.used, known.model, known.at, known.is_final = used, model, at, is_final
    if is_final:
        known.is_finished = True


def _is_higher(known: Answer, used: Used, model: str, at: int, is_final: bool) -> bool:
    """Whether a line of as much output ranks higher: finished, then later."""
    if is_final != known.is_final:
        return is_final
    if at == known.at and (used, model) != (known.used, known.model):
        raise Odd
    return at > known.at


def tokens_of(used: Used) -> Tokens:
    """The billed counts, nulls and gaps filled in."""
    split, server = used.cache_creation, used.server_tool_use
    write_5m = (split.ephemeral_5m_input_tokens or 0) if split else 0
    write_1h = (split.ephemeral_1h_input_tokens or 0) if split else 0
    return Tokens(
        used.input_tokens or 0,
        used.output_tokens or 0,
        used.cache_read_input_tokens or 0,
        max(used.cache_creation_input_tokens or 0, write_5m + write_1h),
        write_5m,
        write_1h,
        (server.web_search_requests or 0) if server else 0,
        used.speed or "",
        used.inference_geo or "",
    )
