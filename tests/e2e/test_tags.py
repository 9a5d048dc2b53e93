"""Tags that Claude Code, editors and programs put into text reach no reader, on any surface."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cases import PROJECT, Files
from tests.e2e.workspaces import Workspace
from tests.engine.roots import NOW
from unspool.demo import Transcript, text_block

TAGS = re.compile(
    r"(?:<|&lt;)/?(?:ide_|ci-monitor|user-memory|command-|teammate|channel|cross-session|task-)"
)
WORDS = "kettle"


def talk() -> Transcript:
    """Every kind of text that is written in tags, each with the same word."""
    made = Transcript("s1")
    lead = 'teammate_id="lead" summary="Mend the kettle"'
    made.user(f"<teammate-message {lead}>the kettle</teammate-message>").says("ok")
    for tag in ("ci-monitor-event", "user-memory-input", 'channel source="chat"'):
        made.user(f"<{tag}>\nkettle by {tag.split()[0]}\n</{tag.split()[0]}>").says("ok")
    for tag in ("ide_opened_file", "ide_selection"):
        made.user([text_block(f"<{tag}>beside</{tag}>"), text_block(f"kettle, {tag}")]).says("ok")
    made.user("<command-name>/boil</command-name><command-args>the kettle</command-args>")
    made.says("ok")
    sent = '<cross-session-message from-name="ann">kettle of ann</cross-session-message>'
    made.user(f"Another Claude session sent a message:\n{sent}").says("ok")
    report = "<task-notification><task-id>a1</task-id><status>done</status></task-notification>"
    return made.user(report).says("ok")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = tmp_path_factory.mktemp("tags")
    made = Workspace(place / "claude", place / "unspool", NOW + 60_000)
    Files(made).save(talk())
    made.index()
    return made


def texts(workspace: Workspace, place: Path) -> Iterator[tuple[str, str]]:
    """What each surface shows of the session."""
    for args in (["ls"], ["ls", "--json"], ["show", "s1"], ["show", "s1", "--json"],
                 ["show", "s1", "--turns"], ["show", "s1", "--lines"], ["search", WORDS],
                 ["search", WORDS, "--json"], ["top", "--json"],
                 ["sql", "SELECT title, goal FROM sessions"],
                 ["sql", "SELECT preview FROM lines"]):  # fmt: skip
        yield " ".join(args), workspace.run(*args) or ""
    for kind in ("html", "md", "json"):
        path = place / f"out.{kind}"
        workspace.run("export", "s1", "-o", str(path))
        yield f"export {kind}", path.read_text()
    with workspace.answering() as site:
        for page in (f"/s/{PROJECT}/s1", "/sessions", "/", f"/search?q={WORDS}"):
            yield page, site.ask(page).text
        yield "events", site.ask("/api/sessions/s1/events").text


def test_no_surface_shows_a_tag(workspace: Workspace, tmp_path: Path) -> None:
    shown = dict(texts(workspace, tmp_path))

    assert {name: TAGS.findall(text) for name, text in shown.items() if TAGS.search(text)} == {}
    assert {name for name, text in shown.items() if not re.search("ok|kettle", text)} == set()


def test_each_text_is_shown_without_its_tags(workspace: Workspace) -> None:
    shown = workspace.run("show", "s1") or ""

    for text in ("the kettle", "kettle by ci-monitor-event", "# kettle by user-memory-input",
                 "kettle by channel", "kettle, ide_selection", "/boil the kettle", "kettle of ann",
                 "a1: done"):  # fmt: skip
        assert text in shown, text
