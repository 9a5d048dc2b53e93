"""Small faults, one at a time -> which of them no test notices: `make mutants ARGS="--count 300"`.

Tests are chosen by coverage: one run notes which tests run which lines. A fault is noticed when one
of those tests fails. Everything happens in copies of the tree below build/mutants, by its contents:
what was done is not done again, and a run that was stopped goes on.
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Event, Lock
from typing import NamedTuple, TypeAlias

import pytest

from tools.coverage_map import NOTES, CoverageMap
from tools.mutations import Mutant, mutants, package_of, sample

ROOT = Path(__file__).parent.parent
SOURCE = "src/unspool"
_TEXTS = f"{SOURCE}/demo/stories/"  # what the demo shows: another word or number there is no fault
_MARK = "MUTANTS_RUN"  # in the environment of all that a run starts
# As in `make test`, without plugins that no test of a fault needs, and the same every time.
_PYTEST = ("-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:faker")
_PATIENCE = 60  # seconds, and five times what the tests should take
_OUTCOMES = {0: "survived", 1: "killed"}

Results: TypeAlias = dict[str, "Result"]


class Result(NamedTuple):
    """What became of one fault."""

    outcome: str  # killed, survived, timeout, broken (no test could begin), doubtful or untested
    tests: int
    is_whole: bool  # whether there was time for every test that runs the line
    failed: str  # the test that noticed
    seconds: float


class Copies:
    """Copies of the tree, one for each worker."""

    def __init__(self, home: Path, count: int) -> None:
        self.home, self._free = home, Queue[Path]()
        files = tracked(ROOT)
        for number in range(count):
            place = home / f"tree-{number}"
            shutil.rmtree(place, ignore_errors=True)
            for file in files:
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, place / file)
            self._free.put(place)

    def take(self) -> Path:
        """One that nobody works in."""
        return self._free.get()

    def give(self, place: Path) -> None:
        """Give it back."""
        self._free.put(place)


def tracked(root: Path) -> list[str]:
    """The files of the tree, without what is ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=True)  # noqa: S603
    names = [name for name in done.stdout.decode().split("\0") if name]
    return sorted(name for name in set(names) if (root / name).is_file())


def digest(root: Path, files: Iterable[str], also: str) -> str:
    """Differs when any file does."""
    found = hashlib.sha256(also.encode())
    for file in files:
        found.update(f"{file}\0".encode() + hashlib.sha256((root / file).read_bytes()).digest())
    return found.hexdigest()[:12]


