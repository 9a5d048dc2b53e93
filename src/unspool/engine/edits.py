"""Edits of files in every session: which files, when, where, and what each call changed."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, DecodeError, json, structs

from unspool.derive.reading.clock import iso
from unspool.engine.archive.redacted import RedactedArchive
from unspool.json_depth import is_too_deep
from unspool.model.edits import EditedFile, EditLine, EditQuery, FileEdit
from unspool.redact import Redactor
from unspool.store import Store

_PATH_KEYS = ("file_path", "notebook_path", "path")


class EditHistory:
    """Edited files of some roots, from any thread; texts come without their secrets."""

    def __init__(self, store: Store, redactor: Redactor, roots: Sequence[str]) -> None:
        self._store, self._redactor, self._roots = store, redactor, tuple(roots)

    def files(self, query: EditQuery, recent: int, *, has_inputs: bool = False) -> list[EditedFile]:
        """A page of files, each with so many of its newest edits, with their inputs or without."""
        query = structs.replace(query, roots=self._roots)
        archive = RedactedArchive(self._store, self._redactor)
        try:
            return list(self._files(archive if has_inputs else None, query, recent))
        finally:
            archive.close()

    def _files(
        self, archive: RedactedArchive | None, query: EditQuery, recent: int
    ) -> Iterator[EditedFile]:
        asked = structs.replace(query, path="", after=None, limit=max(recent, 1))
        for file in self._store.edited_files(query):
            edits = self._store.edits_of(file.path, asked)
            yield EditedFile(
                path=self._redactor.text(file.path),
                name=self._redactor.text(_below(file.path, edits[0].cwd if edits else "")),
                edits=file.edits,
                sessions=file.sessions,
                last_edit=iso(file.newest),
                recent=tuple(_edit(archive, one) for one in edits[:recent]),
            )


def _edit(archive: RedactedArchive | None, one: EditLine) -> FileEdit:
    return FileEdit(
        event_id=f"{one.source_id}.{one.generation}.{one.offset}",
        project_id=one.project_id,
        session_id=one.session_id,
        agent_id=one.agent_id,
        title=one.title,
        tool=one.tool,
        timestamp=iso(one.timestamp),
        input=UNSET if archive is None else _input(archive, one),
    )


def _input(archive: RedactedArchive, one: EditLine) -> dict[str, Any] | None:
    """What the call on a line was given, if the line says so."""
    line = archive.line(one.source_id, one.generation, one.offset, one.length) or b""
    try:
        entry: Any = None if is_too_deep(line) else json.decode(line)
    except (DecodeError, RecursionError):
        entry = None
    message = entry.get("message") if isinstance(entry, dict) else None
    blocks = message.get("content") if isinstance(message, dict) else None
    for block in blocks if isinstance(blocks, list) else ():
        given = block.get("input") if isinstance(block, dict) else None
        if (
            isinstance(given, dict)
            and block.get("name") == one.tool
            and any(given.get(key) == one.path for key in _PATH_KEYS)
        ):
            return given
    return None


def _below(path: str, directory: str) -> str:
    for separator in "/\\":
        if directory and path.startswith(directory + separator):
            return path[len(directory) + 1 :]
    return path
