"""Whatever happens to the files, the index holds each complete line of each of them once."""

import os
import shutil
from contextlib import suppress
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.chaos.scene import Killed, Scene
from tests.derive.usage.books import TABLE
from tests.engine.indexing.views import Tables, tables
from tests.examples import examples
from unspool.demo import Transcript
from unspool.engine.indexing.rebuild import rebuild
from unspool.engine.indexing.verify import verify
from unspool.store.sqlite.store import SqliteStore

Places: TypeAlias = set[tuple[int, int, int, int]]  # source, generation, offset, length

NAMES = st.sampled_from(["s1", "s2", "s3"])
CHANCE = st.randoms(use_true_random=False)


class Histories(RuleBasedStateMachine):
    """Files that grow, tear, shrink, move and vanish beside an index that may die."""

    def __init__(self) -> None:
        super().__init__()
        self.scene = Scene()
        self.number = 0
        self.has_died = False

    def teardown(self) -> None:
        try:
            self.scene.sweep(quiet=True)
            self.scene.assert_nothing_is_lost()
            self.scene.assert_all_is_counted()
            self.scene.assert_sound()
        finally:
            self.scene.clean_up()

    def line(self, chance: Random) -> bytes:
        """One line that was never written before."""
        self.number += 1
        made = Transcript(uuid_prefix=f"{self.number}-")
        text = chance.choice(["héllo 😀 ", "x" * 300]) + str(self.number)
        if chance.random() < 0.3:
            return made.calls("Bash", command=text).bytes()
        return (made.says(text) if chance.random() < 0.5 else made.user(text)).bytes()

    def write(self, name: str, data: bytes, mode: str = "ab") -> None:
        path = self.scene.path(name)
        with open(path, mode) as file:
            file.write(data)
        self.scene.sign(path)

    def data(self, name: str) -> bytes:
        path = self.scene.path(name)
        return path.read_bytes() if path.exists() else b""

    @rule(name=NAMES, chance=CHANCE, count=st.integers(1, 4))
    def append(self, name: str, chance: Random, count: int) -> None:
        self.write(name, b"".join(self.line(chance) for _ in range(count)))

    @rule(name=NAMES, chance=CHANCE)
    def append_half_a_line(self, name: str, chance: Random) -> None:
        line = self.line(chance)
        self.write(name, line[: chance.randrange(1, len(line))])

    @rule(name=NAMES)
    def finish_the_line(self, name: str) -> None:
        self.write(name, b"\n")

    @rule(name=NAMES, chance=CHANCE)
    def append_without_a_newline(self, name: str, chance: Random) -> None:
        self.write(name, self.line(chance)[:-1])

    @rule(name=NAMES, chance=CHANCE)
    def glue_records(self, name: str, chance: Random) -> None:
        self.write(name, self.line(chance)[:-1] + self.line(chance))

    @rule(name=NAMES, chance=CHANCE)
    def append_zero_bytes(self, name: str, chance: Random) -> None:
        self.write(name, b"\0" * chance.randrange(1, 50) + self.line(chance))

    @rule(name=NAMES, chance=CHANCE)
    def truncate(self, name: str, chance: Random) -> None:
        self.write(name, self.data(name)[: chance.randrange(len(self.data(name)) + 1)], "wb")

    @rule(name=NAMES, chance=CHANCE, count=st.integers(1, 6))
    def truncate_and_regrow(self, name: str, chance: Random, count: int) -> None:
        kept = self.data(name)[: chance.randrange(len(self.data(name)) + 1)]
        self.write(name, kept + b"".join(self.line(chance) for _ in range(count)), "wb")

    @rule(name=NAMES, chance=CHANCE, replace=st.booleans())
    def drop_a_line(self, name: str, chance: Random, replace: bool) -> None:
        lines = self.data(name).splitlines(keepends=True)
        if lines:
            lines.pop(chance.randrange(len(lines)))
        if replace:
            self.scene.path(name).unlink(missing_ok=True)
        self.write(name, b"".join(lines), "wb")

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.scene.path(name).unlink(missing_ok=True)

    @rule(name=NAMES, other=NAMES)
    def rename(self, name: str, other: str) -> None:
        if self.scene.path(name).exists():
            os.replace(self.scene.path(name), self.scene.path(other))

    @rule(name=NAMES, other=NAMES)
    def fork(self, name: str, other: str) -> None:
        if name != other and self.scene.path(name).exists():
            shutil.copy(self.scene.path(name), self.scene.path(other))
            self.scene.sign(self.scene.path(other))

    @rule(quiet=st.booleans())
    def sweep(self, quiet: bool) -> None:
        self.scene.sweep(quiet=quiet)

    @rule()
    def restart(self) -> None:
        self.scene.restart()

    @rule()
    def die_between_archive_and_index(self) -> None:
        self.scene.store.is_doomed = self.has_died = True
        with suppress(Killed):
            self.scene.indexer.sweep(self.scene.now)
        self.scene.restart()

    @rule(name=NAMES, chance=CHANCE)
    def edit_a_byte_and_verify(self, name: str, chance: Random) -> None:
        path, data = self.scene.path(name), self.data(name)
        if data:
            before = path.stat()
            at = chance.randrange(len(data))
            self.write(name, data[:at] + b"#" + data[at + 1 :], "wb")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        scene = self.scene
        verify(scene.store, scene.indexer, scene.now)
        scene.sweep(quiet=True)

    @rule()
    def rebuild(self) -> None:
        scene = self.scene
        scene.sweep(quiet=True)
        before, unfinished = tables(scene.store), unfinished_lines(scene.store)
        rebuild(scene.store, [scene.root], TABLE, scene.now)
        scene.restart()
        after = tables(scene.store)

        if self.has_died:
            # What was archived in the moment of death is in no index but the new one.
            self.assert_more_is_there(before, after, unfinished)
            self.has_died = False
            return
        # What an unfinished line used stays used, though the line was never finished.
        keys = [{row[0] for row in found.pop("usage")} for found in (after, before)]
        assert keys[0] <= keys[1]
        assert after == before

    def assert_more_is_there(self, before: Tables, after: Tables, unfinished: Places) -> None:
        """Every line is where it was; what is new has its bytes, and names what new lines used."""
        was, now = lines_of(before), lines_of(after)
        # An unfinished line goes with its bytes, also without a death; a finished one stays.
        assert was - unfinished <= now
        assert None not in [self.scene.store.raw(*place) for place in now]
        known = {row[0] for row in before["usage"]}
        new = {".".join(map(str, place[:3])) for place in now - was}
        assert {row[-1] for row in after["usage"] if row[0] not in known} <= new


def lines_of(found: Tables) -> Places:
    """Where all lines are, good and bad."""
    return {row[:4] for name in ("lines", "bad_lines") for row in found[name]}


def unfinished_lines(store: SqliteStore) -> Places:
    """Lines whose newline has not come: they begin where a file is read to."""
    ends = {(one.source_id, one.generation): one.offset for one in store.sources()}
    lines = lines_of(tables(store))
    return {place for place in lines if place[:2] in ends and place[2] >= ends[place[:2]]}


class ManyHistories(Histories):
    """The same, for as long as there is time."""


HISTORIES = int(os.environ.get("UNSPOOL_HISTORIES", "600"))

TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=examples(50), stateful_step_count=20)

TestManyHistories = pytest.mark.slow(ManyHistories.TestCase)
TestManyHistories.settings = settings(max_examples=HISTORIES, stateful_step_count=20)
