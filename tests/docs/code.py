"""What the source says of itself: its strings, and the variables it reads."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.conftest import REPOSITORY

SOURCE = REPOSITORY / "src" / "unspool"
_VARIABLE = re.compile(r"[A-Z]{2,}(_[A-Z]+)*")
_AROUND = {"env", "environ"}


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module; the stories of the demo are not about unspool."""
    modules = (path for path in SOURCE.rglob("*.py") if "demo" not in path.parts)
    return {path: ast.parse(path.read_bytes()) for path in modules}


def tree(path: str) -> ast.Module:
    """One module, by its path below the package."""
    return ast.parse((SOURCE / path).read_bytes())


@cache
def sentences() -> tuple[str, ...]:
    """Every string, with … for what is filled in."""
    nodes = (node for module in trees().values() for node in ast.walk(module))
    return tuple(text for node in nodes if (text := _text(node)))


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "…" for part in node.values)
    return ""


def constants(node: ast.AST) -> Iterator[str]:
    """The strings in a piece of code."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


@cache
def variables() -> set[str]:
    """Environment variables that are read.

    A function that has the environment, or a list that such a module keeps, names them in capitals.
    """
    found = set[str]()
    for module in trees().values():
        if _AROUND & _names(module):
            parts = [node for node in ast.walk(module) if _can_read(node)]
            found |= {text for part in parts for text in constants(part)}
    return {text for text in found if _VARIABLE.fullmatch(text)}


def _can_read(node: ast.AST) -> bool:
    is_function = isinstance(node, ast.FunctionDef)
    is_list = isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Tuple)
    return (is_function and bool(_AROUND & _names(node))) or is_list


def _names(node: ast.AST) -> set[str]:
    inner = list(ast.walk(node))
    names = {one.id for one in inner if isinstance(one, ast.Name)}
    attributes = {one.attr for one in inner if isinstance(one, ast.Attribute)}
    return names | attributes | {one.arg for one in inner if isinstance(one, ast.arg)}


def keys_read(module: ast.Module) -> set[str]:
    """What a module asks tables for: `table.get("key")`, or a function of its own given it."""
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call))
    asking = (one for one in calls if _called(one) in ("get", "_price"))
    return {text for call in asking for argument in call.args for text in constants(argument)}


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def call_strings(called: str, *, argument: str) -> set[str]:
    """The strings that are given to a function, or a class, by a keyword."""
    return {
        text
        for module in trees().values()
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and _called(call) == called
        for keyword in call.keywords
        if keyword.arg == argument
        for text in constants(keyword.value)
    }
