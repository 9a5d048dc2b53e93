"""What a run of lines adds to the tables, gathered while it is read."""

from unspool.model.rows import (
    BadLine,
    CallRow,
    FileTouched,
    HookRow,
    OddityRow,
    ResultRow,
    StoredLine,
    TextRow,
    UsageRow,
)


class Rows:
    """One list a table, in the order of the lines."""

    def __init__(self) -> None:
        self.lines: list[StoredLine] = []
        self.texts: list[TextRow] = []
        self.usage: list[UsageRow] = []
        self.calls: list[CallRow] = []
        self.results: list[ResultRow] = []
        self.files: list[FileTouched] = []
        self.bad: list[BadLine] = []
        self.hooks: list[HookRow] = []
        self.oddities: list[OddityRow] = []
