"""`--again`: all that was sent in another mode, or under other rules, comes again in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.indexing.roots import NOW
from tests.hub.machines import HubDatabase
from tests.hub.serving import listening
from unspool.cli import main
from unspool.demo import Transcript
from unspool.model.shipping import ShipMode

EARLY, LATE = ("ghp_" + word * 9 for word in ("a1B2", "c3D4"))
TEXTS = {"walrus", "ferret"}


class Laptop:
    """A machine with one session, enrolled at a hub."""

    def __init__(self, hub: HubDatabase, home: Path) -> None:
        self.hub, self._root = hub, home / ".claude"
        hub.person()
        self.code = hub.people.new_code(1, NOW)
        self.said = Transcript("s1").user("Begin.")

    def says(self, text: str) -> None:
        """Another line, in the index."""
        self.said.user(text).save(self._root)
        assert main(["index", "build"]) == 0

    def sends(self, *options: str) -> None:
        """All that there is to send, until texts are words."""
        assert main(["collect", "--once", *options]) == 0
        for _ in self.hub.store(1).merge():
            pass

    @contextmanager
    def enrolled(self, mode: str, takes: ShipMode | None = None) -> Iterator[None]:
        """A hub that listens, and that has what was said before."""
        with listening(self.hub, takes=takes) as url:
            options = ["--hub", url, "--code", self.code, "--name", "laptop", "--mode", mode]
            self.sends(*options)
            yield

    @property
    def sent_as(self) -> list[tuple[str, int]]:
        """The mode and the rules of each file, as the hub tells them."""
        with self.hub.pool.connection() as connection:
            return connection.execute("SELECT mode, rules FROM shipped").fetchall()

    def held(self, *words: str) -> set[str]:
        """Which of some words are anywhere in the database."""
        return self.hub.holds(words)


@pytest.fixture
def laptop(hub: HubDatabase, home: Path) -> Laptop:
    return Laptop(hub, home)


def test_bytes_of_before_are_replaced_although_others_came_after_them(laptop: Laptop) -> None:
    laptop.says(f"walrus {EARLY}")
    with laptop.enrolled("raw"):
        laptop.says(f"ferret {LATE}")
        laptop.sends("--mode", "redacted")
        between, sent_as = laptop.held(EARLY, LATE), laptop.sent_as
        laptop.sends("--again")
        after = laptop.sent_as
        laptop.sends("--again")

        assert (between, sent_as) == ({EARLY}, [("raw", -1)])
        assert laptop.held(EARLY, LATE) == set()
        assert laptop.held(*TEXTS) == TEXTS
        assert laptop.sent_as == after != sent_as  # nothing was left to send


def test_lines_that_a_lesser_mode_left_out_come_although_others_came_after_them(
    laptop: Laptop,
) -> None:
    laptop.says("walrus")
    with laptop.enrolled("metadata"):
        laptop.says("ferret")
        laptop.sends("--mode", "raw")
        assert laptop.held(*TEXTS) == {"ferret"}
        laptop.sends("--again")

        assert laptop.held(*TEXTS) == TEXTS
        assert laptop.sent_as == [("raw", 0)]


def test_older_rules_are_remembered_until_all_is_under_newer_ones(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.says("walrus")
    with laptop.enrolled("redacted"):
        monkeypatch.setattr("unspool.redact.cover.RULES_VERSION", 99)
        laptop.says("ferret")
        laptop.sends()
        between = laptop.sent_as
        laptop.sends("--again")

        assert between == [("redacted", -1)]
        assert laptop.sent_as == [("redacted", 99)]
        assert laptop.held(*TEXTS) == TEXTS


def test_a_hub_that_takes_less_than_before_gets_rid_of_what_it_had(laptop: Laptop) -> None:
    laptop.says("walrus")
    with laptop.enrolled("raw"):
        pass
    laptop.says("ferret")
    laptop.code = laptop.hub.people.rotate("laptop", NOW)
    with laptop.enrolled("raw", takes="metadata"):
        assert laptop.held(*TEXTS) == {"walrus"}
        laptop.sends("--again")

        assert laptop.held(*TEXTS) == set()
        assert laptop.hub.tables()["segment"] == []
        assert [mode for mode, _ in laptop.sent_as] == ["metadata"]


@pytest.mark.parametrize("is_sent_between", [True, False])
def test_a_file_that_was_rewritten_between_two_modes_leaves_nothing_of_the_first(
    laptop: Laptop, *, is_sent_between: bool
) -> None:
    laptop.says(f"walrus {EARLY}")
    with laptop.enrolled("raw"):
        laptop.said = Transcript("s1", uuid_prefix="other-").user("Begin again.")
        laptop.says(f"ferret {LATE}")
        if is_sent_between:
            laptop.sends("--mode", "redacted")
            assert (laptop.held(EARLY, LATE), laptop.sent_as) == ({EARLY}, [("raw", -1)])
        laptop.sends("--mode", "redacted", "--again")

        assert laptop.held(EARLY, LATE) == set()
        # Both generations are there, as the machine has them.
        assert len(laptop.hub.tables()["generation"]) == 2
        assert len(laptop.hub.tables()["segment"]) == 2
        assert laptop.held("ferret") == {"ferret"}
