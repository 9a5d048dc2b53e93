"""A watcher says nothing of a session that was forgotten after it had begun to watch."""

from pathlib import Path

from msgspec import structs

from tests.source.watches import append, heard, transcript
from unspool.source.forgotten import forget
from unspool.source.roots import find_roots
from unspool.source.watch import Watcher


def test_a_file_that_was_known_is_not_told_of_any_more(tmp_path: Path) -> None:
    gone, stays = transcript(tmp_path), transcript(tmp_path, "s2.jsonl")
    log = str(tmp_path / "forgotten.jsonl")
    roots = [structs.replace(one, tombstones=log) for one in find_roots([tmp_path], {}, tmp_path)]
    with Watcher(roots, say=print) as watched:
        forget(log, [(str(tmp_path), "-p", "s1")], 1)
        append(gone)
        append(stays)

        assert [one.session_id for one in heard(watched, 1)] == ["s2"]
