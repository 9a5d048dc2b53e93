"""Somebody who writes transcripts while others read: in bits that end anywhere."""

from pathlib import Path
from random import Random
from threading import Event, Thread
from time import sleep

from unspool.demo import Transcript


class Writer:
    """Appends lines to some files until it is told to stop; every line is finished in the end."""

    def __init__(self, paths: list[Path], seed: int) -> None:
        self.lines: dict[Path, int] = dict.fromkeys(paths, 0)
        self._chance = Random(seed)
        self._stop = Event()
        self._number = 0
        self._thread = Thread(target=self._run)

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        waiting = dict.fromkeys(self.lines, b"")
        while not self._stop.is_set():
            path = self._chance.choice(list(waiting))
            waiting[path] = waiting[path] or self._line(path)
            cut = self._chance.randrange(1, len(waiting[path]) + 1)
            _append(path, waiting[path][:cut])
            waiting[path] = waiting[path][cut:]
            sleep(self._chance.choice([0, 0.001, 0.004]))
        for path, rest in waiting.items():
            _append(path, rest)

    def _line(self, path: Path) -> bytes:
        self._number += 1
        self.lines[path] += 1
        made = Transcript(uuid_prefix=f"{self._number}-")
        return made.says(f"wörd{self._number} 😀 {'ü' * self._chance.randrange(200)}").bytes()

    @property
    def written(self) -> int:
        """How many lines there are in all files together."""
        return self._number


def _append(path: Path, data: bytes) -> None:
    with open(path, "ab", buffering=0) as file:
        file.write(data)