def run_tests(
    place: Path, given: Sequence[str], seconds: float | None, also: Mapping[str, str] = {}
) -> tuple[int | None, str]:
    """Exit code, None after too long, and what was said; nothing that was started lives on."""
    mark = f"{place}-{os.getpid()}-{os.urandom(4).hex()}"
    environment = {
        **os.environ,
        **also,
        "PYTHONPATH": os.pathsep.join([str(place / "src"), str(place)]),
        "UNSPOOL_CORPUS": os.environ.get("UNSPOOL_CORPUS", str(ROOT.parent / "shared" / "corpus")),
        "CI": "true",  # Hypothesis tries the same every time
        _MARK: mark,
    }
    # A run of our own may itself be a test that one of several workers runs.
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    with subprocess.Popen(  # noqa: S603
        [sys.executable, *_PYTEST, *given],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            code, said = None, ""
        finally:
            end_all(mark)
            process.kill()
    return code, said


def end_all(mark: str) -> None:
    """End what runs have started whose marks begin like this, whichever session it moved to."""
    begin = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if any(one.startswith(begin) for one in entry.read_bytes().split(b"\0")):
                os.kill(int(entry.parent.name), signal.SIGKILL)


def collect(home: Path, place: Path, tests: Sequence[str], workers: int) -> CoverageMap:
    """Run the tests once with coverage, unless that was done."""
    coverage, notes, done = home / "coverage", home / "notes.jsonl", home / "collected"
    if not done.exists():
        print("Running the tests once, with coverage ...", flush=True)
        notes.unlink(missing_ok=True)
        settings = home / "settings.ini"  # not coverage.*: those are erased at the start
        settings.write_text(f"[run]\nbranch = false\nsource = {place / SOURCE}\n")
        os.environ.update({NOTES: str(notes), "COVERAGE_FILE": str(coverage)})
        asked = [
            "-p",
            "tools.coverage_map",
            "--cov",
            f"--cov-config={settings}",
            "--cov-context=test",
        ]
        spread = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else []
        code, said = run_tests(place, [*asked, "--cov-report=", *spread, *tests], None)
        if code not in (0, 1) or not notes.exists():
            sys.exit(f"The tests could not be run (exit code {code}):\n{said[-4000:]}")
        done.write_text(str(place))
    return CoverageMap(Path(done.read_text()), coverage, notes)


class Judge:
    """Tries one fault after the other, and keeps what became of it."""

    def __init__(self, home: Path, known: CoverageMap, copies: Copies, budget: float) -> None:
        self._known, self._copies, self._budget = known, copies, budget
        self._path, self._lock = home / "results.jsonl", Lock()
        self._stop = Event()
        self.results: Results = {}
        if self._path.exists():
            for line in self._path.read_text().splitlines():
                name, *rest = json.loads(line)
                self.results[name] = Result(*rest)

    def stop(self) -> None:
        """Try no more; what is being tried is ended and forgotten."""
        self._stop.set()
        end_all(f"{self._copies.home}/")

    def judge(self, mutant: Mutant) -> None:
        """Find out whether a test notices this fault, unless that is known."""
        if mutant.name not in self.results and not self._stop.is_set():
            tests, is_whole = self._known.tests(mutant, self._budget)
            place = self._copies.take()
            try:
                done = self._tried(mutant, tests, is_whole, place) if tests else _UNTESTED
            finally:
                self._copies.give(place)
            if not self._stop.is_set():
                self._keep(mutant, done)

    def _tried(self, mutant: Mutant, tests: list[str], is_whole: bool, place: Path) -> Result:
        """Twice where a test failed that fails without the fault, too."""
        expected = self._known.seconds(tests)
        with Fault(place, mutant):
            code, failed = _asked(place, tests, expected)
            if code == pytest.ExitCode.USAGE_ERROR:  # the names of some depend on what is faulty
                files = sorted({name.partition("::")[0] for name in tests})
                code, failed = _asked(place, files, expected)
        outcome = "timeout" if code is None else _OUTCOMES.get(code, "broken")
        if outcome == "survived" and not self._known.running(mutant):
            outcome = "untested"  # by any test in its own process, and those nearest let it pass
        if outcome == "killed" and _asked(place, [failed], expected)[0] != 0:
            outcome = "doubtful"
        return Result(outcome, len(tests), is_whole, failed, round(expected, 1))

    def _keep(self, mutant: Mutant, result: Result) -> None:
        with self._lock:
            self.results[mutant.name] = result
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps([mutant.name, *result]) + "\n")
            print(f"{result.outcome:9} {mutant.path}:{mutant.line} {mutant.kind}", flush=True)


_UNTESTED = Result("untested", 0, True, "", 0.0)


class Fault:
    """A fault in a copy of the tree, for as long as the block lasts."""

    def __init__(self, place: Path, mutant: Mutant) -> None:
        self._path, self._mutant = place / mutant.path, mutant
        self._source = self._path.read_bytes()

    def __enter__(self) -> None:
        self._write(self._mutant.applied(self._source))

    def __exit__(self, *_: object) -> None:
        self._write(self._source)

    def _write(self, data: bytes) -> None:
        # One of the same size and second would be taken for the one that was compiled before.
        at = int(self._path.stat().st_mtime) + 2
        self._path.write_bytes(data)
        os.utime(self._path, (at, at))


