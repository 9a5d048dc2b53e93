from pathlib import Path

import pytest

from unspool.system import mounts
from unspool.system.mounts import file_system, mount_table

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:30 / /home rw - nfs4 server:/home rw
31 30 0:31 / /home/me/local rw - xfs /dev/vdb rw
32 22 0:32 / /mnt/c rw - 9p C: rw
33 22 0:33 / /with\\040space rw - cifs //s/x rw
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/srv/x", "ext4"),
        ("/home/me", "nfs4"),
        ("/homes", "ext4"),
        ("/home/me/local/un", "xfs"),
        ("/mnt/c/u", "9p"),
        ("/with space/u", "cifs"),
    ],
)
def test_the_nearest_mount_decides(place: str, kind: str) -> None:
    assert file_system(Path(place), MOUNTS) == kind


def mount(point: str, kind: str) -> str:
    return f"36 35 98:0 / {point} rw,noatime shared:1 - {kind} server:/export rw\n"


LOCAL = mount("/", "ext4")


def test_a_path_below_a_network_mount_lies_on_it() -> None:
    assert file_system("/net/home/me", LOCAL + mount("/net", "nfs4")) == "nfs4"


def test_a_local_path_beside_a_network_mount_does_not() -> None:
    assert file_system("/network", LOCAL + mount("/net", "nfs4")) == "ext4"


def test_a_local_mount_inside_a_network_mount_is_local() -> None:
    assert file_system("/net/here", mount("/net", "cifs") + mount("/net/here", "ext4")) == "ext4"


def test_what_is_mounted_later_hides_what_was_there() -> None:
    assert file_system("/net", mount("/net", "ext4") + mount("/net", "fuse.sshfs")) == "fuse.sshfs"


def test_a_space_in_a_mount_point_is_understood() -> None:
    assert file_system("/my net/x", LOCAL + mount("/my\\040net", "9p")) == "9p"


@pytest.mark.parametrize("table", ["", "\n", "nonsense", "a b c - ", " - nfs", "\x00 - - -"])
def test_a_table_that_makes_no_sense_names_nothing(table: str) -> None:
    assert file_system("/anywhere", table) == ""


def test_the_machine_is_asked_without_failing(tmp_path: Path) -> None:
    assert isinstance(file_system(tmp_path, mount_table()), str)


def test_where_there_is_no_table_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_TABLE", tmp_path / "absent")

    assert file_system(tmp_path, mount_table()) == ""
