import pytest

from unspool.show.paths import below, file_name, split_path


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/dev/kettle", "kettle"),
        ("/home/dev/kettle/", "kettle"),
        ("C:\\Users\\dev\\kettle", "kettle"),
        ("c:/Users/dev/kettle\\", "kettle"),
        ("\\\\server\\share\\kettle", "kettle"),
        ("kettle", "kettle"),
        ("", ""),
        ("/home/dev/a\\b", "a\\b"),
        ("fo+\\s+bar", "fo+\\s+bar"),
    ],
)
def test_the_last_part_of_a_path_is_that_of_its_own_system(path: str, name: str) -> None:
    assert file_name(path) == name


def test_a_path_is_seen_from_a_directory_above_it() -> None:
    assert below("/home/dev/src/a.py", "/home/dev") == "src/a.py"
    assert below("C:\\dev\\src\\a.py", "C:\\dev") == "src\\a.py"
    assert below("/home/develop", "/home/dev") == "/home/develop"
    assert below("/a", "") == "/a"


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("src/limits/bucket.py", ("src/limits/", "bucket.py")),
        ("src\\limits\\bucket.py", ("src\\limits\\", "bucket.py")),
        ("C:\\a/b.py:3–9", ("C:\\a/", "b.py:3–9")),
        ("src/a\\b", ("src/", "a\\b")),
        ("/src/dir/", ("/src/", "dir/")),
        ("bucket.py", ("", "bucket.py")),
        ("", ("", "")),
    ],
)
def test_a_path_is_its_folder_and_its_name(path: str, parts: tuple[str, str]) -> None:
    assert split_path(path) == parts
