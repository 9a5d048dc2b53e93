import os
from pathlib import Path

import pytest

from unspool.source.results import output_files, persisted, pointer_in
from unspool.source.roots import find_roots


@pytest.fixture
def session(tmp_path: Path) -> Path:
    results = tmp_path / "s1" / "tool-results"
    results.mkdir(parents=True)
    (results / "out.txt").write_bytes(b"all of it")
    (tmp_path / "secret.txt").write_bytes(b"not yours")
    return tmp_path / "s1"


def test_a_pointer_from_another_machine_is_found_here(session: Path) -> None:
    assert persisted(session, "/home/other/.claude/projects/-x/s0/tool-results/out.txt") == (
        b"all of it"
    )


def test_a_pointer_from_windows_is_found_too(session: Path) -> None:
    assert persisted(session, "C:\\Users\\x\\tool-results\\out.txt\n") == b"all of it"


@pytest.mark.parametrize(
    "pointer", ["../../secret.txt", "/etc/passwd", "..", ".", "", "/", "a\0b", "x" * 5000]
)
def test_nothing_outside_the_session_s_results_is_read(session: Path, pointer: str) -> None:
    assert persisted(session, pointer) is None


def test_a_link_out_of_the_results_is_not_followed(session: Path) -> None:
    (session / "tool-results" / "link.txt").symlink_to(session.parent / "secret.txt")

    assert persisted(session, "link.txt") is None


def test_results_that_are_themselves_a_link_are_not_followed(session: Path) -> None:
    other = session.parent / "s2"
    other.mkdir()
    (other / "tool-results").symlink_to(session / "tool-results")

    assert persisted(other, "out.txt") is None


def test_a_result_longer_than_the_limit_is_not_given(session: Path) -> None:
    assert persisted(session, "out.txt", limit=8) is None
    assert persisted(session, "out.txt", limit=9) == b"all of it"


def test_a_pipe_among_the_results_does_not_hold_us(session: Path) -> None:
    os.mkfifo(session / "tool-results" / "pipe.txt")

    assert persisted(session, "pipe.txt") is None


def test_a_session_without_results_has_none(tmp_path: Path) -> None:
    assert persisted(tmp_path, "out.txt") is None


def test_every_output_of_a_root_is_listed_with_its_session(tmp_path: Path) -> None:
    for session in ("s1", "s2"):
        directory = tmp_path / "projects" / "-repo" / session / "tool-results"
        directory.mkdir(parents=True)
        (directory / f"{session}.json").write_bytes(b"12345")
    (directory / "a\\b.txt").write_bytes(b"no pointer leads here")
    (root,) = find_roots([tmp_path], {}, tmp_path)
    found = list(output_files(root))

    assert [(one.session_id, one.path, one.size) for one in found] == [
        ("s1", "projects/-repo/s1/tool-results/s1.json", 5),
        ("s2", "projects/-repo/s2/tool-results/s2.json", 5),
    ]


def test_a_line_names_the_file_of_its_output() -> None:
    said = "<persisted-output>\nToo large. Full output saved to: /a/b.txt \n\nPreview"

    assert (pointer_in(said), pointer_in("nothing")) == ("/a/b.txt", "")
