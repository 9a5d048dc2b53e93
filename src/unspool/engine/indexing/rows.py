"""What a run of lines adds to the tables, gathered while it is read."""

from typing import Any

from unspool.model.rows import (
    BadLine,
    Batch,
    CallRow,
    HookRow,
    OddityRow,
    ResultRow,
    SourceRow,
    StoredLine,
    TextRow,
    TouchedFile,
)
from unspool.model.usage import UsageRow


class RowBatch:
    """One list a table, in the order of the lines."""

    def __init__(self) -> None:
        self.lines: list[StoredLine] = []
        self.texts: list[TextRow] = []
        self.usage: list[UsageRow] = []
        self.calls: list[CallRow] = []
        self.results: list[ResultRow] = []
        self.files: list[TouchedFile] = []
        self.bad: list[BadLine] = []
        self.hooks: list[HookRow] = []
        self.oddities: list[OddityRow] = []

    def batch(self, source: SourceRow, begins: int, **about: Any) -> Batch:
        """All of them, as what one segment of a source changes; `about` are its other fields."""
        return Batch(
            source=source,
            begins=begins,
            lines=self.lines,
            texts=self.texts,
            usage=self.usage,
            calls=self.calls,
            results=self.results,
            files=self.files,
            bad=self.bad,
            hooks=self.hooks,
            oddities=self.oddities,
            **about,
        )
