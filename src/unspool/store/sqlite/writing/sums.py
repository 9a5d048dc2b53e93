"""Rows of the ledger that came or changed -> its sums by quarters of an hour."""

from collections.abc import Sequence

import apsw

from unspool.derive.usage.responses import QUARTER
from unspool.store.sqlite.connection import Row

SUM = """
    INSERT INTO total
    SELECT session, quarter, agent, model, sum(input_tokens), sum(output_tokens),
        sum(cache_read_tokens), sum(cache_creation_tokens), sum(web_searches),
        coalesce(sum(usd_pico), 0), sum(usd_pico IS NULL), sum(NOT is_finished), count(*),
        min(coalesce(timestamp, 0)), max(coalesce(timestamp, 0))
    FROM response
"""
_SUMMED = (
    "input_tokens output_tokens cache_read_tokens cache_creation_tokens web_searches usd_pico"
    " unpriced lower_bound responses".split()
)
_ADD = f"""
    INSERT INTO total VALUES ({", ".join("?" * 15)}) ON CONFLICT DO UPDATE SET
        {", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMMED)},
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
"""  # noqa: S608


class Sums:
    """What one commit changes; a cell is a row's session, quarter, agent and model."""

    def __init__(self) -> None:
        self._cells: dict[Row, tuple[int, ...]] = {}
        self._times: dict[Row, tuple[int, int]] = {}
        self._again: set[tuple[int, int]] = set()

    def add(self, row: Row) -> None:
        """A response that is new in the ledger."""
        self._count(row, _counts(row))

    def change(self, before: Row, row: Row) -> None:
        """A response that was there; one that moved has its old and new quarter summed again."""
        if (_cell(before), _at(before)) == (_cell(row), _at(row)):
            self._count(
                row, [new - old for new, old in zip(_counts(row), _counts(before), strict=True)]
            )
        else:
            self._again |= {_cell(one)[:2] for one in (before, row)}

    def _count(self, row: Row, counts: Sequence[int]) -> None:
        cell, at = _cell(row), _at(row)
        known = self._cells.get(cell)
        self._cells[cell] = (
            tuple(map(sum, zip(known, counts, strict=True))) if known else (*counts,)
        )
        first, last = self._times.get(cell, (at, at))
        self._times[cell] = min(first, at), max(last, at)

    def write(self, connection: apsw.Connection) -> None:
        """Bring the sums up to date with the ledger, whose rows are there already."""
        connection.executemany("DELETE FROM total WHERE session = ? AND quarter = ?", self._again)
        connection.executemany(
            f"{SUM} WHERE session = ? AND quarter = ? GROUP BY 1, 2, 3, 4", self._again
        )
        connection.executemany(
            _ADD,
            [
                (*cell, *counts, *self._times[cell])
                for cell, counts in self._cells.items()
                if cell[:2] not in self._again
            ],
        )


def _cell(row: Row) -> tuple[int, int, int, int]:
    return row[16], _at(row) // QUARTER if _at(row) > 0 else 0, row[17], row[5]


def _at(row: Row) -> int:
    return row[3] or 0


def _counts(row: Row) -> list[int]:
    pico = row[15]
    return [*row[6:10], row[12], pico or 0, pico is None, not row[4], 1]
