"""Every session opens that anything tells of, and says what of it is missing."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.engine.indexed import archive, roots
from tests.engine.live import Live
from tests.engine.roots import root_sessions, saved
from unspool.demo import Transcript
from unspool.engine.hooks.events import SpoolEvents
from unspool.engine.sessions.finder import Finder
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.errors import Ambiguous, NotFound
from unspool.model.document import SessionDocument

HOOKS_ONLY = "Known from hook events only: its transcript is not on this machine."
LONE = "lone-session"


def agent(id: str = "a1", session: str = LONE) -> Transcript:
    return Transcript(session, agent=id, uuid_prefix=f"{id}-").user(f"Look {id}").says("Seen")


def finder(root: Path, spool: str = "") -> Finder:
    return Finder(roots(root), SpoolEvents(spool, roots(root)) if spool else None)


def opened(live: Live, name: str, project: str | None = None) -> SessionDocument:
    reader = root_sessions(live.root)
    reader.listen(str(live.spool))
    return reader.open(reader.find(name, project=project)).document()


def test_a_session_known_from_a_spool_opens_with_its_prompt(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, "hooked", prompt="Build it")
    document = opened(live, "hooked")

    assert (document.session.title, document.session.project_id) == ("Build it", "-repo")
    assert (document.session.origin, document.diagnostics.missing) == ("hook", HOOKS_ONLY)


def test_a_session_known_from_an_event_log_opens_in_the_project_of_its_log(tmp_path: Path) -> None:
    live = Live(tmp_path).logs("UserPromptSubmit", 1, "logged", prompt="Build it", cwd="/other")

    assert opened(live, "logged").session.project_id == "-repo"


def test_a_session_known_from_the_registry_opens(tmp_path: Path) -> None:
    document = opened(Live(tmp_path).runs("alive", "busy", 1), "alive")

    assert (document.session.origin, document.session.status.state) == ("registry", "working")
    assert document.diagnostics.missing.startswith("Known from the registry")


@pytest.mark.parametrize("count", [1, 2])
def test_a_session_opens_whose_own_transcript_is_gone(tmp_path: Path, count: int) -> None:
    saved(tmp_path, *(agent(f"a{n}") for n in range(count)))
    reader = root_sessions(tmp_path)
    document = reader.open(reader.find(LONE)).document()
    remain = "1 agent transcript remains" if count == 1 else "2 agent transcripts remain"

    assert document.session.origin == "agents"
    assert document.session.title == "Look a0"
    assert [one.id for one in document.subagents] == [f"a{n}" for n in range(count)]
    assert document.diagnostics.missing == f"The session's own transcript is gone; {remain}."


def test_it_is_read_on_when_its_transcript_comes(tmp_path: Path) -> None:
    saved(tmp_path, agent())
    reader = root_sessions(tmp_path)
    before = reader.open(reader.find(LONE)).document()
    saved(tmp_path, Transcript(LONE).user("Build it").says("Done"))
    after = reader.open(reader.find(LONE)).document()

    assert (before.session.title, after.session.title) == ("Look a1", "Build it")
    assert (len(after.subagents), after.diagnostics.missing) == (1, "")


def test_a_beginning_that_fits_a_file_and_a_hook_is_ambiguous(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("Stop", 1, "same-hooked")
    saved(tmp_path, Transcript("same-written").user("go"))
    reader = root_sessions(tmp_path)
    reader.listen(str(live.spool))

    with pytest.raises(Ambiguous) as caught:
        reader.find("same")
    assert sorted(caught.value.candidates) == ["same-hooked", "same-written"]
    assert reader.find("same-hooked").session_id == "same-hooked"


def test_an_id_is_nearer_than_a_longer_one_that_begins_so(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("Stop", 1, "same")
    saved(tmp_path, Transcript("same-written").user("go"))

    assert opened(live, "same").session.id == "same"


def test_a_project_decides_between_sessions_of_one_id(tmp_path: Path) -> None:
    live = Live(tmp_path)
    live.hook("Stop", 1, transcript_path=str(tmp_path / "projects/-other/s1.jsonl"), cwd="/other")
    found = finder(tmp_path, str(live.spool))

    assert found.find("-repo", "s1") is None
    file = found.find("-other", "s1")
    assert file is not None
    assert file.path == str(tmp_path / "projects/-other/s1.jsonl")


@pytest.mark.parametrize("id", ["", ".", "..", "../s1", "a/b", "a\0b", "/etc/passwd"])
def test_no_hook_leads_out_of_the_root(tmp_path: Path, id: str) -> None:
    live = Live(tmp_path)
    live.hook("UserPromptSubmit", 1, id, prompt="x", transcript_path=None)
    found = finder(tmp_path, str(live.spool))

    assert list(found.hook_only_sessions(lambda _: False)) == []
    assert found.named(id) == []


@pytest.mark.parametrize("path", ["projects/../s1.jsonl", "projects/./s1.jsonl", "s1.jsonl"])
def test_no_transcript_that_a_hook_names_leads_out_of_it_either(tmp_path: Path, path: str) -> None:
    live = Live(tmp_path).hook("Stop", 1, transcript_path=f"{tmp_path}/{path}")
    places = [file.path for file in finder(tmp_path, str(live.spool)).named("s1")]

    assert all(os.path.dirname(place) == str(tmp_path / "projects/-repo") for place in places)


def test_no_agent_leads_out_of_it(tmp_path: Path) -> None:
    line = json.loads(agent().bytes().splitlines()[0]) | {"sessionId": "../s1"}
    path = tmp_path / "projects/-repo/agent-q1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(line) + "\n")

    assert [file.relpath for file in finder(tmp_path).files()] == ["projects/-repo/q1.jsonl"]


def test_agents_that_only_the_archive_has_are_found(tmp_path: Path) -> None:
    saved(tmp_path, agent())
    with archive(tmp_path) as kept:
        shutil.rmtree(tmp_path / "projects/-repo")
        swept = ArchivedSessions(kept, roots(tmp_path))
        (file,) = Finder(roots(tmp_path), None, swept).files()

    assert (file.session_id, file.size, os.path.exists(file.path)) == (LONE, 0, False)


@pytest.mark.parametrize("name", ["main", "agents"])
def test_the_archive_is_asked_for_one_session_and_not_for_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    saved(tmp_path, Transcript("main").user("Go"), agent(session="agents"))
    with archive(tmp_path) as kept:
        monkeypatch.setattr(kept.store, "sources", lambda: pytest.fail("all files were read"))
        shutil.rmtree(tmp_path / "projects/-repo")
        places = Finder(roots(tmp_path), None, ArchivedSessions(kept, roots(tmp_path)))
        file = places.find("-repo", name)

        assert file is not None
        assert (file.session_id, file.kind) == (name, "main")
        assert file.mtime_ns
        assert places.find("-repo", "nobody") is None
        assert places.find("-other", name) is None


def test_what_nobody_tells_of_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    with pytest.raises(NotFound):
        finder(tmp_path).by_name("nobody")
