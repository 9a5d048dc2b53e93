"""A batch -> the rows of its tables, as they are bound."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from unspool.model.rows import (
    Batch,
    CallRow,
    CauseRow,
    HookRow,
    OddityRow,
    ResultRow,
    SourceRow,
    StoredLine,
    TouchedFile,
)
from unspool.store.contract import owner
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.functions import crc, deflated
from unspool.store.sqlite.writing.strings import StringTable

TIME_BITS = 22
_LARGEST = 2**63 - 1


def packed_uuid(text: str) -> bytes | str | None:
    """Sixteen bytes where a uuid is written as usual, else the text itself; None for none."""
    digits = text.replace("-", "")
    dashed = len(text) == 36 and text[8] == text[13] == text[18] == text[23] == "-"
    if not dashed or len(digits) != 32 or text.lower() != text:
        return text or None
    try:
        number = bytes.fromhex(digits)
    except ValueError:
        return text
    return number if len(number) == 16 else text


class Numbers:
    """The numbers that a batch's lines get; whatever refers to a line by its id finds it here.

    Of two lines of one batch with one id, the first is meant.
    """

    def __init__(self, batch: Batch, first: int) -> None:
        self.last = first + len(batch.lines) - 1
        self._numbers: dict[int, int] = {}
        for number, line in enumerate(batch.lines, first):
            self._numbers.setdefault(line.line_id, number)
        self.times = [line.line_id >> TIME_BITS for line in batch.lines]

    def of(self, line_id: int) -> int:
        """The number of a line; 0 where the batch has no such line."""
        return self._numbers.get(line_id, 0)

    def after(self, at: int | None, line_id: int) -> int | None:
        """A time as what it differs from that of its line, which is mostly nothing."""
        return None if at is None else at - (line_id >> TIME_BITS)


def line_rows(
    lines: Iterable[StoredLine], first: int, source: int, words: StringTable
) -> Iterator[Row]:
    """Rows of `line`. What an earlier line of the batch has said is said by its distance."""
    uuids: dict[str, int] = {}
    messages: dict[str, int] = {}
    requests: dict[str, int] = {}
    for number, line in enumerate(lines, first):
        at, timestamp, uuid = line.line_id >> TIME_BITS, line.timestamp, line.uuid
        parent = uuids.get(line.parent_uuid)
        message, request = line.message_id, line.request_id
        said = messages.setdefault(message, number) if message else 0
        asked = requests.setdefault(request, number) if request else 0
        yield (
            number,
            source,
            line.offset,
            line.length,
            line.line_number,
            words.kind(line),
            line.turn,
            at,
            None if timestamp is None else timestamp - at,
            packed_uuid(uuid),
            packed_uuid(line.parent_uuid) if parent is None else number - parent,
            (message if said == number else number - said) if message else None,
            (request if asked == number else number - asked) if request else None,
        )
        if uuid:
            uuids[uuid] = number


def tool_rows(batch: Batch, numbers: Numbers, words: StringTable) -> Iterator[Row]:
    """Rows of `tool` from its `crc` on, calls and results of one id together."""
    calls: dict[str, CallRow] = {}
    results: dict[str, ResultRow] = {}
    for call in batch.calls:
        calls.setdefault(call.tool_use_id, call)
    for result in batch.results:
        results.setdefault(result.tool_use_id, result)
    for name in calls | results:
        yield (
            crc(name),
            name,
            *_call(calls.get(name), numbers, words),
            *_result(results.get(name), numbers, words),
        )


def _call(call: CallRow | None, numbers: Numbers, words: StringTable) -> Row:
    if call is None:
        return (None,) * 4
    called = numbers.after(call.start_time, call.line_id)
    return numbers.of(call.line_id), called, words.word(call.name), words.word(call.agent_id)


def _result(result: ResultRow | None, numbers: Numbers, words: StringTable) -> Row:
    if result is None:
        return (None,) * 4
    answered = numbers.after(result.end_time, result.line_id)
    return numbers.of(result.line_id), answered, words.word(result.state), int(result.is_error)


def hook_rows(
    hooks: Iterable[HookRow], source: SourceRow, numbers: Numbers, words: StringTable
) -> Iterator[Row]:
    """Rows of `hook`."""
    for hook in hooks:
        yield (
            numbers.of(hook.line_id),
            words.session(*owner(hook, source)),
            hook.event_id,
            hook.timestamp,
            words.word(hook.event_type),
            hook.tool_use_id,
            words.word(hook.tool_name),
            words.word(hook.decision),
            deflated(hook.handler_results),
            deflated(hook.input),
            words.word(hook.agent_id),
            hook.duration_ms,
            words.word(hook.source),
            hook.print,
            hook.uuid,
            hook.key,
        )


def file_rows(files: Iterable[TouchedFile], numbers: Numbers, words: StringTable) -> Iterator[Row]:
    """Rows of `touched`."""
    for row in files:
        yield words.word(row.path), numbers.of(row.line_id), words.word(row.tool)


def cause_rows(causes: Iterable[CauseRow], numbers: Numbers, words: StringTable) -> Iterator[Row]:
    """Rows of `cause`."""
    for row in causes:
        command = None if row.command is None else words.word(row.command)
        names = words.word(row.skill), words.word(row.mcp_server), words.word(row.agent)
        yield numbers.of(row.line_id), *names, command


def oddity_rows(
    oddities: Iterable[OddityRow], numbers: Numbers, words: StringTable
) -> Iterator[Row]:
    """Rows of `oddity`."""
    for oddity in oddities:
        said = words.word(oddity.version), words.word(oddity.what), words.word(oddity.name)
        yield numbers.of(oddity.line_id), *said, oddity.count


def cleaned(value: Any) -> Any:
    """The same without half characters and endless numbers, which no database takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_LARGEST, min(value, _LARGEST))
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, tuple):
        items = map(cleaned, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, Struct):
        return replace(
            value, **{name: cleaned(getattr(value, name)) for name in value.__struct_fields__}
        )
    return value
