"""Source and tests -> what is missing: each module has its test file, each test file its module."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE, TESTS = Path("src/unspool"), Path("tests")

# Tests that have no module of their own, and why.
WITHOUT_MODULE = {
    "benchmarks": "they mirror benchmarks/, not the package",
    "browser": "a page is made by many rooms",
    "chaos": "a process that dies takes all rooms with it",
    "corpus": "real transcripts go through all rooms",
    "e2e": "a command goes through all rooms",
    "fuzz": "hostile bytes, whichever room reads them",
    "tools": "they mirror tools/, not the package",
}


def _is_code(node: ast.AST) -> bool:
    """A function that decides something: not a stub, not a property that only names a value."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = [line for line in node.body if not _is_constant(line)]
    names_a_value = bool(node.decorator_list) and all(isinstance(x, ast.Return) for x in body)
    return bool(body) and not names_a_value


def _is_constant(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def has_code(module: Path) -> bool:
    """Whether a module does anything; one that only says what things are called needs no test."""
    return any(map(_is_code, ast.walk(ast.parse(module.read_bytes()))))


def untested(root: Path) -> Iterator[tuple[Path, Path]]:
    """Modules of a room that have code and no test file, each with the file it needs."""
    source = root / SOURCE
    for module in sorted(source.glob("*/**/*.py")):
        place = module.relative_to(source)
        test = TESTS / place.with_name(f"test_{place.name}")
        if not place.name.startswith("__") and has_code(module) and not (root / test).exists():
            yield SOURCE / place, test


def astray(root: Path) -> Iterator[Path]:
    """Test files in a room that has no module, package or beginning of that name."""
    tests = root / TESTS
    for test in sorted(tests.glob("*/**/test_*.py")):
        place = test.relative_to(tests)
        if place.parts[0] not in WITHOUT_MODULE and not _has_module(root / SOURCE, place):
            yield TESTS / place


def _has_module(source: Path, place: Path) -> bool:
    """test_tail_faults.py belongs to tail.py too: a long test file is cut by what it claims."""
    words = place.stem.removeprefix("test_").split("_")
    names = ("_".join(words[:end]) for end in range(1, len(words) + 1))
    stems = (source / place.with_name(name) for name in names)
    return any(stem.with_suffix(".py").exists() or stem.is_dir() for stem in stems)


def main(root: Path) -> int:
    """Print what does not match; 1 when anything does not."""
    faults = [f"{module} has no {test}" for module, test in untested(root)]
    faults += [f"{test} has no module in {SOURCE}" for test in astray(root)]
    print("\n".join(faults) or "mirror: every module has its tests")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
