"""Tool calls and tool results -> the few facts later steps ask of them."""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Raw, Struct, field, structs

from unspool.derive.reading import estimate, tags
from unspool.derive.reading.agent_ids import AGENT_TOOLS, SPAWNERS
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.heads import beginning
from unspool.model.blocks import NULL
from unspool.model.message import AgentReport, Piece, Spawn

_PATHS: Final = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead"})
_PLANS: Final = frozenset({"ExitPlanMode", "exit_plan_mode"})
_LOOKED_INTO: Final = AGENT_TOOLS | _PATHS | _PLANS
_REJECTED: Final = ("The user doesn't want to", "User rejected tool use")
_DENIED: Final = ("Permission to use ", "Permission for this action ")
# A failed command says so first, also one that was stopped.
_EXIT_CODE: Final = re.compile(r"(?:Error: )?(?:Exit code -?\d{1,10}\n)?")
_PERSISTED: Final = "<persisted-output>"
_DENIALS: Final = {
    "user-rejected": "rejected",
    "interrupted": "interrupted",
    "cancelled": "interrupted",
}
# Nobody refused the call: what should have judged it could not be asked.
_UNJUDGED: Final = frozenset({"automode-unavailable", "automode-parsing-error"})
_MOST_WORD, _MOST_PATH = 500, 4_096
_MOST_SEARCHES: Final = 1_000
_END: Final = 4_096  # of a text: where an agent's id was written, if anywhere


class _Input(Struct, frozen=True, gc=False):
    """The inputs we look into, all optional and of the type we hope for."""

    file_path: str | None = None
    notebook_path: str | None = None
    description: str | None = None
    subagent_type: str | None = None
    prompt: str | None = None
    team_name: str | None = None
    name: str | None = None
    run_in_background: bool | None = None
    type: str | None = None
    approve: bool | None = None
    recipient: str | None = None
    to: str | None = None
    skill: str | None = None
    command: str | None = None


class _Result(Struct, frozen=True, gc=False):
    """What a structured result may say: about an agent, web searches, or a stopped command."""

    agent_id: str | None = None
    agentId: str | None = None
    status: str | None = None
    run_id: str | None = field(default=None, name="runId")
    transcript_dir: str | None = field(default=None, name="transcriptDir")
    is_async: bool | None = field(default=None, name="isAsync")
    color: str | None = None
    team_name: str | None = None
    name: str | None = None
    interrupted: bool | None = None
    query: str | None = None
    search_count: int | None = field(default=None, name="searchCount")


class _Block(Struct, frozen=True, gc=False):
    """A block of a result's content."""

    type: str | None = None
    text: str | None = None


_Kind = TypeVar("_Kind", _Input, _Result, _Block)
_Said: TypeAlias = _Result | str | list[Raw] | None

_input: Final = msgspec.json.Decoder(_Input)
_said: Final[msgspec.json.Decoder[_Said]] = msgspec.json.Decoder(_Said)
_content: Final[msgspec.json.Decoder[str | list[Raw] | None]] = msgspec.json.Decoder(
    str | list[Raw] | None
)
_block: Final = msgspec.json.Decoder(_Block)


def call(n: int, id: str, name: str, raw: Raw) -> Piece:
    """A tool call: its weight, and where it points."""
    data = bytes(raw)
    if data == b"null":
        data = b"{}"
    weight = (estimate.units(name) + estimate.json_units(data) + 3) // 4
    if name not in _LOOKED_INTO:
        return Piece(n, "call", weight, id, name)
    try:
        given = _input.decode(data)
    except TROUBLE:
        given = _loosely(_Input, data)
    if name in _PATHS:
        path = given.file_path or given.notebook_path or ""
        return Piece(n, "call", weight, id, name, path=path[:_MOST_PATH])
    spawn = _spawn(given) if name in SPAWNERS or name == "Workflow" else None
    return Piece(n, "call", weight, id, name, spawn=spawn, flag=_call_flag(name, given))


def _loosely(kind: type[_Kind], data: bytes) -> _Kind:
    """Read field by field: one odd field must not cost us the others."""
    try:
        loose = msgspec.json.decode(data, type=dict[str, object])
    except TROUBLE:
        return kind()
    hoped = {each.encode_name: get_args(each.type) for each in structs.fields(kind)}
    fits = {name: given for name, given in loose.items() if type(given) in hoped.get(name, ())}
    return msgspec.convert(fits, kind)


