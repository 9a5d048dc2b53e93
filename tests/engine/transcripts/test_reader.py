import os
from pathlib import Path

import pytest

from tests.engine.roots import NOW, PRICES, append, dated, listed
from unspool.demo import Transcript as Made
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.transcripts.reader import TranscriptReader, open_transcript, read_beginning
from unspool.source.claude_code import QUIET_MS
from unspool.source.roots import find_roots
from unspool.store.memory import MemoryStore

TALK = Made().user("first").says("one").user("second").says("two")
LINES = TALK.bytes().splitlines(keepends=True)
QUIET = NOW + QUIET_MS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return dated(TALK.save(tmp_path), NOW)


def uuids(transcript: TranscriptReader) -> list[str]:
    return [message.uuid for span in transcript.fold.chunks.spans for message in span.messages]


def test_a_new_transcript_holds_every_line(path: Path) -> None:
    assert uuids(open_transcript(listed(path), NOW)) == ["u1", "u2", "u3", "u4"]


def test_appended_lines_are_added_to_what_was_read(path: Path) -> None:
    path.write_bytes(b"".join(LINES[:2]))
    transcript = open_transcript(listed(path), NOW)
    fold = transcript.fold
    append(path, b"".join(LINES[2:]))

    assert transcript.refresh(NOW)
    assert transcript.fold is fold
    assert uuids(transcript) == ["u1", "u2", "u3", "u4"]


def test_nothing_written_is_nothing_changed(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)

    assert not transcript.refresh(NOW)


# devtools 118
def test_a_file_that_shrank_is_read_anew(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)
    path.write_bytes(LINES[0])

    assert transcript.refresh(NOW)
    assert transcript.generation == 1
    assert uuids(transcript) == ["u1"]


def test_a_file_of_another_content_is_another_generation(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)
    path.write_bytes(Made(uuid_prefix="new-").user("first").says("one").user("second").bytes())

    assert transcript.refresh(NOW)
    assert transcript.generation == 1
    assert uuids(transcript) == ["new-u1", "new-u2", "new-u3"]


