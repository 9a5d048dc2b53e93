"""The reference store's answers about files that calls have edited."""

from collections import defaultdict
from collections.abc import Iterator

from unspool.model.edits import EditLine, EditQuery, FileEdits
from unspool.store.contract import EDIT_TOOLS
from unspool.store.memory_activity import MemoryActivity
from unspool.store.memory_rows import is_of, name_of


class MemoryEdits(MemoryActivity):
    """Every line is looked at for every question."""

    def edited_files(self, query: EditQuery) -> list[FileEdits]:
        groups: dict[str, list[EditLine]] = defaultdict(list)
        for edit in self._edits(query):
            groups[edit.path].append(edit)
        files = [
            FileEdits(
                path,
                len(edits),
                len({(edit.project_id, edit.session_id) for edit in edits}),
                max(edit.timestamp for edit in edits),
            )
            for path, edits in groups.items()
            if query.path.lower() in path.lower()
        ]
        files.sort(key=lambda file: (-file.newest, file.path))
        after = (-query.after[0], query.after[1]) if query.after else None
        rest = [file for file in files if after is None or (-file.newest, file.path) > after]
        return rest[: query.limit]

    def edits_of(self, path: str, query: EditQuery) -> list[EditLine]:
        edits = [edit for edit in self._edits(query) if edit.path == path]
        edits.sort(key=lambda edit: (edit.timestamp, edit.source_id, edit.offset), reverse=True)
        return edits[: query.limit]

    def _edits(self, query: EditQuery) -> Iterator[EditLine]:
        for batch in self._current():
            source = batch.source
            if not is_of(query.projects, source.project_id):
                continue
            if query.roots and source.root not in query.roots:
                continue
            session = self._listing(name_of(source))
            lines = {line.line_id: line for line in batch.lines}
            for row in batch.files:
                if row.tool in EDIT_TOOLS:
                    line = lines[row.line_id]
                    yield EditLine(
                        path=row.path,
                        tool=row.tool,
                        source_id=source.source_id,
                        generation=source.generation,
                        offset=line.offset,
                        length=line.length,
                        project_id=source.project_id,
                        session_id=source.session_id,
                        agent_id=line.agent_id or source.agent_id,
                        cwd=session.cwd,
                        title=session.title,
                        timestamp=line.line_id >> 22,
                    )