def _spawn(given: _Input) -> Spawn:
    return Spawn(
        description=beginning(given.description or "", _MOST_WORD),
        subagent_type=(given.subagent_type or "")[:_MOST_WORD],
        prompt_digest=tags.digest(given.prompt or ""),
        team_name=(given.team_name or "")[:_MOST_WORD],
        name=(given.name or "")[:_MOST_WORD],
        background=bool(given.run_in_background),
    )


def _call_flag(name: str, given: _Input) -> str:
    if name in _PLANS:
        return "plan"
    if name == "Skill":
        return f"skill:{given.skill or given.command or ''}"[:_MOST_WORD]
    if name == "SendMessage":
        shuts = given.type == "shutdown_response" and given.approve is True
        return "shutdown" if shuts else f"to:{given.recipient or given.to or ''}"[:_MOST_WORD]
    return ""


def result(n: int, id: str, content: Raw, failed: bool, structured: Raw, denial: str = "") -> Piece:
    """A tool result: its weight, whether it was refused, and which agent it speaks of."""
    text, weight = _weigh(content)
    said = None if structured is NULL else _structured(structured)
    report = _report(said) if type(said) is _Result else None
    if report is None and "agentId: " in text[-_END:]:
        report = _report_in(text[-_END:])
    failed = failed or denial in _UNJUDGED
    refused = denial and denial not in _UNJUDGED
    flag = _DENIALS.get(denial, "denied") if refused else _flag(text, said, failed)
    piece = Piece(n, "result", weight, id, "", failed, report=report, flag=flag)
    searches = _searches(said) if type(said) is _Result else 0
    return structs.replace(piece, searches=searches) if searches else piece


def _searches(said: _Result) -> int:
    """How many web searches a result of WebSearch says were made; its API response does not."""
    count = said.search_count or 0
    return count if said.query is not None and 0 < count <= _MOST_SEARCHES else 0


def _weigh(content: Raw) -> tuple[str, int]:
    """The text of a result and its estimated tokens."""
    try:
        value = _content.decode(content)
    except TROUBLE:
        return _weigh_blocks([content], 0)
    if isinstance(value, str):
        return value, estimate.tokens(value)
    return ("", 0) if value is None else _weigh_blocks(value, 2)


def _weigh_blocks(blocks: Sequence[Raw], size: int) -> tuple[str, int]:
    """A list weighs what its JSON does, images apart."""
    texts: list[str] = []
    images = 0
    for raw in blocks:
        data = bytes(raw)
        try:
            block = _block.decode(data)
        except TROUBLE:
            block = _loosely(_Block, data)
        if block.type == "image":
            images += 1
        else:
            size += estimate.json_units(data) + (len(texts) > 0)
            texts.append(block.text or "")
    return "\n".join(texts), (size + 3) // 4 + images * estimate.IMAGE_TOKENS


def _structured(raw: Raw) -> _Said:
    try:
        return _said.decode(raw)
    except TROUBLE:
        return _loosely(_Result, bytes(raw))


def _report(told: _Result) -> AgentReport | None:
    agent, run = told.agentId or told.agent_id or "", told.run_id or ""
    if not (agent or run):
        return None
    return AgentReport(
        agent_id=agent,
        status=told.status or "",
        run_id=run,
        transcript_dir=told.transcript_dir or "",
        color=told.color or "",
        team_name=told.team_name or "",
        name=told.name or "",
        is_async=bool(told.is_async),
    )


def _report_in(text: str) -> AgentReport | None:
    """Older versions wrote the agent's id at the end of the answer it gave."""
    after = text[text.rfind("agentId: ") + 9 :][:64].split()
    found = after[0].strip("\"'()[]{},\\") if after else ""
    return AgentReport(agent_id=found) if found.isalnum() else None


def _flag(text: str, said: _Said, failed: bool) -> str:
    if failed or type(said) is str:
        for told in (text, said):
            if type(told) is str and (flag := _refusal(_EXIT_CODE.sub("", told, count=1))):
                return flag
    if text.startswith(tags.INTERRUPTED) or (type(said) is _Result and said.interrupted is True):
        return "interrupted"
    return "persisted" if text.startswith(_PERSISTED) else ""


def _refusal(told: str) -> str:
    """Why a call was not carried out: a person said no, stopped it, or a rule forbids it."""
    if told.startswith(_REJECTED):
        return "rejected"
    if told.startswith(tags.INTERRUPTED):
        return "interrupted"
    return "denied" if told.startswith(_DENIED) else ""
