"""Line -> entries. Total: every byte of a line is in one of them, and nothing raises."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Raw, Struct, ValidationError
from msgspec.json import Decoder

from unspool.decode.lenient import JSON_ERRORS, build, by_tag, clean_json, text_of
from unspool.json_depth import is_too_deep, shallow
from unspool.model.transcript import Entry, KnownEntry, Unknown, Unreadable

_known: Final[Decoder[KnownEntry]] = Decoder(KnownEntry)
KINDS: Final = by_tag(KnownEntry)

_object: Final = Decoder(dict[str, Raw])
_whole: Final = Decoder(Raw)


def decode_known(line: bytes) -> KnownEntry:
    """Decode an undamaged line of a known type, which most are; raises JSON_ERRORS for others."""
    return _known.decode(shallow(line))


def decode_record(line: bytes) -> Entry | None:
    """Decode a line as one record; None if it is not one JSON value, or nested too deep."""
    if is_too_deep(line):
        return None
    entry = _read_record(line, line)
    if entry is not None:
        return entry
    clean = clean_json(line)
    if clean is not None:
        return _read_record(clean, line)
    return None


def _read_record(text: bytes, line: bytes) -> Entry | None:
    try:
        return _known.decode(text)
    except JSON_ERRORS:
        pass
    try:
        return _from_fields(_object.decode(text), line)
    except ValidationError:
        return Unreadable("not an object", line) if _is_json(text) else None
    except JSON_ERRORS:
        return None


def _from_fields(found: dict[str, Raw], line: bytes) -> Entry:
    if "type" not in found:
        return Unknown("", line)
    name = text_of(found["type"])
    if name is None:
        return Unreadable("type is not a string", line)
    kind = KINDS.get(name)
    if kind is None:
        return Unknown(name, line)
    entry: KnownEntry = build(kind, found)
    return entry


def _is_json(text: bytes) -> bool:
    try:
        _whole.decode(text)
    except JSON_ERRORS:
        return False
    return True


_BLANK: Final = b" \t\r\n\v\f\xef\xbb\xbf"  # a byte order mark counts as blank
_GAP: Final = re.compile(r"[\s\0\xef\xbb\xbf]*")

# Content blocks look like records: only try what starts like a record.
_START: Final = re.compile(
    r'\{\s*"(?:(?:parentUuid|uuid|sessionId|session_id|timestamp|isSidechain|message|messageId'
    r'|leafUuid|logicalParentUuid|cwd|version|userType|agentId|summary|operation|requestId)"\s*:'
    r'|type"\s*:\s*"(?!text"|thinking"|tool_use"|tool_result"|image"|message"|base64"|direct"))'
)
_AFTER: Final = re.compile(r"\s*(?:\Z|\{|\0)")
_ENVELOPE: Final = frozenset({"uuid", "parentUuid", "sessionId", "session_id", "timestamp"})

# However many starts a line has, each byte is read about eight times at most.
_READINGS: Final = 8
_SPARE: Final = 1 << 20
_RECURSION: Final = 1 << 14

# Numbers of any length: only the end of a value is needed here.
_scan: Final = json.JSONDecoder(strict=False, parse_int=float).raw_decode


class LinePart(Struct, frozen=True):
    """A span of a line, and its entry."""

    start: int
    end: int
    entry: Entry


def salvage_parts(line: bytes) -> list[LinePart]:
    """Split a damaged line into parts that cover all its bytes in order; none if it is blank."""
    if not line.strip(_BLANK):
        return []
    entry = decode_record(line)
    if entry is not None:
        return [LinePart(0, len(line), entry)]
    found: list[LinePart] = []
    done = 0
    for start, end in _record_spans(line):
        whole = decode_record(line[start:end])
        if whole is not None:
            found += _residue(line, done, start)
            # Blanks before a record belong to it.
            found.append(LinePart(found[-1].end if found else 0, end, whole))
            done = end
    found += _residue(line, done, len(line))
    found[-1] = LinePart(found[-1].start, len(line), found[-1].entry)
    return found


def _record_spans(line: bytes) -> Iterator[tuple[int, int]]:
    # In Latin-1 a character is a byte: positions in the text are positions in the line.
    text = line.decode("latin-1")
    budget = _READINGS * len(text) + _SPARE
    at, resumed = 0, False
    while budget > 0:
        start = _next_start(text, at, resumed)
        if start is None:
            return
        value, end = _raw_value(text, start)
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


def _raw_value(text: str, start: int) -> tuple[Any, int]:
    try:
        value, end = _scan(text, start)
        return None if is_too_deep(text[start:end].encode("latin-1")) else value, end
    except json.JSONDecodeError as error:
        return None, error.pos
    except RecursionError:
        return None, min(len(text), start + _RECURSION)


def _is_record(value: Any) -> bool:
    # A complete block may be left inside a record that was cut.
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return value["type"] in KINDS or not _ENVELOPE.isdisjoint(value)


def _residue(line: bytes, start: int, end: int) -> list[LinePart]:
    raw = line[start:end]
    return [LinePart(start, end, Unreadable(_reason(raw), raw))] if raw.strip(_BLANK) else []


def _reason(raw: bytes) -> str:
    rest = raw.strip(_BLANK + b"\0")
    if not rest:
        return "zero bytes"
    if rest.startswith((b"#", b"//")):
        return "comment"
    if is_too_deep(rest):
        return "nested too deep"
    return "cut record" if rest.startswith(b"{") else "not a record"


def decode(line: bytes) -> tuple[Entry, ...]:
    """Decode one line: one entry, several if damage joined lines, none if it is blank."""
    try:
        return (decode_known(line),)
    except JSON_ERRORS:
        return tuple(part.entry for part in salvage_parts(line))


def is_whole(line: bytes) -> bool:
    """Whether an unfinished line is complete except for its newline."""
    entries = decode(line)
    return bool(entries) and not any(isinstance(entry, Unreadable) for entry in entries)
