import os
from pathlib import Path

import pytest

from unspool.source.context_files import ContextFiles
from unspool.source.session_files import project_slug


def put(path: Path, text: str = "12345") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


@pytest.fixture
def files(tmp_path: Path, repo: Path) -> ContextFiles:
    return ContextFiles(repo, tmp_path / "claude", tmp_path / "etc" / "CLAUDE.md", tmp_path)


def test_the_eight_sources_have_their_own_lengths(repo: Path, files: ContextFiles) -> None:
    top, memory = (
        repo.parent,
        Path("claude", "projects", project_slug(str(repo)), "memory", "MEMORY.md"),
    )
    places = ["etc/CLAUDE.md", "claude/CLAUDE.md", "repo/CLAUDE.md", "repo/.claude/CLAUDE.md"]
    places += ["repo/.claude/rules/a/r.md", "repo/CLAUDE.local.md", "claude/rules/u.md"]
    for length, place in enumerate([*places, str(memory)], 1):
        put(top / place, "x" * length)

    keys = "enterprise user project project-alt project-rules project-local user-rules auto-memory"
    assert files.global_files() == dict(zip(keys.split(), range(1, 9), strict=True))


def test_two_that_look_at_the_same_files_are_equal(repo: Path, files: ContextFiles) -> None:
    same, other = (
        ContextFiles(place, repo.parent / "claude", repo.parent / "etc" / "CLAUDE.md", repo.parent)
        for place in (repo, repo / "src")
    )

    assert (files == same, files == other, hash(files) == hash(same)) == (True, False, True)


def test_a_source_that_is_missing_weighs_nothing(files: ContextFiles) -> None:
    assert set(files.global_files().values()) == {0}


def test_rules_are_joined_by_newlines(repo: Path, files: ContextFiles) -> None:
    for name in ("a.md", "b.md", "deep/c.md", "notes.txt"):
        put(repo / ".claude" / "rules" / name, "123")

    assert files.global_files()["project-rules"] == 3 + 1 + 3 + 1 + 3


def test_of_the_memory_only_two_hundred_lines_count(repo: Path, files: ContextFiles) -> None:
    place = repo.parent / "claude" / "projects" / project_slug(str(repo)) / "memory"
    put(place / "MEMORY.md", "x\n" * 300)

    assert files.global_files()["auto-memory"] == 399


def test_the_memory_of_a_long_path_is_found_whatever_its_hash(tmp_path: Path) -> None:
    cwd = tmp_path / ("d" * 100) / ("e" * 100)
    name = project_slug(str(cwd))[:201] + "other"
    put(tmp_path / "claude" / "projects" / name / "memory" / "MEMORY.md")

    files = ContextFiles(cwd, tmp_path / "claude", tmp_path / "none")
    assert files.global_files()["auto-memory"] == 5


def test_a_length_counts_utf16_units(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "é界😀")

    assert files.global_files()["project"] == 4


def test_bytes_that_are_not_text_still_have_a_length(repo: Path, files: ContextFiles) -> None:
    (repo / "CLAUDE.md").write_bytes(b"\xff\xfe\xff")

    assert files.global_files()["project"] == 3


