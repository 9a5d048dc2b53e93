from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.engine.export import files
from unspool.engine.export.files import Export, ExportedFile, ExportOptions
from unspool.errors import SourceError, StoreFull
from unspool.serve.api import export
from unspool.serve.problems import Refused

PROJECT = "-home-dev-kettle"
LINES = ExportOptions(format="jsonl", now=0)


def exported(site: Served, session: str, options: ExportOptions = LINES) -> ExportedFile:
    made = Export(site.context.open_sessions.separate(PROJECT, session), options)
    return export.export_file(site.context, made, options.format)


def test_a_long_transcript_comes_in_pieces(tmp_path: Path) -> None:
    made = Transcript(session="s", cwd="/home/dev/kettle")
    for number in range(400):
        made.user(f"{number} " + "long words " * 150)
    place = root(tmp_path, made)
    with served(place) as site:
        pieces = list(exported(site, "s").pieces())

    assert len(pieces) > 2
    assert b"".join(pieces) == next(place.glob("projects/*/s.jsonl")).read_bytes()


def test_nothing_of_a_file_stays_behind(tmp_path: Path) -> None:
    with served(root(tmp_path)) as site:
        list(exported(site, "session-one").pieces())
        left = {path.name.partition(".")[0] for path in site.context.config.home.iterdir()}

    assert left == {"index", "raw", "roots", "projects"}


def test_no_more_than_a_few_are_made_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_TIMEOUT", 0.01)
    with served(root(tmp_path)) as site:
        assert site.context.export_slots.acquire()
        assert site.context.export_slots.acquire()

        with pytest.raises(Refused):
            exported(site, "session-one")


def test_a_home_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(dir: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "TemporaryFile", full)
    with served(root(tmp_path)) as site, pytest.raises(StoreFull, match="No space"):
        exported(site, "session-one")


def test_a_file_that_is_no_transcript_is_said_and_leaves_room_for_the_next(tmp_path: Path) -> None:
    place = root(tmp_path, talk(), Transcript(session="s", cwd="/home/dev/kettle").raw(b"no json"))
    with served(place) as site:
        for _ in range(3):
            with pytest.raises(SourceError):
                exported(site, "s", ExportOptions(format="json", now=0))

        assert b"".join(exported(site, "session-one").pieces())