def _asked(place: Path, tests: list[str], expected: float) -> tuple[int | None, str]:
    """How these tests end, and the one that failed."""
    chosen = place / "chosen-tests"
    chosen.write_text("\n".join(tests) + "\n")
    given = ["-x", "-rfE", "-p", "no:schemathesis", "-p", "no:xdist", f"@{chosen}"]
    code, said = run_tests(place, given, _PATIENCE + 5 * expected)
    failed = failed_test(said)
    return (1 if code == 1 and failed else code if code != 1 else 3), failed


def failed_test(said: str) -> str:
    """The first test that pytest lists as failed; what tests log may begin with ERROR, too."""
    summary = said.rpartition(" short test summary info ")[2].splitlines()
    lines = [line for line in summary if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].split(" ", 1)[1].split(" - ")[0] if lines else ""


def table(chosen: Sequence[Mutant], results: Results) -> Iterator[str]:
    """How each package did, and all together."""
    names = ("killed", "survived", "untested", "timeout", "broken", "doubtful")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in chosen:
        if mutant.name in results:
            for row in (package_of(mutant.path), "all"):
                counts[row][results[mutant.name].outcome] += 1
    yield f"| package | {' | '.join(names)} | killed % |"
    yield f"|---|{'--:|' * (len(names) + 1)}"
    for row in [*sorted(set(counts) - {"all"}), *(["all"] if counts else [])]:
        found = counts[row]
        judged = found["killed"] + found["survived"] + found["untested"]
        share = f"{100 * found['killed'] / judged:.0f}" if judged else "-"
        yield f"| {row} | {' | '.join(str(found[name]) for name in names)} | {share} |"


def survivors(chosen: Sequence[Mutant], results: Results) -> Iterator[str]:
    """What nobody noticed, and what could not be judged."""
    for mutant in sorted(chosen):
        result = results.get(mutant.name)
        if result and result.outcome != "killed":
            of = f"{result.tests} tests" if result.is_whole else f"the first {result.tests} tests"
            shown = mutant.shown((ROOT / mutant.path).read_bytes())
            yield f"- {result.outcome}: {shown} ({of})"


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many faults (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--package", action="append", help="only of this package; repeatable")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests a fault (60)")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="the tests to choose from")
    return parser.parse_args(arguments)


def every_mutant(packages: Sequence[str] | None) -> list[Mutant]:
    """Every fault that can be made in some packages, or all."""
    paths = [str(path.relative_to(ROOT)) for path in sorted((ROOT / SOURCE).rglob("*.py"))]
    code = [path for path in paths if not path.startswith(_TEXTS)]
    chosen = [path for path in code if not packages or package_of(path) in packages]
    return [one for path in chosen for one in mutants(path, (ROOT / path).read_bytes())]


def main(given: argparse.Namespace) -> int:
    """Collect, try, tell."""
    files = tracked(ROOT)
    home = ROOT / "build" / "mutants" / digest(ROOT, files, " ".join(sorted(given.tests)))
    home.mkdir(parents=True, exist_ok=True)
    chosen = sample(every_mutant(given.package), given.count, given.seed)
    copies = Copies(home, given.workers)
    place = copies.take()
    known = collect(home, place, given.tests, given.workers)
    copies.give(place)
    for name in known.failing:
        print(f"not used: {name} fails or is skipped without any fault", flush=True)
    judge = Judge(home, known, copies, given.budget)
    pool = ThreadPoolExecutor(given.workers)
    try:
        list(pool.map(judge.judge, chosen))
    except KeyboardInterrupt:
        judge.stop()
        print("Stopped: the same command goes on from here.", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    report = "\n".join([*table(chosen, judge.results), "", *survivors(chosen, judge.results), ""])
    (home / "report.md").write_text(report)
    print(f"\n{report}\n{home / 'report.md'}")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(options()))
