from pathlib import Path

from tests.engine.indexing.roots import NOW, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import IntakeCache
from unspool.engine.indexing.intake import Intake
from unspool.source.session_files import transcript_files


def intakes(place: Path, *lines: int) -> list[Intake]:
    """Intakes that have read so many lines."""
    made = [Transcript(f"s{number}") for number in range(len(lines))]
    for transcript, count in zip(made, lines, strict=True):
        for number in range(count):
            transcript.user(f"line {number}")
    found = [Intake(file, None) for file in transcript_files(saved(place, *made))]
    for intake in found:
        list(intake.batches(NOW))
    return found


def ids(kept: IntakeCache, made: list[Intake]) -> list[int]:
    """Which of them are kept; they are not any more."""
    return [number for number, one in enumerate(made) if kept.take(one.source.source_id)]


def test_only_so_many_are_kept_and_the_oldest_goes(tmp_path: Path) -> None:
    kept, made = IntakeCache(most=2), intakes(tmp_path, 1, 2, 1)
    for intake in made:
        kept.put(intake)

    assert (len(kept), ids(kept, made)) == (2, [1, 2])


def test_those_with_many_lines_leave_less_room_for_others(tmp_path: Path) -> None:
    kept, made = IntakeCache(most_lines=4), intakes(tmp_path, 1, 2, 2)
    for intake in made:
        kept.put(intake)

    assert ids(kept, made) == [1, 2]


def test_the_longest_stays_whoever_comes_after_it(tmp_path: Path) -> None:
    kept, made = IntakeCache(most_lines=4), intakes(tmp_path, 3, 1, 1)
    for intake in made:
        kept.put(intake)

    assert ids(kept, made) == [0, 2]


class Asked(Intake):
    """Counts how often somebody asks how long one is."""

    times = 0

    @property
    def lines(self) -> int:
        Asked.times += 1
        return 1


def questions(made: list[Asked], most: int) -> int:
    """How often it is asked to make room for one more."""
    kept = IntakeCache(most=most)
    for intake in made[:most]:
        kept.put(intake)
    Asked.times = 0
    kept.put(made[most])
    return Asked.times


def test_making_room_takes_no_longer_where_more_are_kept(tmp_path: Path) -> None:
    root = saved(tmp_path, *(Transcript(f"s{number}").user("a") for number in range(31)))
    made = [Asked(file, None) for file in transcript_files(root)]

    assert questions(made, 3) == questions(made, 30)


def test_one_larger_than_all_room_is_kept(tmp_path: Path) -> None:
    kept, made = IntakeCache(most_lines=1), intakes(tmp_path, 5)
    kept.put(made[0])

    assert len(kept) == 1


def test_what_is_taken_makes_room(tmp_path: Path) -> None:
    kept, made = IntakeCache(most_lines=4), intakes(tmp_path, 3, 2, 2)
    kept.put(made[0])
    kept.take(made[0].source.source_id)
    kept.put(made[1])
    kept.put(made[2])

    assert ids(kept, made) == [1, 2]


def test_cleared_it_is_as_new(tmp_path: Path) -> None:
    kept, made = IntakeCache(most_lines=4), intakes(tmp_path, 3, 3)
    kept.put(made[0])
    kept.clear()
    kept.put(made[1])

    assert ids(kept, made) == [1]
