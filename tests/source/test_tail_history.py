"""Whatever happens to a file, after each read what we hold of it is what it holds."""

import os
import shutil
import tempfile
from pathlib import Path
from random import Random

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from unspool.model.files import TailRead, TailState
from unspool.source.tail import read, restart, split_lines, verify

COUNTS = st.integers(1, 6)
WIDTHS = st.sampled_from([0, 5, 900, 30_000])
CHANCE = st.randoms(use_true_random=False)


class FileHistory(RuleBasedStateMachine):
    """A file with a past, beside a reader that keeps the lines of each generation."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.path = self.place / "s.jsonl"
        self.state = TailState()
        self.held: dict[int, list[bytes]] = {}
        self.number = 0
        self.is_read = False

    def teardown(self) -> None:
        shutil.rmtree(self.place)

    def lines(self, count: int, width: int) -> bytes:
        self.number += count
        numbers = range(self.number - count, self.number)
        return b"".join(b'{"n":%d,"x":"%s"}\n' % (number, b"x" * width) for number in numbers)

    def whole(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def add(self, data: bytes) -> None:
        self.is_read = False
        with open(self.path, "ab") as file:
            file.write(data)

    def replace(self, data: bytes) -> None:
        self.is_read = False
        copy = self.place / "copy"
        copy.write_bytes(data)
        os.replace(copy, self.path)

    @rule(count=COUNTS, width=WIDTHS)
    def append_lines(self, count: int, width: int) -> None:
        self.add(self.lines(count, width))

    @rule(width=WIDTHS, chance=CHANCE)
    def append_half_a_line(self, width: int, chance: Random) -> None:
        line = self.lines(1, width)
        self.add(line[: chance.randrange(1, len(line))])

    @rule(chance=CHANCE)
    def truncate(self, chance: Random) -> None:
        self.is_read = False
        if self.path.exists():
            os.truncate(self.path, chance.randint(0, len(self.whole())))

    @rule(count=COUNTS, width=WIDTHS)
    def rewrite_in_place(self, count: int, width: int) -> None:
        self.is_read = False
        self.path.write_bytes(self.lines(count, width))

    @rule(count=COUNTS, width=WIDTHS, chance=CHANCE)
    def prune_and_rename(self, count: int, width: int, chance: Random) -> None:
        kept = [line + b"\n" for _, line in split_lines(self.whole()) if chance.random() < 0.7]
        self.replace(b"".join(kept) + self.lines(count, width))

    @rule()
    def copy_and_rename(self) -> None:
        self.replace(self.whole())

    @rule()
    def delete(self) -> None:
        self.is_read = False
        self.path.unlink(missing_ok=True)

    @precondition(lambda self: self.state.offset > 0 and self.path.exists())
    @rule(chance=CHANCE)
    def edit_one_byte_and_verify(self, chance: Random) -> None:
        self.is_read = False
        whole = bytearray(self.whole())
        if whole:
            whole[chance.randrange(len(whole))] ^= 1
            with open(self.path, "r+b") as file:
                file.write(whole)
        if not verify(self.path, self.state):
            self.state = restart(self.state)

    @rule(limit=st.sampled_from([1, 100, 8 << 20]))
    def read_on(self, limit: int) -> None:
        piece = TailRead(self.state, 0, 0, more=True)
        while piece.more:
            piece = read(self.path, piece.state, limit=limit)
            assert not piece.reset or piece.base == 0
            held = self.held.setdefault(piece.generation, [])
            held += [line for _, line in split_lines(piece.data)]
        self.state = piece.state
        self.is_read = not piece.gone

    @invariant()
    def the_current_generation_is_the_file(self) -> None:
        if self.is_read:
            expected = [line for _, line in split_lines(self.whole())]
            assert self.held[self.state.generation] == expected


TestFileHistory = FileHistory.TestCase
