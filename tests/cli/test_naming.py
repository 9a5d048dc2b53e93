"""Sessions that a command line names: by the beginning of an id, and by one that fits several."""

from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import here
from tests.redact.secrets import planted
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]
COMMANDS = ["show {}", "export {} -o -", "cost explain {}", "tail {}", "search x --session {}"]


def dated(session: str, day: int) -> Transcript:
    """Of a year that is over, which a date says."""
    start = f"2025-01-0{day}T10:00:00.000Z"
    return Transcript(session=session, start=start).user(f"prompt of {session}")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return root(tmp_path, dated("session-one", 1), dated("session-three", 3))


@pytest.mark.parametrize("command", COMMANDS)
def test_what_fits_several_is_listed_with_title_and_date(
    place: Path, capsys: Capsys, command: str
) -> None:
    said = here(capsys, *command.format("session-").split(), "--root", place)
    first, *candidates = said.err.splitlines()

    assert (said.code, said.out) == (2, "")
    assert first == "unspool: 'session-' matches 2 sessions. Use more of the id."
    assert sorted(candidates) == [
        "  session-one    1 Jan 2025  prompt of session-one",
        "  session-three  3 Jan 2025  prompt of session-three",
    ]


def test_many_are_not_all_listed(tmp_path: Path, capsys: Capsys) -> None:
    root(tmp_path, *(talk(f"session-{number:02}") for number in range(23)))
    said = here(capsys, "show", "session", "--root", tmp_path)

    assert said.err.startswith("unspool: 'session' matches 23 sessions.")
    assert said.err.splitlines()[-1] == "  and 3 more"
    assert len(said.err.splitlines()) == 22


def test_the_titles_are_without_secrets(tmp_path: Path, capsys: Capsys) -> None:
    secret = planted(1)[0].text
    made = [Transcript(session=name).user(f"use {secret}") for name in ("same-1", "same-2")]
    said = here(capsys, "show", "same", "--root", root(tmp_path, *made))

    assert secret not in said.err
    assert said.err.count("[redacted: ") == 2


def test_one_that_cannot_be_read_is_listed_by_its_id(place: Path, capsys: Capsys) -> None:
    path = talk("session-four").path_in(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    said = here(capsys, "show", "session-", "--root", place)

    assert "  session-four" in said.err.splitlines()


def test_a_project_is_named_by_its_id(tmp_path: Path, capsys: Capsys) -> None:
    for cwd in ("/home/dev/a", "/home/dev/b"):
        talk("same-id", cwd=cwd).save(tmp_path)
    for project in ("-home-dev-a", "-home-dev-b"):
        said = here(capsys, "show", "same-id", "--project", project, "--json", "--root", tmp_path)

        assert f'"projectId":"{project}"' in said.out
    assert len(here(capsys, "ls", "--project", "-dev-b", "--root", tmp_path).out.splitlines()) == 2
