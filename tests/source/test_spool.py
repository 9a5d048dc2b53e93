import os
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.firing import PAYLOAD, fire, gaps, kept, payloads, pieces
from unspool.errors import StoreFull
from unspool.model.files import SpoolEvent, SpoolGap, TailState
from unspool.source.claude_code import MAX_LINE_BYTES
from unspool.source.hook import LONGEST, day_file, frame, keep
from unspool.source.spool import append, frames, read, spool_files, tidy

AT: Final = 1_767_225_600_123
DAY: Final = day_file(AT)
SOME: Final = [b'{"n":%d}' % n for n in range(5)]


def framed(*payloads: bytes) -> bytes:
    """Whole frames, one after the other."""
    return b"".join(frame(payload, AT, len(payload)) for payload in payloads)


def found(data: bytes) -> list[SpoolEvent | SpoolGap]:
    """What the lines of some data hold, an unfinished one too."""
    at = 0
    items: list[SpoolEvent | SpoolGap] = []
    for line in data.split(b"\n"):
        items += frames(line, at)
        at += len(line) + 1
    return items


def told(data: bytes) -> list[bytes]:
    """The payloads alone."""
    return [item.payload for item in found(data) if isinstance(item, SpoolEvent)]


def test_an_event_says_where_it_lies_and_when_it_came() -> None:
    line = framed(b"{}")[:-1]

    assert list(frames(line, 100)) == [SpoolEvent(100, len(line), AT, b"{}")]


@given(st.binary(max_size=50), st.integers(0, 9_999_999_999_999))
def test_what_is_framed_is_found(payload: bytes, at: int) -> None:
    (event,) = found(frame(payload, at, len(payload)))

    assert isinstance(event, SpoolEvent)
    assert (event.payload, event.at, event.cut) == (payload.replace(b"\n", b" "), at, False)


def test_a_blank_line_is_nothing() -> None:
    assert list(frames(b"")) == []


@pytest.mark.parametrize("length", [len(PAYLOAD) + 1, LONGEST + 1, 2**40])
def test_an_event_whose_end_is_missing_says_so(length: int) -> None:
    payload = PAYLOAD if length < LONGEST else b"x" * LONGEST
    (event,) = found(frame(payload, AT, length))

    assert isinstance(event, SpoolEvent)
    assert (event.payload, event.cut) == (payload, True)


@given(st.integers(0, len(framed(PAYLOAD))))
def test_the_event_after_a_torn_one_is_found(cut: int) -> None:
    torn = framed(PAYLOAD)[:cut]

    assert told(torn + framed(*SOME))[-5:] == SOME


@given(st.data())
def test_a_damaged_byte_costs_one_event_at_most(data: st.DataObject) -> None:
    whole = framed(*SOME)
    at = data.draw(st.integers(0, len(whole) - 1))
    harmed = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]

    assert len([payload for payload in told(harmed) if payload in SOME]) >= len(SOME) - 1


@given(st.lists(st.sampled_from([framed(b"{}"), b"~1 ", b"\n", b"\0", b"0" * 8, b" x"])))
def test_every_byte_is_in_an_event_or_in_a_gap(parts: list[bytes]) -> None:
    data = b"".join(parts)
    places = [range(item.offset, item.offset + item.length) for item in found(data)]

    assert sorted(chain(*places)) == [at for at, byte in enumerate(data) if byte != ord("\n")]


def test_damage_is_told_with_its_place() -> None:
    whole = framed(b"{}", b"[]")
    harmed = whole.replace(b"{}", b"{!")

    assert found(harmed)[0] == SpoolGap(0, len(whole) // 2 - 1)
    assert told(harmed) == [b"[]"]


def test_zeros_that_a_power_cut_left_are_a_gap() -> None:
    zeros = b"\0" * 4_096

    assert found(zeros + framed(b"{}"))[0] == SpoolGap(0, 4_096)
    assert told(zeros + framed(b"{}")) == [b"{}"]


def test_a_payload_cannot_pass_for_a_frame() -> None:
    forged = framed(b"{}")[:-1]

    assert told(framed(b'{"text":"%b"}' % forged)) == [b'{"text":"%b"}' % forged]


def test_damage_that_looks_like_many_frames_is_given_up_on() -> None:
    line = b"~1 00000000 00100000 0000000000000 " * 200_000

    assert list(frames(line)) == [SpoolGap(0, len(line))]


def test_an_unfinished_event_waits_for_its_end(tmp_path: Path) -> None:
    file = tmp_path / DAY
    file.write_bytes(framed(b"{}", b"[]")[:-1])
    first = read(file, TailState())
    with file.open("ab") as more:
        more.write(b"\n")

    assert [event.payload for event in first.events] == [b"{}"]
    assert [event.payload for event in read(file, first.state).events] == [b"[]"]


def test_ten_thousand_events_of_nobodys_time_are_each_read_once(tmp_path: Path) -> None:
    sent = [b'{"n":%d,"x":"%s"}' % (n, b"x" * (n % 300)) for n in range(10_000)]

    def hook(payload: bytes) -> None:
        keep(str(tmp_path), frame(payload, AT, len(payload)), AT)

    with ThreadPoolExecutor(8) as hooks:
        list(hooks.map(hook, sent))

    events = [event.payload for piece in pieces(tmp_path, 4_096) for event in piece.events]
    assert (sorted(events), gaps(tmp_path)) == (sorted(sent), [])


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    append(tmp_path, SOME[:2], AT)
    first = read(tmp_path / DAY, TailState())
    append(tmp_path, SOME[2:], AT)
    second = read(tmp_path / DAY, first.state)

    assert [event.payload for event in second.events] == SOME[2:]
    assert read(tmp_path / DAY, second.state).events == ()


def test_a_line_too_long_to_read_is_a_gap_with_its_place(tmp_path: Path) -> None:
    append(tmp_path, SOME[:1], AT)
    path = tmp_path / DAY
    before = path.stat().st_size
    with path.open("ab") as file:
        file.truncate(before + MAX_LINE_BYTES + 1)
        file.write(b"\n")
    append(tmp_path, SOME[1:2], AT)
    piece = read(path, TailState())
    gaps, events = [*piece.gaps], [*piece.events]
    while piece.more:
        piece = read(path, piece.state)
        gaps, events = [*gaps, *piece.gaps], [*events, *piece.events]

    assert gaps == [SpoolGap(before, MAX_LINE_BYTES + 1)]
    assert [one.payload for one in events] == SOME[:2]


def test_a_file_that_is_gone_reads_as_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / DAY, TailState()).events == ()


