import os
from pathlib import Path
from threading import Thread

import pytest

from unspool.errors import ConfigError, SourceError
from unspool.source import installer as module
from unspool.source.installer import alone, back_up, current, replace


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_new_bytes_take_the_place_of_the_old(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    replace(str(file), b"new", was=b"old")

    assert file.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_the_mode_and_the_owner_stay(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o640)
    if not os.geteuid():
        os.chown(file, 1234, 5678)
    before = file.stat()
    replace(str(file), b"new", was=b"old")

    after = file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == before[0:1] + before[4:6]


def test_a_new_file_is_nobody_elses(tmp_path: Path) -> None:
    replace(str(tmp_path / "file"), b"new", was=None)

    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_what_somebody_else_has_written_meanwhile_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"theirs")

    with pytest.raises(ConfigError, match="another program"):
        replace(str(tmp_path / "file"), b"new", was=b"old")
    assert (tmp_path / "file").read_bytes() == b"theirs"
    assert names(tmp_path) == ["file"]


def test_a_file_can_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    replace(str(tmp_path / "file"), None, was=b"old")

    assert names(tmp_path) == []


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "file.unspool-tmp").write_bytes(b"ha")
    replace(str(tmp_path / "file"), b"new", was=None)

    assert names(tmp_path) == ["file"]


def test_the_last_five_copies_are_kept_and_others_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "file.bak-20200101").write_bytes(b"theirs")
    made = [back_up(str(tmp_path / "file"), b"%d" % n, f"2026-{n}") for n in range(7)]

    assert names(tmp_path) == ["file.bak-20200101", *(Path(path).name for path in made[-5:])]
    assert Path(made[-1]).read_bytes() == b"6"


def test_a_copy_is_as_guarded_as_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o600)
    copy = back_up(str(tmp_path / "file"), b"secret", "1")

    assert Path(copy).stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    assert current(str(tmp_path / "none")) is None
    with pytest.raises(SourceError, match="not a regular file"):
        current(str(tmp_path))


def test_what_is_too_long_is_not_settings(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)

    with pytest.raises(ConfigError, match="too large"):
        current(str(tmp_path / "file"))


def test_two_of_us_work_one_after_the_other(tmp_path: Path) -> None:
    seen: list[str] = []

    def second() -> None:
        with alone(str(tmp_path)):
            seen.append("second")

    other = Thread(target=second)
    with alone(str(tmp_path)):
        other.start()
        other.join(0.2)
        seen.append("first")
    other.join()
    assert seen == ["first", "second"]


def test_one_who_never_ends_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)

    with alone(str(tmp_path)), pytest.raises(ConfigError, match="Try again"), alone(str(tmp_path)):
        pass


def test_a_missing_directory_is_made(tmp_path: Path) -> None:
    with alone(str(tmp_path / "a" / "b")):
        assert (tmp_path / "a" / "b").is_dir()
