import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.source.repositories import CONFIG, repository, worktree
from unspool.demo import Transcript
from unspool.source import checkouts
from unspool.source.checkouts import (
    Checkout,
    by_name,
    by_path,
    normal_origin,
    project_path,
    read_checkout,
)
from unspool.source.files import projects
from unspool.source.roots import find_roots
from unspool.source.safe_open import read_at

ADDRESS = "github.com/org/repo"


@pytest.mark.parametrize(
    ("path", "main"),
    [
        ("/w/repo/.claude/worktrees/feat-x", "/w/repo"),
        ("/w/repo/.claude/worktrees/feat/x/src", "/w/repo"),
        ("/w/repo/.claude/worktrees/a/.claude/worktrees/b", "/w/repo"),
        (r"D:\repo\.claude\worktrees\feat-x", r"D:\repo"),
        ("/w/repo/.claude", "/w/repo/.claude"),
        ("/w/repo/claude/worktrees/x", "/w/repo/claude/worktrees/x"),
        ("", ""),
    ],
)
def test_the_path_alone_tells_of_claude_codes_own_worktrees(path: str, main: str) -> None:
    assert by_path(path) == Checkout(path, main)


def test_so_does_the_name_of_a_project_directory() -> None:
    assert by_name("-w-repo--claude-worktrees-feat-x") == "-w-repo"
    assert by_name("r2~D--repo--claude-worktrees-x") == "r2~D--repo"
    assert by_name("--claude-worktrees-x") == "--claude-worktrees-x"
    assert by_name("-w-repo") == "-w-repo"


def test_a_linked_worktree_is_of_its_main_checkout(tmp_path: Path) -> None:
    main = repository(tmp_path / "repo", "git@github.com:Org/Repo.git")
    linked = worktree(main, tmp_path / "elsewhere" / "wt")

    assert read_checkout(str(linked)) == Checkout(str(linked), str(main), True, ADDRESS)
    assert read_checkout(str(main)) == Checkout(str(main), str(main), True, ADDRESS)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_what_git_writes_is_read(tmp_path: Path) -> None:
    main, linked = tmp_path / "repo", tmp_path / "wt"
    run = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C"]
    for words in (
        ["init", "-q", "."],
        ["commit", "-q", "--allow-empty", "-m", "m"],
        ["remote", "add", "origin", "ssh://git@github.com:22/Org/Repo"],
        ["worktree", "add", "-q", str(linked)],
    ):
        main.mkdir(exist_ok=True)
        subprocess.run([*run, str(main), *words], check=True, capture_output=True)

    assert read_checkout(str(linked)) == Checkout(str(linked), str(main), True, ADDRESS)


def test_a_directory_of_a_worktree_is_that_directory_of_the_main_checkout(tmp_path: Path) -> None:
    main = repository(tmp_path / "mono", "https://github.com/org/repo")
    linked = worktree(main, tmp_path / "wt")

    found = read_checkout(str(linked / "apps" / "web"))

    assert (found.main, found.origin) == (str(main / "apps" / "web"), f"{ADDRESS}/apps/web")


def test_worktrees_of_a_bare_repository_are_of_one_name(tmp_path: Path) -> None:
    for name in ("shop.git", "shop/.bare"):
        bare = tmp_path / name
        bare.mkdir(parents=True)
        linked = worktree(bare, tmp_path / f"wt-{len(name)}", common=bare)

        assert read_checkout(str(linked)).main == str(tmp_path / "shop")


def test_a_removed_worktree_of_claude_code_still_leads_to_its_repository(tmp_path: Path) -> None:
    main = repository(tmp_path / "repo", "https://github.com/org/repo.git")
    gone = str(main / ".claude" / "worktrees" / "feat")

    assert read_checkout(gone) == Checkout(gone, str(main), True, ADDRESS)


def test_a_directory_that_is_in_no_repository_is_by_itself(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "gone"), "relative", "/w\0x", "/" + "x" * 2_000, ""):
        assert read_checkout(path) == Checkout(path, path)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/org/repo",
        "https://github.com/Org/Repo.git",
        "https://user:ghp_secret@GitHub.com:443/org/repo/",
        "git@github.com:org/repo.git",
        "github.com:org/repo",
        "ssh://git@github.com:22/org/repo.git",
        "git://github.com/org/repo",
        '"https://github.com/org/repo"',
    ],
)
def test_all_ways_to_write_an_address_are_one_without_its_password(url: str) -> None:
    assert normal_origin(url) == ADDRESS


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/shop.git", "/srv/shop"),
        ("file:///srv/shop/.git", "/srv/shop"),
        ("/srv/x/../shop", "/srv/shop"),
        ("../shop", ""),
        ("C:\\shop", ""),
        ("", ""),
        ("https://github.com/", ""),
        ("https://github.com/a\x1b[2Jb", ""),
        ("https://github.com/" + "x" * 2_000, ""),
    ],
)
def test_a_clone_of_a_directory_is_of_that_directory(url: str, path: str) -> None:
    assert normal_origin(url) == path


