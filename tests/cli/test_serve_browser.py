import os
import sys
from pathlib import Path

import pytest

from unspool.cli.serve import has_screen, open_in_thread


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.parametrize(
    ("platform", "variable", "has"),
    [
        ("linux", "", False),
        ("linux", "SSH_CONNECTION", False),
        ("linux", "DISPLAY", True),
        ("linux", "WAYLAND_DISPLAY", True),
        ("linux", "BROWSER", True),
        ("darwin", "", True),
        ("darwin", "SSH_CONNECTION", False),
    ],
)
def test_a_browser_is_opened_where_it_can_be_seen(
    monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, has: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    if variable:
        monkeypatch.setenv(variable, "x")

    assert has_screen() is has


def test_it_is_the_readers_own_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, opened = tmp_path / "browser", tmp_path / "opened"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    os.chmod(program, 0o700)
    monkeypatch.setattr("webbrowser._tryorder", [f"{program} %s"])
    monkeypatch.setattr("webbrowser._browsers", {})
    monkeypatch.setenv("BROWSER", str(program))
    open_in_thread("http://localhost:1/#t=x").join(60)

    assert opened.read_text() == "http://localhost:1/#t=x"
