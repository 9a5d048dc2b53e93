"""Source -> what no command, route or library call reaches: modules, functions and classes."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path("src/unspool")
# Where a process begins. Commands, too: `unspool.cli` loads them by name.
ENTRIES = (
    "unspool",
    "unspool.__main__",
    "unspool.cli",
    "unspool.cli.child",
)

# What is not reached and stays, and why: a module, or a name in it.
_BUILDER = "tests write transcripts with it"
_LIBRARY = "a call of the library that docs/library.md shows"
_CONTRACT = "the reference that every store is compared with in the contract's tests"
ALLOWED = {
    "unspool.demo.lines.dicts": _BUILDER,
    "unspool.demo.lines.save": _BUILDER,
    "unspool.demo.transcript.thinks": _BUILDER,
    "unspool.engine.workspace.follow_board": _LIBRARY,
    "unspool.model.sidecars.WorkflowRun": "its field names are words that anonymising keeps",
    "unspool.store.memory": _CONTRACT,
    "unspool.store.memory_activity": _CONTRACT,
    "unspool.store.memory_edits": _CONTRACT,
    "unspool.store.memory_events": _CONTRACT,
    "unspool.store.memory_reader": _CONTRACT,
    "unspool.store.memory_rows": _CONTRACT,
}

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PLAIN_BASES = {"Struct", "NamedTuple", "Protocol", "Generic", "Exception"}
_TEMPLATES = ("*.html", "*.js", "*.xml", "*.svg")


class Definition(NamedTuple):
    """A public function, method or class, and the lines it stands on."""

    module: str
    name: str
    first: int
    last: int


class Use(NamedTuple):
    """A place where a name is mentioned."""

    module: str
    line: int


def modules(root: Path) -> dict[str, ast.Module]:
    """Every module of the package by its name."""
    found = {}
    for path in sorted((root / SOURCE).rglob("*.py")):
        parts = path.relative_to(root / SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: ast.parse(path.read_bytes()) for name, path in found.items()}


def unreached(trees: dict[str, ast.Module]) -> list[str]:
    """Modules that no chain of imports leads to."""
    commands = [name for name, tree in trees.items() if _is_command(name, tree)]
    waiting, reached = [*ENTRIES, *commands], set[str]()
    while waiting:
        name = waiting.pop()
        if name in trees and name not in reached:
            reached.add(name)
            waiting += [name.rpartition(".")[0], *_imports(trees[name])]
    return [name for name in trees if name not in reached]


def unused(root: Path, trees: dict[str, ast.Module]) -> Iterator[Definition]:
    """Public functions, methods and classes that nothing but themselves mentions."""
    uses: dict[str, list[Use]] = defaultdict(list)
    for module, tree in trees.items():
        for name, line in _names(module, tree):
            uses[name].append(Use(module, line))
    in_templates = _words(root)
    for module, tree in trees.items():
        for one in _definitions(module, tree):
            if one.name not in in_templates and all(_is_within(use, one) for use in uses[one.name]):
                yield one


def _is_command(name: str, tree: ast.Module) -> bool:
    has_run = any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body)
    return has_run and name.rpartition(".")[0] == "unspool.cli"


def _imports(tree: ast.Module) -> Iterator[str]:
    """What a module imports; of `from a import b` both a and a.b, whichever is one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _names(module: str, tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that a module mentions. An import is none: what is imported is mentioned below it."""
    is_library = module == "unspool"  # its names are for others to mention
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.end_lineno or node.lineno
        elif is_library and isinstance(node, ast.alias):
            yield node.name, node.lineno
        for text in _annotations(node) if not is_library else _strings(node):
            yield from ((word, text.lineno) for word in _WORD.findall(str(text.value)))


def _annotations(node: ast.AST) -> Iterator[ast.Constant]:
    """Annotations in quotes."""
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        yield from _strings(*ast.walk(node.annotation))
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
        yield from _strings(*ast.walk(node.returns))


def _strings(*nodes: ast.AST) -> Iterator[ast.Constant]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def _definitions(module: str, tree: ast.Module) -> Iterator[Definition]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    owners: list[ast.Module | ast.ClassDef] = [tree]
    owners += (one for one in classes if not _is_called_from_outside(one, tree))
    for node in (node for owner in owners for node in owner.body):
        if isinstance(node, _DEFINITIONS) and not node.name.startswith("_"):
            yield Definition(module, node.name, node.lineno, node.end_lineno or node.lineno)


def _is_called_from_outside(one: ast.ClassDef, tree: ast.Module) -> bool:
    """Whether a class stands on one of another package, which may call its methods."""
    bases = {name for base in one.bases for name, _ in _names("", base)} - _PLAIN_BASES
    imports = (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    outside = (node for node in imports if not _is_ours(node))
    return any(alias.name in bases for node in outside for alias in node.names)


def _is_ours(node: ast.Import | ast.ImportFrom) -> bool:
    name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
    return (name or "").startswith("unspool")


def _is_within(use: Use, one: Definition) -> bool:
    return use.module == one.module and one.first <= use.line <= one.last


def _words(root: Path) -> set[str]:
    paths = (path for kind in _TEMPLATES for path in (root / SOURCE).rglob(kind))
    return {word for path in paths for word in _WORD.findall(path.read_text())}


def faults(root: Path) -> Iterable[str]:
    """A sentence for each thing that is dead, and for each that is allowed to be and is not."""
    trees = modules(root)
    lost = unreached(trees)
    found = {name: "is reached by no import" for name in lost}
    # What only a dead module uses is dead with it.
    alive = {name: tree for name, tree in trees.items() if name not in lost or name in ALLOWED}
    alone = [one for one in unused(root, alive) if one.module not in lost]
    found |= {f"{one.module}.{one.name}": f"(line {one.first}) is never used" for one in alone}
    yield from (f"{name} {why}" for name, why in found.items() if name not in ALLOWED)
    yield from (f"{name} is in use: take it from ALLOWED" for name in ALLOWED if name not in found)


def main(root: Path) -> int:
    """Print what is dead; 1 when anything is."""
    said = list(faults(root))
    print("\n".join(said) or "dead: everything is reached")
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
