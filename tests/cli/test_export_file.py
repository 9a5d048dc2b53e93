import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from unspool.cli.export import to_file
from unspool.errors import ConfigError


def broken() -> Iterator[bytes]:
    yield b"half"
    raise OSError(5, "no more")


def test_the_file_is_what_was_given(tmp_path: Path) -> None:
    path = str(tmp_path / "a")

    assert to_file(path, [b"one", b"two"]) == (path, 6)
    assert Path(path).read_bytes() == b"onetwo"


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(ConfigError, match="--force"):
        to_file(str(tmp_path / "a"), [b"new"])

    assert (tmp_path / "a").read_text() == "old"


def test_force_writes_over_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    to_file(str(tmp_path / "a"), [b"new"], force=True)

    assert (tmp_path / "a").read_text() == "new"


@pytest.mark.parametrize("force", [True, False])
def test_a_file_that_is_not_finished_never_appears(tmp_path: Path, force: bool) -> None:
    with pytest.raises(OSError, match="no more"):
        to_file(str(tmp_path / "a"), broken(), force=force)

    assert list(tmp_path.iterdir()) == []


def test_what_came_meanwhile_stays(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        (tmp_path / "a").write_text("theirs")
        yield b"ours"

    with pytest.raises(ConfigError):
        to_file(str(tmp_path / "a"), pieces())

    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "theirs"


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    to_file(str(tmp_path / "a"), [b"new"])

    assert (tmp_path / "a").read_text() == "new"


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    to_file(str(tmp_path / "a"), [b"new"])

    assert (tmp_path / "a").stat().st_mode & 0o077 == 0


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="directory"):
        to_file(str(tmp_path), [b"new"], force=True)


def test_an_error_names_the_directory_and_not_our_own_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as caught:
        to_file(str(tmp_path / "file" / "a"), [b"new"])

    assert caught.value.filename == str(tmp_path / "file")


def test_a_device_is_written_to_as_it_is() -> None:
    assert to_file(os.devnull, [b"gone"]) == (os.devnull, 4)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    to_file(str(tmp_path / "link"), [b"new"], force=True)

    assert (tmp_path / "real").read_text() == "old"
    assert (tmp_path / "link").read_text() == "new"
