"""A transcript written like a script: each method adds the lines Claude Code would write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from unspool.demo import lines
from unspool.demo.lines import Content, Fields, LineChain

_SUMMARY = "This session is being continued from a previous conversation that ran out of context."


class Transcript(LineChain):
    """One transcript file under construction; every method returns the transcript itself."""

    def __init__(self, session: str = "s1", cwd: str = "/repo", **options: Any) -> None:
        super().__init__(session, cwd, **options)
        self._callers: dict[str, str | None] = {}
        self._unanswered: list[str] = []

    def user(self, content: Content, **fields: Any) -> Self:
        """Add a user line: a prompt, or whatever the blocks say."""
        return self._link("user", {"message": {"role": "user", "content": content}, **fields})

    def says(self, text: str, **fields: Any) -> Self:
        """Add one API response of one text block; takes model, usage, id, request and stop."""
        return self.answers([lines.text_block(text)], **fields)

    def thinks(self, text: str, **fields: Any) -> Self:
        """Add one API response of one thinking block."""
        return self.answers([lines.thinking_block(text)], **fields)

    def calls(
        self, tool: str, call_input: Any = None, /, *, id: str | None = None, **fields: Any
    ) -> Self:
        """Add one API response of one tool call; without an input, keywords are the input."""
        if call_input is None:
            return self.answers([lines.tool_block(tool, fields, id)])
        return self.answers([lines.tool_block(tool, call_input, id)], **fields)

    def answers(
        self,
        blocks: Sequence[Any],
        *,
        outputs: Sequence[int] | None = None,
        stops: Sequence[str | None] | None = None,
        each: Sequence[Mapping[str, Any]] | None = None,
        **fields: Any,
    ) -> Self:
        """Add one API response, a line per block; outputs beyond the blocks repeat the last.

        A list among the blocks is one line of several. `outputs`, `stops` and `each` (envelope
        fields) give what differs from line to line.
        """
        parts = [[self._numbered(block) for block in _listed(line)] for line in blocks]
        parts += parts[-1:] * max(0, len(outputs or ()) - len(parts))
        usage = lines.usage_of(fields.pop("usage", None))
        calling = any(_is_call(block) for part in parts for block in part)
        stop = fields.pop("stop", "tool_use" if calling else "end_turn")
        endings = stops or [None] * (len(parts) - 1) + [stop]
        head = {
            "model": fields.pop("model", self.model),
            "id": self._given("id", "msg_", fields),
            "type": "message",
            "role": "assistant",
        }
        request = self._given("request", "req_", fields)
        for at, (part, ending) in enumerate(zip(parts, endings, strict=True)):
            message = {**head, "content": part, "stop_reason": ending, "stop_sequence": None}
            message["usage"] = usage | {"output_tokens": outputs[at]} if outputs else usage
            line = {"message": lines.without_absent(message), "requestId": request, **fields}
            self._link("assistant", {**line, **(each[at] if each else {})})
            self._called(part)
        return self

    def returns(
        self,
        content: Any = "",
        *,
        call: int | str | None = None,
        failed: bool = False,
        result: Any = lines.ABSENT,
        **fields: Any,
    ) -> Self:
        """Add a tool result for a call (number or id), by default the last one unanswered."""
        call_id = self._call_id(call)
        caller = self._callers.get(call_id, self.leaf)
        if call_id in self._unanswered:
            self._unanswered.remove(call_id)
        block = lines.result_block(call_id, content, failed=failed)
        links = {"parentUuid": caller, "sourceToolAssistantUUID": caller, "toolUseResult": result}
        return self.user([block], **{**links, **fields})

    def system(self, subtype: str, **fields: Any) -> Self:
        """Add a system line."""
        return self._link("system", {"subtype": subtype, "level": "info", **fields})

    def attachment(self, kind: str, **fields: Any) -> Self:
        """Add an attachment line; the keywords belong to the attachment itself."""
        return self._link("attachment", {"attachment": {"type": kind, **fields}})

    def progress(self, kind: str, *, call: str | None = None, **data: Any) -> Self:
        """Add a progress line for a call, by default the last one unanswered."""
        call_id = call or (self._unanswered[-1] if self._unanswered else None)
        links = {"toolUseID": call_id, "parentToolUseID": call_id}
        return self._link("progress", {"data": {"type": kind, **data}, **links})

    def compacts(
        self, trigger: str = "auto", *, pre: int = 150_000, post: int = 8_000, summary: str = ""
    ) -> Self:
        """Add a compaction: the boundary and the summary that follows it."""
        metadata = {
            "trigger": trigger,
            "preTokens": pre,
            "durationMs": 15_000,
            "postTokens": post,
            "cumulativeDroppedTokens": pre - post,
        }
        boundary: Fields = {
            "parentUuid": None,
            "logicalParentUuid": self.leaf,
            "content": "Conversation compacted",
            "isMeta": False,
            "compactMetadata": metadata,
        }
        self.system("compact_boundary", **boundary)
        flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        return self.user(summary or _SUMMARY, **flags)

    def synthetic(self, text: str, error: str | None = None, **fields: Any) -> Self:
        """Add a line the client wrote itself, an API error when error is named."""
        made_up: Fields = {
            "model": "<synthetic>",
            "id": self._next("synthetic_"),
            "request": self.ABSENT,
            "stop": "stop_sequence",
            "usage": dict(lines.NO_TOKENS),
            "isApiErrorMessage": error is not None,
            "error": self.ABSENT if error is None else error,
        }
        return self.answers([lines.text_block(text)], **{**made_up, **fields})

    def interrupted(self, for_tool: bool = False, **fields: Any) -> Self:
        """Add the line left by the user's interruption."""
        text = f"[Request interrupted by user{' for tool use' if for_tool else ''}]"
        return self.user([lines.text_block(text)], **fields)

    def reminder(self, text: str, **fields: Any) -> Self:
        """Add an injected system reminder."""
        wrapped = f"<system-reminder>\n{text}\n</system-reminder>"
        return self.user(wrapped, **{"isMeta": True, **fields})

    def _given(self, field: str, kind: str, fields: Fields) -> Any:
        given = fields.pop(field, None)
        return self._next(kind) if given is None else given

    def _numbered(self, block: Any) -> Any:
        if isinstance(block, str):
            return lines.text_block(block)
        if _is_call(block) and "id" not in block:
            return {**block, "id": self._next("toolu_")}
        return block

    def _called(self, blocks: Sequence[Any]) -> None:
        for call_id in [block["id"] for block in blocks if _is_call(block)]:
            if call_id not in self._callers:
                self._callers[call_id] = self.leaf
                self._unanswered.append(call_id)

    def _call_id(self, call: int | str | None) -> str:
        if isinstance(call, int):
            return self._name("toolu_", call)
        return call or (self._unanswered or list(self._callers) or ["toolu_0"])[-1]


def _listed(blocks: Any) -> list[Any]:
    return blocks if isinstance(blocks, list) else [blocks]


def _is_call(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_use"
