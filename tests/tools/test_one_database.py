"""SQL stands in `store` alone: elsewhere a question is a method of the store."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "unspool"
# `unspool sql` hands on what its user typed; nobody else may.
USERS_OWN = SOURCE / "cli" / "sql.py"
# What people and tools say there is content of a demo: nothing runs it.
STORIES = SOURCE / "demo" / "stories"

_SQL = re.compile(
    r"\bSELECT\b[^;]+\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\b[^;]+\bSET\b"
    r"|\bDELETE\s+FROM\b|\bCREATE\s+(TABLE|VIEW|INDEX)\b|\bPRAGMA\b",
    re.S,
)
_RAW = {"sql", "execute", "executemany"}


def faults(text: str, *, may_ask: bool = False) -> Iterator[str]:
    """Statements in SQL, and calls of what takes them."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            if _SQL.search(_text(node)):
                yield f"line {node.lineno}: a statement in SQL"
        elif isinstance(node, ast.Attribute) and node.attr in _RAW and not may_ask:
            yield f"line {node.lineno}: .{node.attr}"


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(_text(one) if isinstance(one, ast.Constant) else "?" for one in node.values)


@pytest.mark.parametrize(
    "text",
    [
        'ASK = """\n    SELECT a\n    FROM b\n"""',
        'x = f"SELECT {name} FROM sessions"',
        'run("INSERT OR IGNORE INTO mark VALUES (?)")',
        'run("UPDATE session SET title = ?")',
        'run("DELETE FROM total")',
        'run("PRAGMA user_version")',
        "store.sql(text)",
        "ask = store.sql",
        "connection.execute(ask)",
    ],
)
def test_a_statement_and_a_way_to_run_one_are_found(text: str) -> None:
    assert len(list(faults(text))) == 1


@pytest.mark.parametrize("text", ['x = "SELECT …"', 'x = "update the set of rows"', "sql(text)"])
def test_words_that_only_look_like_it_are_not(text: str) -> None:
    assert list(faults(text)) == []


def test_no_sql_stands_outside_the_store() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {fault}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.is_relative_to(SOURCE / "store") and not path.is_relative_to(STORIES)
        for fault in faults(path.read_text("utf-8"), may_ask=path == USERS_OWN)
    ]

    assert found == []


def test_only_those_who_open_a_store_name_its_class() -> None:
    openers = {"cli/serve.py", "engine/stores.py"}
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if not path.is_relative_to(SOURCE / "store") and "SqliteStore" in path.read_text("utf-8")
    }

    assert found == openers
