from pathlib import Path

from tests.derive.usage.books import TABLE
from tests.ingest.scan.scans import files_of, root_with
from unspool.demo import Transcript
from unspool.ingest.scan.worker import tallied


def test_a_share_is_scanned_file_by_file(tmp_path: Path) -> None:
    root = root_with(tmp_path, Transcript().says("a"), Transcript().says("b", id="msg_9"))
    tally = tallied((file.path for file in files_of(root)), [root], TABLE)

    assert sorted(source.session_id for source, _ in tally.drain()) == ["s1", "s2"]


def test_a_file_that_went_away_is_left_out(tmp_path: Path) -> None:
    root = root_with(tmp_path, Transcript().says("a"))
    paths = [
        *(file.path for file in files_of(root)),
        str(tmp_path / "projects" / "-repo" / "x.jsonl"),
    ]

    assert len(list(tallied(paths, [root], TABLE).drain())) == 1


def test_a_file_that_cannot_be_opened_is_left_out(tmp_path: Path) -> None:
    root = root_with(tmp_path, Transcript().says("a"), Transcript().says("b", id="msg_9"))
    first, second = files_of(root)
    Path(second.path).unlink()
    Path(second.path).symlink_to(first.path)

    assert len(list(tallied([first.path, second.path], [root], TABLE).drain())) == 1
