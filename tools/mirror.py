"""Source and tests -> modules that the tests of their own package do not reach."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE, TESTS = Path("src/unspool"), Path("tests")


def _is_code(node: ast.AST) -> bool:
    """A function that decides something: not a stub, not a property that only names a value."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = [line for line in node.body if not _is_constant(line)]
    names_a_value = bool(node.decorator_list) and all(isinstance(x, ast.Return) for x in body)
    return bool(body) and not names_a_value


def _is_constant(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def has_code(tree: ast.Module) -> bool:
    """Whether a module does anything; one that only says what things are called needs no test."""
    return any(map(_is_code, ast.walk(tree)))


def imports(tree: ast.Module) -> Iterator[str]:
    """What a file imports, wherever it does; of `from a import b` both a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def untested(root: Path) -> Iterator[Path]:
    """Modules with code that no test of their package imports, directly or by way of others."""
    for package in sorted(path for path in (root / SOURCE).iterdir() if path.is_dir()):
        modules = {_name(root, path): path for path in sorted(package.rglob("*.py"))}
        trees = {name: ast.parse(path.read_bytes()) for name, path in modules.items()}
        tests = list((root / TESTS / package.name).rglob("*.py"))
        asked = {name for path in tests for name in imports(ast.parse(path.read_bytes()))}
        # A command is loaded by its name, and tested by it.
        named = {path.stem.removeprefix("test_") for path in tests}
        asked |= {name for name in trees if name.rpartition(".")[2] in named}
        reached = _reached(asked & trees.keys(), trees)
        for name in sorted(trees.keys() - reached):
            if has_code(trees[name]):
                yield modules[name].relative_to(root)


def _name(root: Path, path: Path) -> str:
    parts = path.relative_to(root / SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _reached(begin: set[str], trees: dict[str, ast.Module]) -> set[str]:
    reached, waiting = set[str](), list(begin)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [one for one in imports(trees[name]) if one in trees]
    return reached


def main(root: Path) -> int:
    """Print what is missing; 1 when anything is."""
    faults = [f"{module}: no test of its package imports it" for module in untested(root)]
    print("\n".join(faults) or "mirror: every package tests its modules")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
