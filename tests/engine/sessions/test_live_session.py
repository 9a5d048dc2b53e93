import json
import os
from pathlib import Path

import pytest

from tests.engine.roots import NOW, append, dated, listed, live, saved, setting
from unspool.demo import Transcript
from unspool.derive.story.ongoing import STALE_MS
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.transcripts.reader import TranscriptReader as Read
from unspool.engine.transcripts.reader import open_transcript
from unspool.errors import SourceError

MAIN = Transcript().user("go").calls("Agent", description="look", prompt="look around", id="call1")
LATER = NOW + STALE_MS + 60_000


def agent(id: str = "a1", **options: str) -> Transcript:
    return Transcript(agent=id, uuid_prefix=f"{id}-", **options).user("look around").says("seen")


def journal(root: Path, *entries: dict[str, str]) -> Path:
    path = root / "projects/-repo/s1/subagents/workflows/wf_1/journal.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def ids(found: LiveSession) -> list[str]:
    return [subagent.id for subagent in found.whole.agents]


# devtools 121
def test_an_agent_that_appears_is_found_by_a_refresh(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN)
    saved(tmp_path, agent())

    assert found.refresh(setting())
    assert ids(found) == ["a1"]


# devtools 121
def test_an_agent_that_goes_on_alone_changes_the_session(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, agent())
    before = found.whole.metrics("a1").output_tokens
    append(agent().path_in(tmp_path), Transcript(uuid_prefix="b-").says("more", id="m9").bytes())

    assert found.refresh(setting())
    assert found.whole.metrics("a1").output_tokens == before + 5


def test_nothing_new_is_no_change_and_nothing_is_made_again(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, agent())
    whole, assembler, head = found.whole, found.assembler(""), found.head

    assert not found.refresh(setting())
    assert found.whole is whole
    assert found.assembler("") is assembler
    assert found.head is head


def test_a_change_makes_all_of_it_again(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN)
    whole, assembler, head = found.whole, found.assembler(""), found.head
    append(MAIN.path_in(tmp_path), Transcript(uuid_prefix="b-").says("more", id="m9").bytes())

    assert found.refresh(setting())
    assert found.whole is not whole
    assert found.assembler("") is not assembler
    assert found.head is not head


def test_a_sidecar_says_who_an_agent_is(tmp_path: Path) -> None:
    made = agent().meta(agentType="Explore", description="a look", toolUseId="call1")

    linked = live(tmp_path, MAIN, made).whole.agents[0]
    assert (linked.proof, linked.parent_task_id) == ("meta", "call1")
    assert (linked.subagent_type, linked.description) == ("Explore", "a look")


def test_a_sidecar_that_comes_late_changes_the_session(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, agent())
    assert ids(found) == ["a1"]
    saved(tmp_path, agent().meta(agentType="Explore"))

    assert found.refresh(setting())
    assert found.whole.agents[0].subagent_type == "Explore"


def test_a_broken_sidecar_is_as_good_as_none(tmp_path: Path) -> None:
    saved(tmp_path, agent())
    agent().path_in(tmp_path).with_suffix(".meta.json").write_text("{")

    assert live(tmp_path, MAIN).whole.agents[0].proof == "prompt"


def test_a_workflow_has_names_for_its_agents_in_its_journal(tmp_path: Path) -> None:
    path = journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"})
    agent("w1").write(path.parent / "agent-w1.jsonl")

    assert live(tmp_path, MAIN).whole.agents[0].description == "survey"


