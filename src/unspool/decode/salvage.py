"""A damaged line -> the whole records in it, and the residue between them."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from unspool.decode.records import KINDS, record
from unspool.decode.values import too_deep
from unspool.model.transcript import Entry, Unreadable

_BLANK: Final = b" \t\r\n\v\f\xef\xbb\xbf"  # a byte order mark is as good as nothing
_GAP: Final = re.compile(r"[\s\0\xef\xbb\xbf]*")

# Content blocks look much like records: only what begins as a record does is worth a try.
_START: Final = re.compile(
    r'\{\s*"(?:(?:parentUuid|uuid|sessionId|session_id|timestamp|isSidechain|message|messageId'
    r'|leafUuid|logicalParentUuid|cwd|version|userType|agentId|summary|operation|requestId)"\s*:'
    r'|type"\s*:\s*"(?!text"|thinking"|tool_use"|tool_result"|image"|message"|base64"|direct"))'
)
_AFTER: Final = re.compile(r"\s*(?:\Z|\{|\0)")
_ENVELOPE: Final = frozenset({"uuid", "parentUuid", "sessionId", "session_id", "timestamp"})

# However many starts a line offers, it is read about eight times over and no more.
_READINGS: Final = 8
_SPARE: Final = 1 << 20
_RECURSION: Final = 1 << 14

# Digits of any length: only the end of a value is wanted here.
_scan: Final = json.JSONDecoder(strict=False, parse_int=float).raw_decode


class Part(Struct, frozen=True):
    """One stretch of a line and what it holds."""

    start: int
    end: int
    entry: Entry


def parts(line: bytes) -> list[Part]:
    """Cut a line into parts that cover its bytes in order; a blank line has none."""
    if not line.strip(_BLANK):
        return []
    entry = record(line)
    if entry is not None:
        return [Part(0, len(line), entry)]
    found: list[Part] = []
    done = 0
    for start, end in _records(line):
        whole = record(line[start:end])
        if whole is not None:
            found += _residue(line, done, start)
            # Blanks before a record belong to it.
            found.append(Part(found[-1].end if found else 0, end, whole))
            done = end
    found += _residue(line, done, len(line))
    found[-1] = Part(found[-1].start, len(line), found[-1].entry)
    return found


def _records(line: bytes) -> Iterator[tuple[int, int]]:
    # In Latin-1 a character is a byte: places in the text are places in the line.
    text = line.decode("latin-1")
    budget = _READINGS * len(text) + _SPARE
    at, resumed = 0, False
    while budget > 0:
        start = _next_start(text, at, resumed)
        if start is None:
            return
        value, end = _value(text, start)
        budget -= end - start + start // 32 + 64
        if _is_record(value) and _AFTER.match(text, end) if resumed else value is not None:
            yield start, end
            at, resumed = end, False
        else:
            at, resumed = start + 1, True


def _next_start(text: str, at: int, resumed: bool) -> int | None:
    gap = _GAP.match(text, at)
    if gap and not resumed and text[gap.end() : gap.end() + 1] == "{":
        return gap.end()
    found = _START.search(text, at)
    return found and found.start()


def _value(text: str, start: int) -> tuple[Any, int]:
    try:
        return _scan(text, start)
    except json.JSONDecodeError as error:
        return None, error.pos
    except RecursionError:
        return None, min(len(text), start + _RECURSION)


def _is_record(value: Any) -> bool:
    # A block may have survived whole inside a record that was cut.
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return value["type"] in KINDS or not _ENVELOPE.isdisjoint(value)


def _residue(line: bytes, start: int, end: int) -> list[Part]:
    raw = line[start:end]
    return [Part(start, end, Unreadable(_reason(raw), raw))] if raw.strip(_BLANK) else []


def _reason(raw: bytes) -> str:
    rest = raw.strip(_BLANK + b"\0")
    if not rest:
        return "zero bytes"
    if rest.startswith((b"#", b"//")):
        return "comment"
    if too_deep(rest):
        return "nested too deep"
    return "cut record" if rest.startswith(b"{") else "not a record"
