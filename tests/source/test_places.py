from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from unspool.errors import NotFound
from unspool.source.places import places
from unspool.source.roots import find_roots


@pytest.fixture
def home(home: Path) -> Path:
    """A home with two Claude directories, one of them by a second name."""
    (home / ".claude" / "projects" / "-repo").mkdir(parents=True)
    (home / "other" / "projects").mkdir(parents=True)
    (home / "link").symlink_to(home / "other")
    (home / "bare").mkdir()
    return home


CASES: list[tuple[list[str], dict[str, str]]] = [
    ([], {}),
    ([], {"CLAUDE_CONFIG_DIR": "{home}/other"}),
    ([], {"CLAUDE_CONFIG_DIR": "{home}/other/"}),
    ([], {"CLAUDE_CONFIG_DIR": "{home}/other,{home}/.claude"}),
    ([], {"CLAUDE_CONFIG_DIR": " {home}/other ,"}),
    ([], {"CLAUDE_CONFIG_DIR": "~/other"}),
    ([], {"CLAUDE_CONFIG_DIR": "", "CLAUDE_ROOT": "{home}/other"}),
    ([], {"CLAUDE_CONFIG_DIR": "{home}/.claude", "CLAUDE_ROOT": "{home}/other"}),
    ([], {"CLAUDE_CONFIG_DIR": "{home}/nowhere"}),
    (["{home}/other"], {"CLAUDE_CONFIG_DIR": "{home}/.claude"}),
    (["{home}/other", "{home}/link"], {}),
    (["{home}/.claude/projects"], {}),
    (["{home}/.claude/projects/-repo"], {}),
    (["{home}/bare"], {}),
    (["{home}/.claude/../other"], {}),
]


@pytest.mark.parametrize(("explicit", "env"), CASES)
def test_places_are_the_roots(explicit: list[str], env: dict[str, str], home: Path) -> None:
    said = [path.format(home=home) for path in explicit]
    around = {name: value.format(home=home) for name, value in env.items()}
    roots: list[tuple[Any, ...]] = [
        astuple(root) for root in find_roots([Path(path) for path in said], around, home)
    ]

    assert places(said, around, str(home)) == roots


def test_the_xdg_directory_joins_as_it_does_there(home: Path) -> None:
    (home / ".config" / "claude" / "projects").mkdir(parents=True)

    assert [place[2] for place in places([], {}, str(home))] == ["", "r2~"]


def test_a_directory_that_is_not_there_is_said_so(home: Path) -> None:
    with pytest.raises(NotFound):
        places([str(home / "nowhere")], {}, str(home))