def test_a_journal_that_grows_changes_the_session(tmp_path: Path) -> None:
    path = journal(tmp_path)
    agent("w1").write(path.parent / "agent-w1.jsonl")
    found = live(tmp_path, MAIN)
    dated(journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"}), NOW + 1)

    assert found.refresh(setting())
    assert found.whole.agents[0].description == "survey"


def test_a_journal_is_known_again_after_the_main_file_was_rewritten(tmp_path: Path) -> None:
    path = journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"})
    agent("w1").write(path.parent / "agent-w1.jsonl")
    found = live(tmp_path, MAIN)
    saved(tmp_path, Transcript(uuid_prefix="new-").user("other"))

    assert found.refresh(setting())
    assert found.main.generation == 1
    assert found.whole.agents[0].description == "survey"


def test_a_journal_that_was_rewritten_says_what_it_says_now(tmp_path: Path) -> None:
    path = journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"})
    agent("w1").write(path.parent / "agent-w1.jsonl")
    found = live(tmp_path, MAIN)
    dated(journal(tmp_path), NOW + 1)

    assert found.refresh(setting())
    assert found.whole.agents[0].description == "look"


def test_a_journal_that_is_gone_is_remembered(tmp_path: Path) -> None:
    path = journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"})
    agent("w1").write(path.parent / "agent-w1.jsonl")
    found = live(tmp_path, MAIN)
    path.unlink()
    found.refresh(setting())

    assert found.whole.agents[0].description == "survey"


def test_a_journal_is_read_when_it_changed_only(tmp_path: Path) -> None:
    path = journal(tmp_path, {"type": "started", "agentId": "w1", "label": "survey"})
    agent("w1").write(path.parent / "agent-w1.jsonl")
    found, before = live(tmp_path, MAIN), path.stat()
    path.write_bytes(path.read_bytes().replace(b"survey", b"review"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert not found.refresh(setting())
    assert found.whole.agents[0].description == "survey"


def test_a_log_of_hooks_is_read_with_the_session(tmp_path: Path) -> None:
    log = tmp_path / "hooks/-repo/s1.hooks.jsonl"
    log.parent.mkdir(parents=True)
    event = {"eventType": "Stop", "sessionId": "s1", "timestamp": "2026-01-01T00:00:09.000Z"}
    log.write_text(json.dumps(event) + "\nnot json\n")

    assert [event.event for event in live(tmp_path, MAIN).hooks()] == ["Stop"]


def test_the_registry_knows_a_running_session(tmp_path: Path) -> None:
    entry = tmp_path / f"sessions/{os.getpid()}.json"
    entry.parent.mkdir()
    entry.write_text(json.dumps({"pid": os.getpid(), "sessionId": "s1", "status": "busy"}))

    known = live(tmp_path, MAIN).registered()
    assert known is not None
    assert (known.entry.status, known.alive) == ("busy", True)


def test_the_registry_entry_of_another_session_is_not_ours(tmp_path: Path) -> None:
    entry = tmp_path / f"sessions/{os.getpid()}.json"
    entry.parent.mkdir()
    entry.write_text(json.dumps({"pid": os.getpid(), "sessionId": "s2", "status": "busy"}))

    assert live(tmp_path, MAIN).registered() is None


def test_an_agent_stops_being_at_work_when_time_passes(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, Transcript(agent="a1", uuid_prefix="a-").user("x").calls("Bash"))
    assert found.whole.agents[0].is_ongoing

    found.refresh(setting(LATER))
    assert not found.whole.agents[0].is_ongoing


def test_a_call_stops_running_when_time_passes(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN)
    states = [found.assembler("").executions(None, None)[0].state]
    found.refresh(setting(LATER))
    states.append(found.assembler("").executions(None, None)[0].state)

    assert states == ["running", "no_result"]


def test_an_agent_that_was_deleted_leaves_what_it_said(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, agent())
    agent().path_in(tmp_path).unlink()
    found.refresh(setting())

    assert ids(found) == ["a1"]


def test_an_agent_that_cannot_be_read_does_not_close_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may open any file, so the refusal has to be made up."""

    def closed(transcript: Read, now: int) -> bool:
        if transcript.file.agent_id == "a1":
            raise SourceError("closed")
        return read(transcript, now)

    read = Read.refresh
    monkeypatch.setattr(Read, "refresh", closed)

    assert ids(live(tmp_path, MAIN, agent("a1"), agent("a2"))) == ["a2"]


def test_agents_of_both_layouts_belong_to_the_session(tmp_path: Path) -> None:
    agent("old").write(tmp_path / "projects/-repo/agent-old.jsonl")
    agent("far", session="s2").write(tmp_path / "projects/-repo/agent-far.jsonl")

    assert sorted(ids(live(tmp_path, MAIN, agent("new")))) == ["new", "old"]


def test_a_warm_up_is_no_agent_but_its_tokens_are_counted(tmp_path: Path) -> None:
    warmup = Transcript(agent="w1", uuid_prefix="w-").user("Warmup").says("ready", id="m9")
    found = live(tmp_path, MAIN, warmup)
    metrics = found.assembler("").metrics

    assert ids(found) == []
    assert metrics.subagents.output_tokens == 5
    assert metrics.total.output_tokens == metrics.main.output_tokens + 5


def test_a_session_weighs_more_with_every_agent(tmp_path: Path) -> None:
    alone = live(tmp_path, MAIN).weight

    assert live(tmp_path, MAIN, agent()).weight > alone > 0


def test_an_agents_generation_counts_too(tmp_path: Path) -> None:
    found = live(tmp_path, MAIN, agent())
    before = found.generations
    saved(tmp_path, Transcript(agent="a1").user("other"))
    found.refresh(setting())

    assert (before, found.generations) == ((0, 0), (0, 1))


def test_an_agent_whose_session_is_gone_is_read_alone(tmp_path: Path) -> None:
    """Its siblings lie beside it, but it sent none of them."""
    assert ids(live(tmp_path, agent("a1"), agent("a2"))) == []


def test_a_session_that_is_only_begun_has_no_agents(tmp_path: Path) -> None:
    file = listed(saved(tmp_path, MAIN)[0])
    saved(tmp_path, agent())

    assert ids(LiveSession(file, setting())) == ["a1"]
    assert ids(LiveSession(file, setting(), begun=open_transcript(file, NOW))) == []
