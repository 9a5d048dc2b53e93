import json
from pathlib import Path

import pytest

from tests.cli.runs import here, process, terminal
from tests.show.everything import AGENT, SECRET, everything

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    everything(tmp_path / "root")
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("format", "begins"),
    [("html", "<!doctype html>"), ("md", "# Make"), ("json", '{"session":'), ("jsonl", "{")],
)
def test_a_session_is_written_in_every_format(
    root: Path, capsys: Capsys, format: str, begins: str
) -> None:
    file = root.parent / "out"
    said = here(capsys, "export", "everything", "--root", root, "--format", format, "-o", file)

    assert said.code == 0
    assert said.out == ""
    assert file.read_text().startswith(begins)
    assert SECRET not in file.read_text()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.html", "<!doctype html>"),
        ("a.htm", "<!doctype html>"),
        ("a", "<!doctype html>"),
        ("a.md", "# Make"),
        ("a.MD", "# Make"),
        ("a.markdown", "# Make"),
        ("a.json", '{"session":'),
        ("a.jsonl", '{"type":'),
    ],
)
def test_the_suffix_of_the_file_says_its_format(
    root: Path, capsys: Capsys, name: str, begins: str
) -> None:
    file = root.parent / name
    said = here(capsys, "export", "everything", "--root", root, "-o", file)

    assert said.code == 0
    assert file.read_text().startswith(begins)


@pytest.mark.parametrize("option", [("--format", "json"), ("--json",)])
def test_a_format_that_is_given_is_stronger_than_a_suffix(
    root: Path, capsys: Capsys, option: tuple[str, ...]
) -> None:
    file = root.parent / "a.md"
    here(capsys, "export", "everything", "--root", root, "-o", file, *option)

    assert json.loads(file.read_text())["session"]["id"] == "everything"


def test_a_suffix_nobody_knows_needs_a_format(root: Path, capsys: Capsys) -> None:
    file = root.parent / "a.pdf"
    args = ("export", "everything", "--root", root, "-o", file)
    said = here(capsys, *args)

    assert (said.code, file.exists()) == (2, False)
    assert ".html .htm .md .markdown .json .jsonl" in said.err
    assert here(capsys, *args, "--format", "md").code == 0


def test_a_directory_that_is_missing_is_named(root: Path, capsys: Capsys) -> None:
    file = root.parent / "missing" / "a.html"
    said = here(capsys, "export", "everything", "--root", root, "-o", file)

    assert (said.code, said.err) == (1, f"unspool: There is no directory {file.parent}.\n")


def test_what_was_left_out_is_told_with_its_place(root: Path, capsys: Capsys) -> None:
    file = root.parent / "out"
    said = here(capsys, "export", "everything", "--root", root, "-o", file)

    assert said.err.splitlines()[0] == f"{file}: Secrets are redacted in 1 place: 1 github token."
    assert said.err.splitlines()[1].startswith("  step-")


def test_secrets_are_kept_only_loudly(root: Path, capsys: Capsys) -> None:
    file = root.parent / "out"
    said = here(capsys, "export", "everything", "--root", root, "-o", file, "--unredacted")

    assert SECRET in file.read_text()
    assert "NOT redacted" in said.err


def test_a_pipe_gets_the_file_itself(root: Path) -> None:
    for output in ((), ("-o", "-")):
        said = process("export", "everything", "--root", root, "--json", *output)

        assert said.code == 0
        assert json.loads(said.out)["session"]["id"] == "everything"
        assert "Secrets are redacted in 1 place" in said.err


def test_on_a_terminal_a_file_is_named_after_the_session(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    terminal("export", "everything", "--root", root, "--format", "md")

    assert (root.parent / "everything.md").read_text().startswith("# Make")


def test_an_agent_alone_can_be_exported(root: Path, capsys: Capsys) -> None:
    file = root.parent / "out"
    args = ("--agent", AGENT, "--format", "json", "-o", file)
    here(capsys, "export", "everything", "--root", root, *args)

    assert json.loads(file.read_text())["session"]["id"] == AGENT


def test_no_word_is_left_where_it_is_anonymised(root: Path, capsys: Capsys) -> None:
    file = root.parent / "out"
    args = ("--anonymise", "--format", "jsonl", "-o", file)
    said = here(capsys, "export", "everything", "--root", root, *args)

    assert said.code == 0
    assert "Anonymised" in said.err
    assert "limiter" not in file.read_text()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("nobody",), 3),
        (("everything", "--agent", "nobody"), 3),
        (("everything", "--format", "pdf"), 2),
        (("everything", "--json", "--format", "md"), 2),
        (("everything", "--format", "json", "--anonymise", "--unredacted"), 2),
        ((), 2),
        (("everything", "-o", "/nowhere/at/all"), 1),
    ],
)
def test_what_cannot_be_done_has_its_exit_code(
    root: Path, capsys: Capsys, args: tuple[str, ...], code: int
) -> None:
    said = here(capsys, "export", *args, "--root", root)

    assert said.code == code
    assert said.err


def test_a_file_that_is_there_is_written_over_only_by_force(root: Path, capsys: Capsys) -> None:
    file = root.parent / "out"
    file.write_text("old")
    args = ("export", "everything", "--root", root, "-o", file)

    assert here(capsys, *args).code == 1
    assert file.read_text() == "old"
    assert here(capsys, *args, "--force").code == 0
    assert file.read_text() != "old"


def test_the_story_is_shorter_and_json_has_no_levels(root: Path, capsys: Capsys) -> None:
    sizes = []
    for level in ("story", "normal"):
        file = root.parent / f"{level}.html"
        said = here(capsys, "export", "everything", "--root", root, "--level", level, "-o", file)
        assert said.code == 0
        sizes.append(file.stat().st_size)
    refused = here(
        capsys, "export", "everything", "--root", root, "--level", "story", "--format", "json"
    )

    assert sizes[0] < sizes[1]
    assert refused.code == 2
    assert "json always contains everything: a level is for html and md." in refused.err
