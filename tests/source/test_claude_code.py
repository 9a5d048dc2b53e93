import os

import pytest

from unspool.source.claude_code import (
    SPOOL,
    Folder,
    enter,
    loose_project,
    name_file,
    top_folders,
)
from unspool.source.roots import RootPlace

AGENTS = Folder("subagents", "-p", "s1")


def place(only: str | None = None) -> RootPlace:
    return RootPlace(1, "/r", "r2~", "/r/projects", only)


@pytest.mark.parametrize("agent", ["a", "reviewer@team-1", "x" * 128, "a.b_c-d"])
def test_an_agent_id_has_letters_digits_and_four_marks(agent: str) -> None:
    assert name_file(AGENTS, f"agent-{agent}.jsonl") == ("subagent", "-p", "s1", agent)


@pytest.mark.parametrize("agent", ["", "-a", ".a", "+a", "a b", "é", "x" * 129, "a\n"])
def test_any_other_agent_id_is_refused(agent: str) -> None:
    assert name_file(AGENTS, f"agent-{agent}.jsonl") is None


def test_a_file_deep_in_a_session_but_not_among_agents_has_no_kind() -> None:
    assert enter(Folder("session", "-p", "s1"), "other") is None
    assert name_file(Folder("session", "-p", "s1"), "agent-a.jsonl") is None


def test_an_event_log_of_a_session_that_is_called_like_an_agent_is_one() -> None:
    log = name_file(Folder("hook_logs", "-p"), "agent-a.hooks.jsonl")

    assert log == ("hook_log", "-p", "agent-a", None)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "s.jsonl", "s.orphaned", "\udcff"])
def test_a_directory_of_such_a_name_is_not_entered(name: str) -> None:
    assert enter(Folder("project", "-p"), name) is None


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_no_session_has_a_name_that_would_lead_elsewhere(name: str) -> None:
    assert name_file(Folder("project", "-p"), f"{name}.jsonl") is None
    assert name_file(Folder("hook_logs", "-p"), f"{name}.hooks.jsonl") is None


def test_a_narrowed_root_has_the_project_and_the_event_logs_asked_for() -> None:
    tops = {path: folder.project_id for path, folder in top_folders(place("-p"))}

    assert tops == {"/r/projects/-p": "r2~-p", "/r/hooks/-p": "r2~-p", "/r/sessions": ""}


@pytest.mark.parametrize(
    ("name", "is_spool"),
    [("2026-11-01.spool", True), ("x-12-3.spool", True), ("notes.spool", False), ("x", False)],
)
def test_a_file_of_the_spool_is_named_after_a_day_or_a_process(name: str, is_spool: bool) -> None:
    assert (name_file(SPOOL, name) is not None) == is_spool


@pytest.mark.parametrize(
    "path", ["saved/s1.jsonl", "saved/s1/subagents/agent-a.jsonl", "saved/s/subagents/w/x/a.jsonl"]
)
def test_a_loose_file_shows_its_project(path: str) -> None:
    assert loose_project(os.path.join("/home", path)) == "/home/saved"