def test_an_imported_file_is_counted_once(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@a.md @a.md\n@b.md")
    put(repo / "a.md", "@b.md")
    put(repo / "b.md", "x" * 100)

    assert files.global_files()["project"] == 17 + 5 + 100


def test_files_that_import_each_other_end(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@a.md @CLAUDE.md")
    put(repo / "a.md", "@CLAUDE.md @a.md")

    assert files.global_files()["project"] == 16 + 16


def test_a_source_imported_by_another_is_not_counted_twice(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@CLAUDE.local.md")
    put(repo / "CLAUDE.local.md", "x" * 100)

    assert sum(files.global_files().values()) == 16 + 100


def test_imports_are_followed_five_deep(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@1.md")
    for number in range(1, 8):
        put(repo / f"{number}.md", f"@{number + 1}.md")

    assert files.global_files()["project"] == 6 * 5


def test_an_import_in_code_is_not_one(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "`@a.md`\n```\n@a.md\n```\nme@a.md")
    put(repo / "a.md", "x" * 100)

    assert files.global_files()["project"] == 29


def test_an_import_from_outside_weighs_nothing(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@../x.md @~/y.md")
    put(repo.parent / "x.md")
    put(repo.parent / "y.md")

    assert files.global_files()["project"] == 16


def test_an_import_from_claude_s_own_root_counts(repo: Path, files: ContextFiles) -> None:
    put(repo / "CLAUDE.md", "@~/claude/mine.md")
    put(repo.parent / "claude" / "mine.md")

    assert files.global_files()["project"] == 17 + 5


# devtools 83
def test_directories_between_a_file_and_the_root_have_theirs(
    repo: Path, files: ContextFiles
) -> None:
    near, above = put(repo / "src" / "lib" / "CLAUDE.md"), put(repo / "src" / "CLAUDE.md")
    put(repo / "CLAUDE.md")

    found = files.directory_files(str(repo / "src" / "lib" / "a.py"))
    assert found == {str(near): 5, str(above): 5}


def test_the_files_at_the_top_are_nobody_s_directory_files(repo: Path, files: ContextFiles) -> None:
    put(repo / ".claude" / "CLAUDE.md")

    assert files.directory_files(".claude/settings.json") == {}


def test_a_file_outside_the_project_has_no_directories(repo: Path, files: ContextFiles) -> None:
    put(repo.parent / "other" / "CLAUDE.md")

    assert files.directory_files(str(repo.parent / "other" / "a.py")) == {}


# devtools 85
def test_a_mentioned_file_counts_when_it_exists(repo: Path, files: ContextFiles) -> None:
    put(repo / "README.md")

    assert (files.mentioned("README.md"), files.mentioned("NO.md")) == (5, None)


def test_an_empty_file_is_there_and_weighs_nothing(repo: Path, files: ContextFiles) -> None:
    put(repo / "empty.md", "")

    assert files.mentioned("empty.md") == 0


def test_a_mentioned_directory_pipe_or_giant_is_none(repo: Path, files: ContextFiles) -> None:
    os.mkfifo(repo / "pipe")
    with open(repo / "giant", "wb") as giant:
        giant.truncate(1 << 33)

    assert [files.mentioned(name) for name in (".", "pipe", "giant")] == [None] * 3


# devtools 122
@pytest.mark.parametrize("name", ["src/app.py", "docs/key.md", "src/../a.py", "environment.py"])
def test_a_normal_source_file_may_be_weighed(repo: Path, files: ContextFiles, name: str) -> None:
    (repo / "src").mkdir()
    put(repo / name)

    assert files.mentioned(name) == 5


SECRETS = """.env .env.local sub/.ENV .ssh/known_hosts .aws/config .azure/x .config/gcloud/x .npmrc
.git-credentials .gitconfig .docker/config.json .kube/config .password-store/x .secrets id_rsa
id_ed25519 id_ecdsa server.pem tls.key credentials.json .credentials.json secrets.json tokens.json
etc/passwd etc/shadow""".split()


# devtools 122
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_not_weighed(repo: Path, files: ContextFiles, name: str) -> None:
    put(repo / name)

    assert files.mentioned(name) is None


# devtools 122
@pytest.mark.parametrize("name", ["../x.md", "~/x.md", "src/../../x.md", "/etc/passwd", "x\0y"])
def test_a_way_out_of_the_project_is_refused(repo: Path, files: ContextFiles, name: str) -> None:
    put(repo.parent / "x.md")

    assert files.mentioned(name) is None


# devtools 122
def test_the_home_s_keys_are_refused_even_when_it_is_the_project(tmp_path: Path) -> None:
    put(tmp_path / ".ssh" / "config")
    files = ContextFiles(tmp_path, tmp_path / ".claude", tmp_path / "none", tmp_path)

    assert files.mentioned("~/.ssh/config") is None


# devtools 122
def test_a_link_out_of_the_project_is_refused(repo: Path, files: ContextFiles) -> None:
    (repo / "link.md").symlink_to(put(repo.parent / "x.md"))

    assert files.mentioned("link.md") is None


def test_a_harmless_name_for_a_secret_is_refused(repo: Path, files: ContextFiles) -> None:
    (repo / "notes.md").symlink_to(put(repo / ".env"))

    assert files.mentioned("notes.md") is None


def test_a_link_within_the_project_is_followed(repo: Path, files: ContextFiles) -> None:
    (repo / "CLAUDE.md").symlink_to(put(repo / "AGENTS.md"))

    assert files.global_files()["project"] == 5


@pytest.mark.parametrize("cwd", ["", ".", "C:\\repo", "/a\0b", "/\ud800", "x" * 9000])
def test_a_working_directory_that_is_none_has_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str
) -> None:
    monkeypatch.chdir(put(tmp_path / "CLAUDE.md").parent)
    files = ContextFiles(Path(cwd), tmp_path / "claude", tmp_path / "none")

    assert set(files.global_files().values()) == {0}
    assert (files.mentioned("CLAUDE.md"), files.directory_files("a/b.py")) == (None, {})
