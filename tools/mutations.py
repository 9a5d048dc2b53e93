"""A module's source -> small faults that a test should notice, each a place and another text."""

import ast
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
}
# Their arguments may be in any order: to swap them makes no fault.
_COMMUTATIVE = {"gcd", "isclose", "max", "min"}
# Keywords that are notes for whoever reads or checks, and decide nothing here.
_NOTES = {"strict", "frozen", "kw_only", "stacklevel"}


class Mutant(NamedTuple):
    """One fault: bytes of a file and what stands there instead."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    text: str
    statement: int  # where the statement around it begins
    at_import: bool  # whether it runs once, when the module is loaded

    @property
    def name(self) -> str:
        """What tells it from all others of the same tree."""
        return f"{self.path}:{self.start}-{self.end}:{self.text}"

    def applied(self, source: bytes) -> bytes:
        """The module with the fault in it."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> str:
        """The fault in one line."""
        before = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line} {self.kind}: `{before}` -> `{self.text}`"


class _Place(NamedTuple):
    """Where a walk is."""

    statement: int
    at_import: bool


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every fault that can be made in a module, in the order of its lines."""
    starts = [0]
    for text_line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text_line))
    found = []
    for node, place in _walk(ast.parse(source), _Place(1, True)):
        for kind, target, text in _faults(node):
            start, end = _span(target, starts)
            if source[start:end].decode() != text:
                line = target.lineno
                found.append(Mutant(path, line, kind, start, end, text, *place))
    return sorted(set(found), key=lambda one: (one.start, one.end, one.text))


def sample(found: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Some of them, by chance, of each package its share and at least one; one of a line."""
    by_package = {
        name: _one_a_line(list(group), f"{seed} {name}")
        for name, group in groupby(sorted(found), key=lambda one: package_of(one.path))
    }
    total = sum(map(len, by_package.values()))
    chosen: list[Mutant] = []
    for group in by_package.values():
        chosen += group[: max(1, round(count * len(group) / max(total, 1)))]
    random.Random(seed).shuffle(chosen)  # noqa: S311 - the same every time
    return chosen[:count]


def package_of(path: str) -> str:
    """The package that a module of src/unspool is in."""
    parts = Path(path).parts[2:]
    return parts[0] if len(parts) > 1 else "unspool"


def _one_a_line(group: list[Mutant], seed: str) -> list[Mutant]:
    """One fault of each line, no kind more likely than another of that line."""
    chance = random.Random(seed)  # noqa: S311 - the same every time
    lines: dict[tuple[str, int], dict[str, list[Mutant]]] = {}
    for one in group:
        lines.setdefault((one.path, one.line), {}).setdefault(one.kind, []).append(one)
    found = [chance.choice(kinds[chance.choice(sorted(kinds))]) for kinds in lines.values()]
    chance.shuffle(found)
    return found


def _span(node: ast.expr | ast.stmt, starts: list[int]) -> tuple[int, int]:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end


def _walk(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    """Every node that decides something: no annotations, decorators, docstrings or f-strings."""
    if isinstance(node, ast.stmt):
        place = place._replace(statement=node.lineno)
    yield node, place
    for name, value in ast.iter_fields(node):
        inside = place
        if isinstance(node, _Function) and name == "body":
            inside = place._replace(at_import=False)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_alone(node, name, child):
                yield from _walk(child, inside)


def _is_left_alone(node: ast.AST, name: str, child: ast.AST) -> bool:
    if name in ("annotation", "returns", "decorator_list", "bases"):
        return True
    if isinstance(child, ast.JoinedStr):
        return True  # before Python 3.12 nobody knows where its parts stand
    if isinstance(node, ast.ClassDef) and name == "keywords":
        return True
    if isinstance(child, ast.keyword) and child.arg in _NOTES:
        return True
    return isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)


def _faults(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    for kind, make in _KINDS.items():
        for target, text in make(node):
            yield kind, target, text


def _comparison(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            for other in _COMPARISONS[type(op)]:
                new = deepcopy(node)
                new.ops[at] = other()
                yield node, _in_brackets(new)


def _boolean(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.BoolOp):
        new = deepcopy(node)
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, _in_brackets(new)


def _negation(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, _in_brackets(node.operand)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        is_said = isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
        if not is_said:
            yield node.test, f"(not {_in_brackets(node.test)})"


def _constant(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node.value, int):
        for new in (node.value + 1, node.value - 1):
            yield node, str(new) if new >= 0 else f"({new})"


def _arithmetic(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        new = deepcopy(node)
        new.op = _ARITHMETIC[type(node.op)]()
        yield node, _in_brackets(new)


def _statement(node: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
    if is_call or isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Delete):
        yield node, "pass"  # type: ignore[misc]


def _returned(node: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    if isinstance(node, ast.Return) and node.value is not None:
        empty = {ast.List: "[]", ast.ListComp: "[]", ast.Dict: "{}", ast.DictComp: "{}"}
        yield node, f"return {empty.get(type(node.value), 'None')}"


def _swapped(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Call) and len(node.args) > 1 and not _is_commutative(node.func):
        first, second = node.args[:2]
        if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
            new = deepcopy(node)
            new.args[:2] = [second, first]
            yield node, ast.unparse(new)


def _is_commutative(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    return name in _COMMUTATIVE


def _in_brackets(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


_KINDS: dict[str, Callable[[ast.AST], Iterator[tuple[ast.expr | ast.stmt, str]]]] = {
    "comparison": _comparison,
    "and/or": _boolean,
    "not": _negation,
    "constant": _constant,
    "arithmetic": _arithmetic,
    "removed": _statement,
    "returned": _returned,
    "swapped": _swapped,
}
