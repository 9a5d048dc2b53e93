from argparse import ArgumentTypeError

import pytest

from unspool.cli import arguments


def test_every_command_can_give_json() -> None:
    assert arguments.command_parser("x", "Does x.").parse_args(["--json"]).json


def test_a_root_may_be_named_as_often_as_one_likes() -> None:
    made = arguments.command_parser("x", "Does x.")
    arguments.add_root(made)

    assert made.parse_args(["--root", "a", "--root", "b"]).root == ["a", "b"]
    assert made.parse_args([]).root == []


def test_an_option_is_not_guessed() -> None:
    with pytest.raises(SystemExit):
        arguments.command_parser("x", "Does x.").parse_args(["--js"])


@pytest.mark.parametrize(
    ("args", "project", "json"),
    [
        ("--project -home-dev-x", "-home-dev-x", False),
        ("--project=-home-dev-x", "-home-dev-x", False),
        ("--project -j --json", "-j", True),
        ("--json --project -", "-", True),
        ("--project - -- --project", "-", False),
    ],
)
def test_a_project_may_begin_with_a_dash(args: str, project: str, json: bool) -> None:
    parser = arguments.command_parser("x", "Does x.")
    parser.add_argument("--project")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(args.split())

    assert (options.project, options.json) == (project, json)


def test_an_option_is_no_project(capsys: pytest.CaptureFixture[str]) -> None:
    parser = arguments.command_parser("x", "Does x.")
    parser.add_argument("--project")
    with pytest.raises(SystemExit):
        parser.parse_args(["--project", "--json"])

    assert "argument --project: expected one argument" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["-1", "1.5", "many", ""])
def test_a_count_is_a_whole_number(said: str) -> None:
    with pytest.raises(ArgumentTypeError):
        arguments.count(said)
    assert arguments.count("7") == 7
