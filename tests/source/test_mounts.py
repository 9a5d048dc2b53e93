from pathlib import Path

import pytest

from unspool.source.mounts import mounted, network


def mount(point: str, kind: str) -> str:
    return f"36 35 98:0 / {point} rw,noatime shared:1 - {kind} server:/export rw\n"


LOCAL = mount("/", "ext4")


def test_a_path_below_a_network_mount_lies_on_it() -> None:
    assert network("/net/home/me", LOCAL + mount("/net", "nfs4")) == "nfs4"


def test_a_local_path_beside_a_network_mount_does_not() -> None:
    assert network("/network", LOCAL + mount("/net", "nfs4")) == ""


def test_a_local_mount_inside_a_network_mount_is_local() -> None:
    assert network("/net/here", mount("/net", "cifs") + mount("/net/here", "ext4")) == ""


def test_what_is_mounted_later_hides_what_was_there() -> None:
    assert network("/net", mount("/net", "ext4") + mount("/net", "fuse.sshfs")) == "fuse.sshfs"


def test_a_space_in_a_mount_point_is_understood() -> None:
    assert network("/my net/x", LOCAL + mount("/my\\040net", "9p")) == "9p"


@pytest.mark.parametrize("table", ["", "\n", "nonsense", "a b c - ", " - nfs", "\x00 - - -"])
def test_a_table_that_makes_no_sense_names_nothing(table: str) -> None:
    assert network("/anywhere", table) == ""


def test_the_machine_is_asked_without_failing(tmp_path: Path) -> None:
    assert isinstance(network(str(tmp_path), mounted()), str)
