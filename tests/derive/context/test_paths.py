import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.context.paths import directories


# devtools 83
def test_a_file_brings_its_directories_up_to_the_root_but_not_the_root() -> None:
    assert directories("/repo/src/lib/a.ts", "/repo") == ["/repo/src/lib", "/repo/src"]


def test_a_file_in_the_root_brings_none() -> None:
    assert directories("/repo/a.ts", "/repo") == []


@pytest.mark.parametrize(
    "path",
    ["/elsewhere/a/b.ts", "/repository/a/b.ts", "/repo/../other/a/b.ts", "../a/b.ts", "~/a/b"],
)
def test_a_file_outside_the_root_brings_none(path: str) -> None:
    assert directories(path, "/repo") == []


def test_windows_separators_are_kept() -> None:
    path = r"C:\repo\src\lib\a.ts"

    assert directories(path, r"C:\repo") == [r"C:\repo\src\lib", r"C:\repo\src"]


def test_a_drive_is_the_same_in_either_case_and_separator() -> None:
    assert directories("c:/repo/src/a.ts", "C:\\repo") == ["C:\\repo\\src"]


def test_a_backslash_is_part_of_a_name_where_the_root_is_not_windows() -> None:
    assert directories("/repo/a\\b/c.ts", "/repo") == ["/repo/a\\b"]


def test_a_share_on_a_server_is_a_root() -> None:
    assert directories(r"\\server\repo\src\a.ts", r"\\server\repo") == [r"\\server\repo\src"]


def test_a_relative_path_starts_at_the_root() -> None:
    assert directories("./src/../lib/a.ts", "/repo/") == ["/repo/lib"]


def test_an_unknown_root_holds_nothing() -> None:
    assert directories("/repo/src/a.ts", "") == []


def test_the_file_system_itself_can_be_the_root() -> None:
    assert directories("/src/a.ts", "/") == ["/src"]


@given(st.text("aA.~/\\:C"), st.text("aA.~/\\:C"))
def test_every_directory_lies_below_the_root(path: str, root: str) -> None:
    base = root.rstrip("\\/")

    assert all(found.startswith(base) for found in directories(path, root))
