from functools import partial
from pathlib import Path

import pytest

from tests.engine.roots import saved
from unspool.demo import Transcript
from unspool.engine.health import scan_oddities
from unspool.errors import SourceError
from unspool.model.files import TailRead, TailState
from unspool.source import tail
from unspool.source.roots import find_roots


def look(root: Path) -> list[tuple[str, str, int, int]]:
    found = scan_oddities(find_roots([root], {}, root))
    return [(one.name, Path(one.path).stem, one.line, one.count) for one in found]


def odd(session: str, at: int = 2) -> Transcript:
    made = Transcript(session=session)
    for _ in range(at - 1):
        made.user("x")
    return made.entry("zeppelin")


def test_every_transcript_of_a_root_is_read(tmp_path: Path) -> None:
    saved(tmp_path, odd("one", at=3), odd("two"), Transcript(agent="a1").user("x").entry("kite"))

    assert look(tmp_path) == [("zeppelin", "one", 3, 2), ("kite", "agent-a1", 2, 1)]


def test_the_oldest_file_is_the_example(tmp_path: Path) -> None:
    saved(tmp_path, odd("young"))
    saved(tmp_path, odd("old"), at=1_700_000_000_000)

    assert look(tmp_path) == [("zeppelin", "old", 2, 2)]


def test_hook_logs_are_left_alone(tmp_path: Path) -> None:
    saved(tmp_path, Transcript().user("x"))
    log = tmp_path / "hooks" / "-repo" / "s1.hooks.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text('{"eventType":"Stop"}\n')

    assert look(tmp_path) == []


def test_a_file_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    saved(tmp_path, odd("one"))
    (tmp_path / "projects" / "-repo" / "two.jsonl").mkdir()

    assert look(tmp_path) == [("zeppelin", "one", 2, 1)]


def test_lines_keep_their_numbers_behind_one_too_long_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, Transcript(session="one").user("x" * 2_000).entry("zeppelin"))
    monkeypatch.setattr(tail, "read", partial(tail.read, max_line=1_000))

    assert look(tmp_path) == [("zeppelin", "one", 2, 1)]


def test_a_file_is_read_to_its_end_however_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, odd("one", at=50))
    monkeypatch.setattr(tail, "read", partial(tail.read, limit=1_000))

    assert look(tmp_path) == [("zeppelin", "one", 50, 1)]


def test_a_file_that_turned_into_something_else_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, odd("one"), odd("two"))

    def read(path: str, state: TailState) -> TailRead:
        if path.endswith("one.jsonl"):
            raise SourceError("not a regular file")
        return original(path, state)

    original = tail.read
    monkeypatch.setattr(tail, "read", read)

    assert look(tmp_path) == [("zeppelin", "two", 2, 1)]


def test_progress_is_told_by_bytes(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, odd("one"))
    told: list[tuple[int, int]] = []
    scan_oddities(
        find_roots([tmp_path], {}, tmp_path), lambda done, total: told.append((done, total))
    )

    assert told == [(path.stat().st_size, path.stat().st_size)]
