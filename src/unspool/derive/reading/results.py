"""Tool results and tool inputs -> the few facts later steps ask of them."""

from typing import Final

import msgspec
from msgspec import Raw, Struct

from unspool.derive.reading import estimate, tags
from unspool.model.message import AgentReport, Piece, Spawn

SPAWNERS: Final = frozenset({"Task", "Agent"})
_PATHS: Final = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead"})
_LOOKED_INTO: Final = SPAWNERS | _PATHS | {"Workflow", "SendMessage", "Skill", "ExitPlanMode"}
_REJECTED: Final = ("The user doesn't want to", "User rejected tool use", "Permission to use ")


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
    """What a structured result may say about an agent."""

    agent_id: str | None = None
    agentId: str | None = None
    status: str | None = None
    run_id: str | None = msgspec.field(default=None, name="runId")
    transcript_dir: str | None = msgspec.field(default=None, name="transcriptDir")
    is_async: bool | None = msgspec.field(default=None, name="isAsync")
    color: str | None = None
    team_name: str | None = None
    name: str | None = None


_input: Final = msgspec.json.Decoder(_Input)
_result: Final = msgspec.json.Decoder(_Result)
_string: Final = msgspec.json.Decoder(str)
_nothing: Final = _Input()


def call(n: int, id: str, name: str, raw: Raw) -> Piece:
    """A tool call: its weight, and where it points."""
    data = bytes(raw)
    if data == b"null":
        data = b"{}"
    weight = (estimate.units(name) + estimate.json_units(data) + 3) // 4
    if name not in _LOOKED_INTO:
        return Piece(n, "call", weight, id, name)
    given = _facts(data)
    return Piece(
        n,
        "call",
        weight,
        id,
        name,
        path=(given.file_path or given.notebook_path or "") if name in _PATHS else "",
        spawn=_spawn(given) if name in SPAWNERS or name == "Workflow" else None,
        flag=_call_flag(name, given),
    )


def _facts(data: bytes) -> _Input:
    try:
        return _input.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass
    # One odd field must not cost us the others.
    try:
        loose = msgspec.json.decode(data, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _nothing
    flags = ("run_in_background", "approve")
    fits = {k: v for k, v in loose.items() if isinstance(v, bool if k in flags else str)}
    return msgspec.convert(fits, _Input)


def _spawn(given: _Input) -> Spawn:
    return Spawn(
        description=(given.description or "")[:500],
        subagent_type=given.subagent_type or "",
        prompt_digest=tags.digest(given.prompt or ""),
        team_name=given.team_name or "",
        name=given.name or "",
        background=bool(given.run_in_background),
    )


def _call_flag(name: str, given: _Input) -> str:
    if name == "ExitPlanMode":
        return "plan"
    if name == "Skill":
        return f"skill:{given.skill or given.command or ''}"
    if name == "SendMessage":
        shuts = given.type == "shutdown_response" and given.approve is True
        return "shutdown" if shuts else f"to:{given.recipient or given.to or ''}"
    return ""


def result(n: int, id: str, content: Raw, failed: bool, structured: Raw, denial: str = "") -> Piece:
    """A tool result: its weight, whether it was refused, and which agent it speaks of."""
    data = bytes(content)
    text, weight = _weigh(data)
    said = bytes(structured)
    report = _report(said)
    if report is None and "agentId: " in text:
        report = _report_in(text)
    return Piece(
        n, "result", weight, id, "", failed, report=report, flag=_result_flag(text, said, denial)
    )


def _weigh(data: bytes) -> tuple[str, int]:
    """The text of a result (a list's only where it is short) and its estimated tokens."""
    if data[:1] == b'"':
        try:
            text = _string.decode(data)
        except (msgspec.MsgspecError, UnicodeError):
            return "", (len(data) + 3) // 4
        return text, estimate.tokens(text)
    if data == b"null":
        return "", 0
    images = data.count(b'"type":"image"') + data.count(b'"type": "image"')
    if images:
        data = _without_images(data)
    text = data.decode("utf-8", "replace") if len(data) < 65_536 else ""
    return text, (estimate.json_units(data) + 3) // 4 + images * estimate.IMAGE_TOKENS


def _without_images(data: bytes) -> bytes:
    try:
        blocks = msgspec.json.decode(data, type=list[object])
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return b""
    kept = [b for b in blocks if not (isinstance(b, dict) and b.get("type") == "image")]
    return msgspec.json.encode(kept)


def _report(said: bytes) -> AgentReport | None:
    if b'"agentId"' not in said and b'"agent_id"' not in said and b'"runId"' not in said:
        return None
    try:
        given = _result.decode(said)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return AgentReport(
        agent_id=given.agentId or given.agent_id or "",
        status=given.status or "",
        run_id=given.run_id or "",
        transcript_dir=given.transcript_dir or "",
        color=given.color or "",
        team_name=given.team_name or "",
        name=given.name or "",
        is_async=bool(given.is_async),
    )


def _report_in(text: str) -> AgentReport | None:
    """Older versions wrote the agent's id at the end of the answer it gave."""
    after = text[text.rfind("agentId: ") + 9 :][:64]
    word = after.split()[0] if after.split() else ""
    found = word.strip("\"'()[]{},\\")
    return AgentReport(agent_id=found) if found.isalnum() else None


def _result_flag(text: str, said: bytes, denial: str) -> str:
    if text.startswith(_REJECTED) or said.startswith(b'"User rejected tool use'):
        return "rejected"
    if (
        denial == "interrupted"
        or tags.INTERRUPTED in text[:400]
        or (said[:1] == b'"' and tags.INTERRUPTED.encode() in said[:200])
    ):
        return "interrupted"
    return "persisted" if text.startswith("<persisted-output>") else ""