def test_the_same_content_under_a_new_inode_is_the_same_file(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    os.replace(copy, path)

    assert not transcript.refresh(NOW)
    assert transcript.generation == 0


# devtools 114
def test_an_unfinished_last_line_waits(path: Path) -> None:
    path.write_bytes(b"".join(LINES)[:-9])
    dated(path, NOW)
    transcript = open_transcript(listed(path), NOW + QUIET_MS - 1)

    assert uuids(transcript) == ["u1", "u2", "u3"]
    append(path, LINES[3][-9:])
    assert transcript.refresh(NOW)
    assert uuids(transcript) == ["u1", "u2", "u3", "u4"]


def test_an_unfinished_last_line_is_taken_when_nobody_writes_any_more(path: Path) -> None:
    path.write_bytes(b"".join(LINES).rstrip(b"\n"))
    transcript = open_transcript(listed(dated(path, NOW)), QUIET)

    assert uuids(transcript) == ["u1", "u2", "u3", "u4"]
    assert not transcript.refresh(QUIET)


def test_half_a_line_is_none_until_it_is_whole(path: Path) -> None:
    path.write_bytes(b"".join(LINES)[:-9])
    transcript = open_transcript(listed(dated(path, NOW)), QUIET)
    assert (transcript.fold.lines, transcript.fold.diagnostics.bad_lines) == (3, 0)

    append(path, LINES[3][-9:])
    assert transcript.refresh(NOW)
    assert uuids(transcript) == ["u1", "u2", "u3", "u4"]


def test_a_record_glued_to_a_torn_one_waits_for_its_end_too(path: Path) -> None:
    path.write_bytes(b"".join(LINES[:3]) + b'{"type":"user","mess' + LINES[3].rstrip(b"\n"))

    assert uuids(open_transcript(listed(dated(path, NOW)), QUIET)) == ["u1", "u2", "u3"]


def test_a_line_taken_early_that_was_changed_in_its_place_is_read_again(path: Path) -> None:
    transcript = open_transcript(listed(append(path, b'{"type":"made-up"}')), QUIET)
    assert transcript.fold.diagnostics.unknown_types == {"made-up": 1}

    path.write_bytes(b"".join(LINES) + b'{"type":"mode"}')
    dated(path, NOW + 1)
    assert transcript.refresh(QUIET + 1)
    assert transcript.fold.diagnostics.unknown_types == {}


def test_blank_bytes_at_the_end_are_no_line(path: Path) -> None:
    append(path, b" \t\r\0\0")

    assert open_transcript(listed(path), QUIET).fold.lines == 4


def test_a_missing_file_has_no_lines(path: Path) -> None:
    file = listed(path)
    path.unlink()
    transcript = open_transcript(file, NOW)

    assert (transcript.is_gone, transcript.fold.lines) == (True, 0)


def test_a_file_that_goes_away_leaves_what_was_read(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)
    path.unlink()

    assert not transcript.refresh(NOW)
    assert transcript.is_gone
    assert uuids(transcript) == ["u1", "u2", "u3", "u4"]


def test_a_line_too_long_to_hold_is_kept_as_a_place(path: Path) -> None:
    append(path, Made(uuid_prefix="x-").user("x" * 5_000).user("short").bytes())
    transcript = TranscriptReader(listed(path), max_line=2_000)

    assert transcript.refresh(NOW)
    assert transcript.fold.diagnostics.oversize == 1
    assert transcript.fold.place(5)[1] > 5_000
    assert uuids(transcript)[-1] == "x-u2"


def test_the_directory_shows_whether_anything_was_written(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)
    assert transcript.has_all(listed(path))

    append(path, LINES[0], at=NOW + 1)
    assert not transcript.has_all(listed(path))


def test_an_unfinished_line_may_always_have_become_ripe(path: Path) -> None:
    transcript = open_transcript(listed(append(path, b"{")), NOW)

    assert not transcript.has_all(listed(path))


def test_size_and_time_are_those_of_the_file(path: Path) -> None:
    transcript = open_transcript(listed(path), NOW)

    assert transcript.size == path.stat().st_size
    assert transcript.last_write == NOW


def test_a_long_transcript_is_begun_without_its_end(tmp_path: Path) -> None:
    made = Made().user("first")
    for number in range(30):
        made.says(f"{number} " + "and so on " * 10_000)
    found = read_beginning(listed(made.save(tmp_path)), 5, 3 * 1024 * 1024)

    assert found is not None
    assert 5 <= found.fold.messages < 31
    assert uuids(found)[:2] == ["u1", "u2"]


def test_what_is_begun_holds_as_many_messages_as_were_asked_for(path: Path) -> None:
    assert read_beginning(listed(path), 4, 1024 * 1024) is not None
    assert read_beginning(listed(path), 5, 1024 * 1024) is None


def test_messages_too_far_down_are_not_looked_for(tmp_path: Path) -> None:
    made = Made().user("first").says("a" * 3_000_000).says("b")

    assert read_beginning(listed(made.save(tmp_path)), 3, 2 * 1024 * 1024) is None


def test_a_transcript_that_is_gone_is_not_begun(path: Path) -> None:
    file = listed(path)
    path.unlink()

    assert read_beginning(file, 1, 1024 * 1024) is None


def test_what_the_index_has_read_since_its_last_state_is_read_again(
    path: Path, tmp_path: Path
) -> None:
    path.write_bytes(b"".join(LINES[:2]))
    dated(path, NOW)
    store = MemoryStore()
    indexer = Indexer(store, find_roots([tmp_path], {}, tmp_path), PRICES)
    indexer.sweep(NOW)
    append(path, b"".join(LINES[2:]), at=NOW + 1)
    indexer.sweep(NOW + 1)
    (source,) = store.sources()
    state = store.fold_state(source.source_id, 0)
    reader = TranscriptReader(listed(path))

    assert state is not None
    assert (state[0], source.offset) == (len(b"".join(LINES[:2])), len(b"".join(LINES)))
    assert reader.resume(store, source)
    assert reader.fold.lines == 4