def test_other_remotes_and_other_sections_are_not_the_origin(tmp_path: Path) -> None:
    main = repository(tmp_path / "repo")
    config = (
        CONFIG + '[branch "origin"]\n\turl = https://e.com/no\n[remote]\n\turl = https://e.com/n\n'
    )
    (main / ".git" / "config").write_text(config)

    assert read_checkout(str(main)).origin == ""


def test_a_git_file_that_its_repository_does_not_know_is_not_believed(tmp_path: Path) -> None:
    main = repository(tmp_path / "repo", "https://github.com/org/repo")
    worktree(main, tmp_path / "real")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    for target in (main / ".git" / "worktrees" / "real", main / ".git", "/etc", "/", "x" * 9_000):
        (hostile / ".git").write_text(f"gitdir: {target}\n")

        assert read_checkout(str(hostile)) == Checkout(str(hostile), str(hostile))


def test_a_worktree_whose_common_directory_lies_elsewhere_is_not_believed(tmp_path: Path) -> None:
    main, other = repository(tmp_path / "repo"), repository(tmp_path / "other", ADDRESS)
    linked = worktree(main, tmp_path / "wt")
    (main / ".git" / "worktrees" / "wt" / "commondir").write_text(f"{other / '.git'}\n")

    assert read_checkout(str(linked)) == Checkout(str(linked), str(linked))


@pytest.mark.parametrize("name", [".git", ".git/config"])
def test_no_link_pipe_or_large_file_is_read(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text('[remote "origin"]\n\turl = https://github.com/org/repo\n')
    made: list[Callable[[Path], object]] = [
        lambda path: path.symlink_to(secret),
        os.mkfifo,
        lambda path: path.write_bytes(b"gitdir: /x\n" + b"#" * 300_000 + secret.read_bytes()),
        lambda path: path.write_bytes(b"\xff\0" * 100),
        lambda path: path.mkdir(),
    ]
    for number, make in enumerate(made):
        place = tmp_path / f"repo-{number}"
        path = place / name
        path.parent.mkdir(parents=True)
        make(path)

        assert read_checkout(str(place)).origin == ""


def test_a_link_in_place_of_the_git_directory_is_not_followed(tmp_path: Path) -> None:
    other = repository(tmp_path / "other", "https://github.com/org/repo")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ".git").symlink_to(other / ".git")

    assert not read_checkout(str(tmp_path / "mine")).is_git


def test_a_project_lies_where_its_transcripts_say_if_that_is_its_name(tmp_path: Path) -> None:
    Transcript("s1", "/w/sh.op").user("hello").save(tmp_path)
    moved = Transcript("s2", "/w/before").user("hello").bytes()
    (tmp_path / "projects" / "-w-sh-op" / "a.jsonl").write_bytes(moved)
    (tmp_path / "projects" / "-w-moved").mkdir()
    (tmp_path / "projects" / "-w-moved" / "s2.jsonl").write_bytes(moved)
    (tmp_path / "projects" / "-w-odd").mkdir()
    (tmp_path / "projects" / "-w-odd" / "s3.jsonl").write_bytes(b'{"cwd":"\\ud8","cwd":"/w/\\q"}\n')
    (root,) = find_roots([tmp_path], {}, tmp_path)

    paths = {project.id: project_path(project) for project in projects(root)}

    assert paths == {"-w-sh-op": "/w/sh.op", "-w-moved": "", "-w-odd": ""}


def test_only_the_beginning_of_a_few_transcripts_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        Transcript(f"s{number:02}", "/w/shop").user("hello").save(tmp_path)
        path = tmp_path / "projects" / "-w-shop" / f"s{number:02}.jsonl"
        path.write_bytes(b"{}\n" * 30_000 + path.read_bytes())
    (root,) = find_roots([tmp_path], {}, tmp_path)
    read: list[int] = []
    real = read_at

    def counted(path: str, offset: int, length: int) -> bytes:
        read.append(length)
        return real(path, offset, length)

    monkeypatch.setattr(checkouts, "read_at", counted)

    assert [project_path(project) for project in projects(root)] == [""]
    assert sum(read) <= 8 * 64 * 1024
