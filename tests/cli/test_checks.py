import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here, stores_of
from unspool.cli import checks, config
from unspool.cli.checks import index_findings, price_findings, root_findings
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.model.health import Finding
from unspool.source.roots import find_roots

Capsys = pytest.CaptureFixture[str]


def indexed(capsys: Capsys, place: Path, *made: Transcript) -> dict[str, Finding]:
    here(capsys, "index", "build", "--root", root(place, *made))
    return {one.about: one for one in index_findings(stores_of(place))}


def test_what_is_left_alone_is_named(tmp_path: Path) -> None:
    root(tmp_path).joinpath("projects/-home-dev-kettle/x.jsonl").mkdir()
    found = list(root_findings(find_roots([tmp_path], {}, tmp_path)))

    assert [one.about for one in found] == ["root", "left alone"]
    assert found[1].details[0].endswith("x.jsonl: a directory")


def test_a_root_that_is_not_there_is_wrong(tmp_path: Path) -> None:
    (one,) = root_findings(find_roots([], {}, tmp_path))

    assert (one.grade, one.fix) == ("wrong", "unspool --demo")
    assert f"no {tmp_path}/.claude/projects. Claude Code creates it on first use." in one.said


def test_an_index_that_is_behind_says_by_how_much(tmp_path: Path, capsys: Capsys) -> None:
    indexed(capsys, tmp_path)
    root(tmp_path, talk("session-two"))
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}

    assert (found["index"].grade, found["index"].fix) == ("note", "unspool index build")
    assert "in 1 file not yet indexed" in found["index"].said


def test_bad_lines_are_named_by_file_and_line(tmp_path: Path, capsys: Capsys) -> None:
    bad = talk().raw(b"nonsense")
    found = indexed(capsys, tmp_path, bad)["bad lines"]

    assert found.said == "1 line cannot be read; their bytes are archived."
    assert found.details[0].endswith("/session-one.jsonl:6: not a record")


def test_a_line_that_was_never_finished_is_named(tmp_path: Path, capsys: Capsys) -> None:
    path = talk().raw(b'{"type":"us', newline=False).save(tmp_path)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    here(capsys, "index", "build", "--root", tmp_path)
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}

    assert found["unfinished"].details == (str(path),)


@pytest.mark.parametrize(("seconds", "is_named"), [(29, False), (31, True)])
def test_a_line_that_is_being_written_is_not_named(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch, seconds: int, is_named: bool
) -> None:
    path = talk().raw(b'{"type":"us', newline=False).save(tmp_path)
    os.utime(path, (1_800_000_000, 1_800_000_000))
    monkeypatch.setattr(config, "now", lambda: (1_800_000_000 + seconds) * 1_000)
    here(capsys, "index", "build", "--root", tmp_path)
    found = {one.about for one in index_findings(stores_of(tmp_path))}

    assert ("unfinished" in found) is is_named


def test_models_without_a_price_are_named(tmp_path: Path, capsys: Capsys) -> None:
    found = indexed(capsys, tmp_path, Transcript().user("x").says("y", model="made-up-1"))

    assert found["unpriced"].details == ("made-up-1: 1 response",)


def test_an_index_that_is_well_has_nothing_but_ticks(tmp_path: Path, capsys: Capsys) -> None:
    found = indexed(capsys, tmp_path)

    assert {one.grade for name, one in found.items() if name != "daemon"} == {"ok"}
    assert "unfinished" not in found


def test_a_damaged_page_is_found(tmp_path: Path, home: Path, capsys: Capsys) -> None:
    indexed(capsys, tmp_path)
    index = home / "unspool" / "index.db"
    data = bytearray(index.read_bytes())
    data[4096 * 3 : 4096 * 3 + 64] = b"\xff" * 64
    index.write_bytes(data)
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}

    assert (found["integrity"].grade, found["integrity"].fix) == ("wrong", "unspool index rebuild")


def test_files_that_others_may_read_are_named(tmp_path: Path, home: Path, capsys: Capsys) -> None:
    indexed(capsys, tmp_path)
    (home / "unspool" / "index.db").chmod(0o644)
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}

    assert str(home / "unspool" / "index.db") in found["modes"].details
    assert found["modes"].fix == f"chmod -R go= {home / 'unspool'}"


def test_another_writer_is_named(tmp_path: Path, capsys: Capsys) -> None:
    indexed(capsys, tmp_path)
    with closing(open_stores().writing()):
        found = {one.about: one for one in index_findings(stores_of(tmp_path))}

    assert (
        found["daemon"].said
        == f"Another unspool, process {os.getpid()}, keeps the index up to date."
    )


@pytest.mark.parametrize(
    ("version", "grade"), [("3.51.2", "wrong"), ("3.51.3", "ok"), ("4.0", "ok")]
)
def test_a_library_that_can_break_logs_is_wrong(version: str, grade: str) -> None:
    assert checks._sqlite(version).grade == grade


def test_names_that_this_version_does_not_know_are_told(tmp_path: Path, capsys: Capsys) -> None:
    made = Transcript("odd", version="2.1.400").user("x").entry("zeppelin", altitude=3)
    found = indexed(capsys, tmp_path, made)

    assert found["schema"].fix == "unspool doctor schema"
    assert found["schema"].details == ("2.1.400: type zeppelin, 1 times",)


def test_prices_that_cannot_be_used_are_named(home: Path) -> None:
    (home / "unspool").mkdir()
    (home / "unspool" / "prices.toml").write_text("nonsense")
    (one,) = price_findings()

    assert (one.grade, bool(one.details)) == ("wrong", True)


@pytest.mark.parametrize(
    ("message", "grade"),
    [
        ("2026-01-01 10:00:00 Watching /home/dev/.claude.", "ok"),
        ("2026-01-01 10:00:00 Stopped.", "ok"),
        ("2026-01-01 10:00:00 The disk is full.", "note"),
    ],
)
def test_the_last_message_of_the_indexer_is_heard(
    tmp_path: Path, home: Path, capsys: Capsys, message: str, grade: str
) -> None:
    indexed(capsys, tmp_path)
    (home / "unspool" / "writer.log").write_text(f"something before\n{message}\n")
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}["indexer"]

    assert (found.said, found.grade) == (f"Its last message: {message}", grade)
    assert ["writer.log" in one for one in found.details] == ([True] if grade == "note" else [])


def test_a_path_that_others_may_read_is_found_at_any_depth(
    tmp_path: Path, home: Path, capsys: Capsys
) -> None:
    indexed(capsys, tmp_path)
    (home / "unspool" / "roots" / "x").mkdir(parents=True, mode=0o700)
    (home / "unspool" / "roots" / "x" / "index.db").touch(mode=0o644)
    found = {one.about: one for one in index_findings(stores_of(tmp_path))}["modes"]

    assert str(home / "unspool" / "roots" / "x" / "index.db") in found.details
