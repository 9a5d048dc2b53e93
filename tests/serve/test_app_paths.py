"""Ids are looked up, never made into paths: no route opens a file outside roots and home."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.serve.asking import ask, knock
from tests.serve.served import Served
from tests.serve.traversals import traversals
from tests.serve.walks import Way, ways

CANARY = "canary-outside"
KNOWN = {"project_id": "-home-dev-kettle", "session_id": "session-one"}

OPENINGS = ("open", "os.scandir", "os.listdir")


@contextmanager
def opened() -> Iterator[list[str]]:
    """Every file and directory this process opens meanwhile."""
    paths: list[str] = []
    is_over = Event()

    def note(event: str, args: tuple[object, ...]) -> None:
        if event in OPENINGS and not is_over.is_set() and isinstance(args[0], str | bytes):
            paths.append(os.path.abspath(os.fsdecode(args[0])))

    sys.addaudithook(note)  # it cannot be taken away again, only told not to look
    try:
        yield paths
    finally:
        is_over.set()


def strays(paths: list[str], *inside: Path) -> set[str]:
    """What was opened elsewhere; the interpreter's own files and /proc are no one's data."""
    own = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), "/proc", "/dev")
    allowed = (*map(str, inside), *own)
    return {path for path in paths if not path.startswith(allowed)}


@pytest.fixture
def outside(tmp_path: Path, place: Path) -> Path:
    """A transcript beside the root, and links to it inside."""
    made = tmp_path / "outside" / "secret.jsonl"
    made.parent.mkdir()
    source = next(place.glob("projects/*/session-one.jsonl"))
    made.write_text(source.read_text().replace("alpha", CANARY))
    source.with_name("link.jsonl").symlink_to(made)
    (place / "projects" / "linked").symlink_to(made.parent, target_is_directory=True)
    return made


def aimed(way: Way, name: str, value: str) -> str:
    """A way's path with one id replaced and all others right."""
    path = way.path
    for known in way.names:
        path = path.replace(f"{{{known}}}", value if known == name else KNOWN.get(known, "x"))
    return path


def try_all(site: Served, place: Path, home: Path, values: list[str]) -> None:
    every = ways(site.app)  # making an app imports, and so opens files
    with opened() as paths:
        for way in (way for way in every if way.method != "OPTIONS"):
            for name, value in ((name, value) for name in way.names for value in values):
                path = aimed(way, name, value)
                answer = (
                    ask(site.guard, way.method, path) if way.method else knock(site.guard, path)
                )
                assert answer.status < 500, (way, value)
                assert CANARY.encode() not in answer.body, (way, value)
    assert strays(paths, place, home) == set()


def test_no_traversal_leads_outside(site: Served, place: Path, home: Path, outside: Path) -> None:
    try_all(site, place, home, traversals(str(outside))[::15])


@pytest.mark.slow
def test_not_one_of_five_hundred_traversals_leads_outside(
    site: Served, place: Path, home: Path, outside: Path
) -> None:
    values = traversals(str(outside))

    assert len(values) >= 500
    try_all(site, place, home, values)


def test_the_hook_sees_what_is_opened(
    site: Served, place: Path, home: Path, tmp_path: Path
) -> None:
    """The proof of the proofs above: it sees our own reading, and would see a stranger's."""
    with opened() as paths:
        site.ask("/api/sessions/-home-dev-kettle/session-one")
        (tmp_path / "elsewhere").touch()
        (tmp_path / "elsewhere").read_bytes()

    assert any(path.endswith("session-one.jsonl") for path in paths)
    assert strays(paths, place, home) == {str(tmp_path / "elsewhere")}


@pytest.mark.parametrize("target", ["-home-dev-kettle/link", "linked/secret"])
def test_a_link_is_no_session(site: Served, outside: Path, target: str) -> None:
    assert outside.exists()
    assert site.ask(f"/api/sessions/{target}").status_code == 404


class Swapping(Thread):
    """A file that is now itself, now a link to another, as fast as it goes."""

    def __init__(self, path: Path, target: Path) -> None:
        super().__init__()
        self.count, self.stop = 0, Event()
        self._path, self._target, self._bytes = path, target, path.read_bytes()

    def run(self) -> None:
        real, link = self._path.with_suffix(".real"), self._path.with_suffix(".link")
        while not self.stop.is_set():
            real.write_bytes(self._bytes)
            link.symlink_to(self._target)
            os.replace(link, self._path)
            os.replace(real, self._path)
            self.count += 1


def race(site: Served, place: Path, outside: Path, swaps: int) -> set[int]:
    """Ask for a session until its file has been swapped so often; how it was answered."""
    swapping = Swapping(next(place.glob("projects/*/session-one.jsonl")), outside)
    swapping.start()
    found = set()
    try:
        while swapping.count < swaps:
            answer = ask(site.guard, "GET", "/api/sessions/-home-dev-kettle/session-one")
            assert CANARY.encode() not in answer.body
            found.add(answer.status)
    finally:
        swapping.stop.set()
        swapping.join()
    return found


def test_a_link_put_in_place_of_a_session_meanwhile_is_not_followed(
    site: Served, place: Path, outside: Path
) -> None:
    assert race(site, place, outside, 250) <= {200, 404, 410}


@pytest.mark.slow
def test_ten_thousand_swaps_lead_nowhere(site: Served, place: Path, outside: Path) -> None:
    assert race(site, place, outside, 10_000) <= {200, 404, 410}
