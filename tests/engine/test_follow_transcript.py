import os
from pathlib import Path

import pytest

from unspool.demo import Transcript
from unspool.engine.archive.redacted import cleaner
from unspool.engine.follow import TranscriptTail
from unspool.model.files import WatchEvent
from unspool.model.live import LiveEvent
from unspool.source.claude_code import QUIET_MS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def transcript_tail(path: Path) -> TranscriptTail:
    return TranscriptTail(WatchEvent(path=str(path), kind="main", session_id="s1"), cleaner(None))


def talk(*prompts: str, minute: int = 0) -> bytes:
    made = Transcript("s1", start=f"2026-01-01T10:{minute:02}:00.000Z", uuid_prefix=f"{minute}-")
    for prompt in prompts:
        made.user(prompt)
    return made.bytes()


def texts(told: list[LiveEvent]) -> list[str]:
    return [one.text for one in told]


def test_what_is_appended_is_told(path: Path) -> None:
    path.write_bytes(talk("one"))
    followed = transcript_tail(path)
    followed.begin(path.stat().st_size)
    with path.open("ab") as file:
        file.write(talk("two", minute=1))

    assert texts(followed.read()) == ["two"]
    assert followed.read() == []


def test_a_line_that_is_not_finished_waits(path: Path) -> None:
    line = talk("one")
    path.write_bytes(line[:20])
    followed = transcript_tail(path)
    assert followed.begin(0) == ([], [])
    path.write_bytes(line)

    assert texts(followed.read()) == ["one"]


def test_a_line_that_lacks_only_its_newline_is_told_once_the_file_is_quiet(path: Path) -> None:
    path.write_bytes(talk("one") + talk("two", minute=1).removesuffix(b"\n"))
    quiet = path.stat().st_mtime_ns // 1_000_000 + QUIET_MS
    followed = transcript_tail(path)
    followed.begin(0)
    told = [texts(followed.unfinished(now)) for now in (quiet - 1, quiet, quiet)]
    with path.open("ab") as file:
        file.write(b"\n" + talk("three", minute=2))

    assert told == [[], ["two"], []]
    assert texts(followed.read()) == ["three"]


def test_a_whole_line_glued_to_a_torn_one_waits(path: Path) -> None:
    path.write_bytes(talk("one").removesuffix(b"\n") + b'{"type":"assistant","mess')
    followed = transcript_tail(path)
    followed.begin(0)

    assert followed.unfinished(path.stat().st_mtime_ns // 1_000_000 + QUIET_MS) == []


def test_what_was_there_before_is_told_apart_from_what_came_after(path: Path) -> None:
    path.write_bytes(talk("one", "two"))
    known = path.stat().st_size
    with path.open("ab") as file:
        file.write(talk("three", minute=1))
    before, after = transcript_tail(path).begin(known, back=10)

    assert (texts(before), texts(after)) == (["one", "two"], ["three"])


def test_a_call_before_the_beginning_gives_its_result_a_name(path: Path) -> None:
    made = Transcript("s1").calls("Bash", command="ls")
    path.write_bytes(made.bytes())
    followed = transcript_tail(path)
    followed.begin(path.stat().st_size)
    path.write_bytes(made.returns("x").bytes())

    assert [one.name for one in followed.read()] == ["Bash"]


def test_a_file_that_was_cut_is_told_of_and_followed_on(path: Path) -> None:
    path.write_bytes(talk("one", "two", "three"))
    followed = transcript_tail(path)
    followed.begin(path.stat().st_size)
    path.write_bytes(talk("one"))
    first = texts(followed.read())
    with path.open("ab") as file:
        file.write(talk("four", minute=1))

    assert first == ["The transcript was rewritten. Events shown before are not repeated."]
    assert texts(followed.read()) == ["four"]


def test_a_file_put_in_its_place_is_told_from_where_it_is_newer(path: Path) -> None:
    path.write_bytes(talk("one", "two"))
    followed = transcript_tail(path)
    followed.begin(path.stat().st_size)
    other = path.with_suffix(".new")
    other.write_bytes(talk("another", minute=0) + talk("newer", minute=5))
    other.replace(path)

    assert texts(followed.read())[1:] == ["newer"]


def test_a_file_that_is_gone_tells_nothing(path: Path) -> None:
    path.write_bytes(talk("one"))
    followed = transcript_tail(path)
    followed.begin(0)
    path.unlink()

    assert followed.read() == []


def test_of_a_long_file_only_the_end_is_read_at_the_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(talk(*(f"prompt {n} {'x' * 1_000}" for n in range(3_000))))
    size, read_bytes, pread = path.stat().st_size, list[int](), os.pread

    def counting(fd: int, length: int, offset: int) -> bytes:
        data = pread(fd, length, offset)
        read_bytes.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counting)
    before, after = transcript_tail(path).begin(size, back=3)

    assert [text[:11] for text in texts(before)[-3:]] == [f"prompt {n}" for n in (2997, 2998, 2999)]
    assert after == []
    assert sum(read_bytes) < size / 8


def test_where_it_was_read_from_its_end_a_copy_in_its_place_is_the_same_file(path: Path) -> None:
    path.write_bytes(talk(*(f"prompt {n} {'x' * 1_000}" for n in range(500))))
    followed = transcript_tail(path)
    followed.begin(path.stat().st_size)
    copy = path.with_suffix(".new")
    copy.write_bytes(path.read_bytes() + talk("more", minute=59))
    copy.replace(path)

    assert texts(followed.read()) == ["more"]