def test_files_are_told_the_oldest_first_and_others_are_left_out(tmp_path: Path) -> None:
    for age, name in enumerate(["x-12-34.spool", DAY, "2020-01-01.spool"]):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1_000 - age, 1_000 - age))
    (tmp_path / "notes.txt").touch()
    (tmp_path / "2020-01-02.spool").mkdir()
    (tmp_path / "2020-01-03.spool").symlink_to(tmp_path / DAY)

    assert [file.name for file in spool_files(tmp_path)] == [
        "2020-01-01.spool",
        DAY,
        "x-12-34.spool",
    ]


def test_no_spool_has_no_files(tmp_path: Path) -> None:
    assert spool_files(tmp_path / "none") == []


def test_what_is_appended_stands_beside_what_hooks_wrote(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    fire(spool)

    assert append(spool, SOME, AT) == 5
    assert payloads(spool) == sorted([PAYLOAD, *SOME])
    assert (spool / DAY).stat().st_mode & 0o777 == 0o600


def test_what_is_too_long_is_appended_in_part(tmp_path: Path) -> None:
    append(tmp_path, [b"x" * (LONGEST + 5)], AT)

    assert [(len(event.payload), event.cut) for event in kept(tmp_path)] == [(LONGEST, True)]


def linked(file: Path) -> None:
    file.symlink_to("/dev/null")


@pytest.mark.parametrize("spoil", [os.mkdir, os.mkfifo, linked])
def test_what_cannot_be_kept_is_said(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(tmp_path / DAY)

    with pytest.raises(StoreFull, match="send it again"):
        append(tmp_path, SOME, AT)


def test_a_pipe_that_somebody_reads_is_not_the_spool(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / DAY)
    reader = os.open(tmp_path / DAY, os.O_RDONLY | os.O_NONBLOCK)

    with pytest.raises(StoreFull, match="not a regular file"):
        append(tmp_path, SOME, AT)
    os.close(reader)


@pytest.mark.parametrize(("room", "kept_of_five"), [(200, 0), (1_000, 2), (9_000, 5)])
def test_a_full_disk_keeps_the_first_and_says_how_many(
    tmp_path: Path, room: int, kept_of_five: int
) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limit[1]))
    try:
        done = append(tmp_path, [b"x" * 400] * 5, AT)
    except StoreFull:
        done = 0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)

    assert (done, len(kept(tmp_path))) == (kept_of_five, kept_of_five)


def test_an_event_that_lacks_only_its_newline_is_there(tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(framed(PAYLOAD)) - 1, limit[1]))
    try:
        done = append(tmp_path, [PAYLOAD], AT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    append(tmp_path, SOME, AT)

    assert (done, payloads(tmp_path)) == (1, sorted([PAYLOAD, *SOME]))


def test_tidying_takes_what_is_read_and_old(tmp_path: Path) -> None:
    for name in ("2020-01-01.spool", "2020-01-02.spool", "2020-01-03.spool"):
        (tmp_path / name).write_bytes(framed(b"{}"))
        os.utime(tmp_path / name, ns=(0, 1_000))
    os.utime(tmp_path / "2020-01-03.spool", ns=(0, 5_000))
    size = len(framed(b"{}"))
    done = {"2020-01-01.spool": size, "2020-01-02.spool": size - 1, "2020-01-03.spool": size}

    assert tidy(tmp_path, done, 5_000) == ["2020-01-01.spool"]
    assert [file.name for file in spool_files(tmp_path)] == ["2020-01-02.spool", "2020-01-03.spool"]


def test_tidying_leaves_what_nobody_has_read(tmp_path: Path) -> None:
    append(tmp_path, SOME, AT)

    assert tidy(tmp_path, {}, 2**62) == []
    assert len(kept(tmp_path)) == 5
