"""One run of the tests with coverage -> which tests run which lines, and how long they take."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from coverage import CoverageData

from tools.mutations import Mutant

NOTES = "MUTANTS_NOTES"  # where the plugin below writes


class Note(NamedTuple):
    """How one test went."""

    setup: float
    call: float
    passed: bool


class CoverageMap:
    """Tests by line; those that fail without any fault are in no answer."""

    def __init__(self, root: Path, coverage: Path, notes: Path) -> None:
        self._root = root
        self._data = CoverageData(str(coverage))
        self._data.read()
        self.notes = read_notes(notes)
        self.failing = sorted(name for name, note in self.notes.items() if not note.passed)
        self._lines: dict[str, dict[int, set[str]]] = {}
        self._setups: dict[str, float] = {}
        self._files: dict[str, list[str]] = {}
        for name, note in self.notes.items():
            file = name.partition("::")[0]
            self._files.setdefault(file, []).append(name)
            self._setups[file] = max(self._setups.get(file, 0.0), note.setup)

    def tests(self, mutant: Mutant, budget: float) -> tuple[list[str], bool]:
        """Tests that run a line, nearest and quickest first; whether there was time for all."""
        near = Path("tests", *Path(mutant.path).with_suffix("").parts[2:])
        found = self.running(mutant) or set(self._mirrored(near))
        ordered = sorted(found, key=lambda name: (_distance(name, near), self._cost(name), name))
        chosen: list[str] = []
        files: set[str] = set()
        for name in ordered:
            file = name.partition("::")[0]
            cost = self.notes[name].call + (0 if file in files else self._setups[file])
            if cost > budget and chosen:
                continue
            budget -= cost
            files.add(file)
            chosen.append(name)
        return chosen, len(chosen) == len(ordered)

    def seconds(self, tests: Iterable[str]) -> float:
        """How long these take together."""
        names = list(tests)
        files = {name.partition("::")[0] for name in names}
        return sum(self.notes[name].call for name in names) + sum(
            self._setups[one] for one in files
        )

    def running(self, mutant: Mutant) -> set[str]:
        """The tests that run the line."""
        lines = self._lines.get(mutant.path)
        if lines is None:
            lines = self._lines[mutant.path] = self._read(mutant.path)
        if mutant.at_import:  # run once, for whoever came first: anybody who uses the module
            return set().union(*lines.values())
        return lines.get(mutant.line) or lines.get(mutant.statement) or set()

    def _read(self, path: str) -> dict[int, set[str]]:
        contexts = self._data.contexts_by_lineno(str(self._root / path))
        return {line: self._passing(self._named(names)) for line, names in contexts.items()}

    def _named(self, contexts: Iterable[str]) -> Iterator[str]:
        """The tests of some contexts; a fixture may be of all tests of a file."""
        for context in contexts:
            name, _, phase = context.rpartition("|")
            if phase == "setup":
                yield from self._files[name.partition("::")[0]]
            elif name:
                yield name

    def _passing(self, names: Iterable[str]) -> set[str]:
        return {name for name in names if name in self.notes and self.notes[name].passed}

    def _mirrored(self, near: Path) -> Iterator[str]:
        """Tests of the package, for lines that run in other processes or while modules load."""
        return (name for name in self._passing(self.notes) if _is_near(name, Path(*near.parts[:2])))

    def _cost(self, name: str) -> float:
        return self.notes[name].call + self._setups[name.partition("::")[0]]


def _distance(name: str, near: Path) -> int:
    """How many directories up from a module's own tests a test is."""
    places = enumerate((near, *near.parents))
    return next(n for n, place in places if _is_near(name, place))


def _is_near(name: str, near: Path) -> bool:
    """Whether a test is in the file that mirrors a module, or a directory."""
    file = Path(name.partition("::")[0])
    if file.is_relative_to(near):
        return True
    return file.parent == near.parent and file.stem.startswith(f"test_{near.name}")


def read_notes(path: Path) -> dict[str, Note]:
    """What the plugin wrote."""
    found: dict[str, Note] = {}
    for line in path.read_text().splitlines():
        name, when, seconds, is_fine = json.loads(line)
        setup, call, passed = found.get(name, Note(0.0, 0.0, True))
        if when == "setup":
            setup += seconds
        else:
            call += seconds
        found[name] = Note(setup, call, passed and is_fine)
    return found


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """As a plugin: note how long each test took and how it went; a skipped one tests nothing."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        return  # it is told to the one who writes
    note: list[Any] = [report.nodeid, report.when, report.duration, report.outcome == "passed"]
    with open(os.environ[NOTES], "a", encoding="utf-8") as file:
        file.write(json.dumps(note) + "\n")
