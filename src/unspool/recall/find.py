"""A session's document and a text -> every place it stands; files -> pages, and one by its id."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from unspool.derive.reading.searchable import strings
from unspool.errors import NotFound
from unspool.model.document import Chunk, SessionDocument, Step, ToolExecution
from unspool.model.files import TranscriptFile
from unspool.model.search import Occurrence, Scope

_AROUND: Final = 50
_LONGEST_QUERY: Final = 512
_MOST: Final = 500
_PAGE, _LARGEST_PAGE = 20, 200
_FITTING: Final = 50
_FRAGMENT: Final = re.compile(r"[0-9a-f-]{3,36}", re.IGNORECASE)
_WHOLE_ID: Final = 36


class _Said(NamedTuple):
    """One text of a session and where it stands."""

    chunk_id: str
    kind: str
    line: int
    text: str


class Cursor(Struct, frozen=True, rename="camel"):
    """The last row of a page: the next begins after it."""

    timestamp: int
    session_id: str
    project_id: str = ""


class Page(Struct, frozen=True):
    """Some files of many, and where the others begin."""

    items: list[TranscriptFile]
    next_cursor: str | None


_cursor: Final = msgspec.json.Decoder(Cursor)


def occurrences(
    document: SessionDocument, text: str, *, scope: Scope = "devtools", limit: int = _MOST
) -> list[Occurrence]:
    """Each place where a text stands, whatever its case.

    Scope `devtools` is prompts and the last text of each answer; `all` is all there is to read.
    """
    wanted = re.compile(re.escape(text[:_LONGEST_QUERY]), re.IGNORECASE)
    found: list[Occurrence] = []
    for said in _texts(document, scope) if text.strip() else ():
        for match in wanted.finditer(said.text):
            if len(found) >= limit:
                return found
            found.append(_occurrence(said, match, len(found)))
    return found


def _occurrence(said: _Said, match: re.Match[str], index: int) -> Occurrence:
    start, end = match.span()
    return Occurrence(
        chunk_id=said.chunk_id,
        kind=said.kind,
        line=said.line,
        index=index,
        offset=start,
        context=said.text[max(start - _AROUND, 0) : end + _AROUND],
    )


def _texts(document: SessionDocument, scope: Scope) -> Iterator[_Said]:
    calls: dict[str, list[ToolExecution]] = {}
    for call in document.tool_executions:
        calls.setdefault(call.chunk_id or "", []).append(call)
    for chunk in document.chunks:
        if chunk.type != "ai":
            if scope == "all" or chunk.type == "user":
                yield _Said(chunk.id, chunk.type, chunk.line, _given(chunk.text))
        elif scope == "all":
            yield from (_step(chunk, step) for step in _steps(chunk))
            for call in calls.get(chunk.id, ()):
                yield from _call(chunk, call)
        else:
            answers = [step for step in _steps(chunk) if step.type == "output"]
            yield from (_step(chunk, step) for step in answers[-1:])


def _steps(chunk: Chunk) -> tuple[Step, ...]:
    return () if isinstance(chunk.steps, UnsetType) else chunk.steps


def _step(chunk: Chunk, step: Step) -> _Said:
    kind = "ai" if step.type == "output" else step.type
    return _Said(chunk.id, kind, step.line, _given(step.text))


def _call(chunk: Chunk, call: ToolExecution) -> Iterator[_Said]:
    answered = Raw(b"null") if call.result is UNSET else call.result
    yield _Said(chunk.id, "tool_input", call.line, "\n".join(strings(call.input)))
    line = call.result_line or call.line
    yield _Said(chunk.id, "tool_result", line, "\n".join(strings(answered)))


def _given(text: str | UnsetType) -> str:
    return "" if isinstance(text, UnsetType) else text


def page(files: Sequence[TranscriptFile], cursor: str | None = None, limit: int = 0) -> Page:
    """Files after a cursor, last written first; a cursor nobody gave out begins at the start."""
    size = min(limit, _LARGEST_PAGE) if limit > 0 else _PAGE
    after = _read(cursor)
    rows = sorted(map(_place, files), key=lambda placed: placed[0])
    if after is not None:
        known = -after.timestamp, after.session_id, after.project_id
        rows = [row for row in rows if row[0] > known]
    shown = rows[:size]
    return Page([file for _, file in shown], _written(shown[-1][1]) if len(rows) > size else None)


def _place(file: TranscriptFile) -> tuple[tuple[int, str, str], TranscriptFile]:
    return (-file.mtime_ns, file.session_id or "", file.project_id), file


def _written(file: TranscriptFile) -> str:
    last = Cursor(file.mtime_ns, file.session_id or "", file.project_id)
    return urlsafe_b64encode(msgspec.json.encode(last)).decode()


def _read(cursor: str | None) -> Cursor | None:
    try:
        return _cursor.decode(urlsafe_b64decode((cursor or "").encode()))
    except (ValueError, RecursionError):
        return None


def by_fragment(files: Sequence[TranscriptFile], fragment: str) -> list[TranscriptFile]:
    """Sessions whose id holds a fragment of at least three hex digits; a whole id is exact."""
    if not _FRAGMENT.fullmatch(fragment):
        raise NotFound(
            f"{fragment!r} is no part of a session's id: give at least three of 0-9, a-f and -."
        )
    wanted = fragment.lower()
    if len(wanted) == _WHOLE_ID:
        return [file for file in files if (file.session_id or "").lower() == wanted]
    return [file for file in files if wanted in (file.session_id or "").lower()][:_FITTING]
