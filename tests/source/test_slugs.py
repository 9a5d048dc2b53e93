import ntpath
import os

import pytest

from unspool.model.files import Root
from unspool.source.session_files import is_slug_of, project_folder, project_of, project_slug

LONG = "/tmp/" + "a" * 196


# format 16
def test_dots_underscores_and_separators_each_become_a_dash() -> None:
    assert project_slug("/home/me/my_app.v2") == "-home-me-my-app-v2"


def test_a_windows_path_keeps_its_drive_letter() -> None:
    assert project_slug("C:\\Users\\Me") == "C--Users-Me"


# format 16
def test_an_emoji_becomes_two_dashes_and_a_letter_beyond_ascii_one() -> None:
    assert (project_slug("/😀"), project_slug("/界")) == ("---", "--")


def test_an_accent_counts_once_however_it_is_composed() -> None:
    assert project_slug("/cafe\u0301") == project_slug("/caf\u00e9") == "-caf-"


def test_two_hundred_characters_are_kept_as_they_are() -> None:
    assert len(project_slug(LONG[:200])) == 200


# format 16
def test_the_two_hundred_and_first_character_brings_a_hash() -> None:
    name = project_slug(LONG)

    assert name.startswith("-tmp-" + "a" * 195 + "-")
    assert name.rpartition("-")[2].isalnum()


def test_a_long_path_s_hash_counts_in_base_36_of_its_31_hash() -> None:
    # 31 * x of equal units is a geometric sum, so this one can be checked by hand.
    total = sum(ord("/") * 31**power for power in range(201)) & 0xFFFFFFFF
    signed = total - (1 << 32) if total >= 1 << 31 else total

    assert int(project_slug("/" * 201).rpartition("-")[2], 36) == abs(signed)


def test_a_long_name_matches_whatever_hash_follows_it() -> None:
    assert is_slug_of(project_slug(LONG)[:201] + "zzz", LONG)
    assert not is_slug_of("-tmp-b" + project_slug(LONG)[6:], LONG)


def test_a_short_name_matches_only_itself() -> None:
    assert is_slug_of("-repo", "/repo")
    assert not is_slug_of("-repo-x", "/repo")


def test_a_broken_surrogate_does_not_stop_the_naming() -> None:
    assert project_slug("/\ud800x") == "--x"


@pytest.mark.parametrize(
    ("path", "project"),
    [
        ("/home/dev/.claude/projects/-repo/s1.jsonl", "-repo"),
        ("C:\\Users\\dev\\projects\\C--repo\\s1.jsonl", "C--repo"),
        ("s1.jsonl", ""),
        ("/etc/passwd", ""),
        ("", ""),
        ("/home/dev/.claude/projects/../s1.jsonl", ""),
    ],
)
def test_a_transcripts_directory_names_the_project(path: str, project: str) -> None:
    assert project_folder(path) == project


ROOTS = [Root(1, "/a", "", "/a/projects"), Root(2, "/b", "r2~", "/b/projects")]


def test_a_project_is_named_by_the_transcript_to_come_or_by_the_directory() -> None:
    assert project_of("/b/projects/-x/s1.jsonl", "/y", ROOTS) == "r2~-x"
    assert project_of("", "/home/me", ROOTS) == "-home-me"
    assert project_of("/c/projects/-x/s1.jsonl", "/y", ROOTS) is None


def test_a_session_of_which_nothing_is_known_has_a_project_all_the_same() -> None:
    assert project_of("", "", ROOTS) == "-"


def test_no_project_leads_out_of_its_root() -> None:
    assert project_of("/a/projects/../s1.jsonl", "/y", ROOTS) == "-y"


def test_a_project_that_is_not_asked_for_is_none() -> None:
    roots = [Root(1, "/a", "", "/a/projects", only="-x")]

    assert project_of("/a/projects/-x/s1.jsonl", "", roots) == project_of("", "/x", roots) == "-x"
    assert project_of("/a/projects/-y/s1.jsonl", "", roots) is None


def test_a_transcript_is_in_a_root_however_its_drive_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = Root(1, "C:\\Users\\Me\\.claude", "", "C:\\Users\\Me\\.claude\\projects", None)
    path = "c:\\Users\\Me\\.claude\\projects\\C--kettle\\s1.jsonl"

    # No longer than this: what runs tests asks for paths, too.
    with monkeypatch.context() as windows:
        windows.setattr(os, "path", ntpath)
        windows.setattr(os, "sep", "\\")
        own = project_of(path, "C:\\kettle", [root])
        other = project_of(path.replace("Me", "You"), "C:\\kettle", [root])

    assert (own, other) == ("C--kettle", None)
