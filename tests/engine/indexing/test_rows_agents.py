from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.rows import agent_rows, relink
from unspool.model.rows import AgentRow
from unspool.store.memory import MemoryStore

MAIN = Transcript().user("go").calls("Task", prompt="look", subagent_type="scout").returns("seen")


def agents_of(path: Path, *transcripts: Transcript) -> dict[str, AgentRow]:
    """The agents of session s1 once a root is indexed."""
    store = MemoryStore()
    Indexer(store, [saved(path, *transcripts)], TABLE).sweep(NOW)
    return {row.agent_id: row for row in agent_rows(store.facts("-repo", "s1").values())}


def test_an_agent_is_tied_to_the_call_its_sidecar_names(tmp_path: Path) -> None:
    agent = Transcript(agent="a1").user("look").says("seen").meta(toolUseId="toolu_1")
    row = agents_of(tmp_path, MAIN, agent)["a1"]

    assert (row.tool_use_id, row.proof, row.type, row.depth) == ("toolu_1", "meta", "scout", 1)


def test_an_agent_without_a_sidecar_is_found_by_its_prompt(tmp_path: Path) -> None:
    row = agents_of(tmp_path, MAIN, Transcript(agent="a1").user("look").says("seen"))["a1"]

    assert (row.tool_use_id, row.proof) == ("toolu_1", "prompt")


def test_an_agent_of_an_agent_is_deeper(tmp_path: Path) -> None:
    outer = Transcript(agent="a1").user("look").calls("Task", id="t9", prompt="deeper")
    inner = Transcript(agent="a2").user("deeper").meta(toolUseId="t9")
    rows = agents_of(tmp_path, MAIN, outer.meta(toolUseId="toolu_1"), inner)

    assert (rows["a2"].parent_agent_id, rows["a2"].depth) == ("a1", 2)


def test_a_journal_names_the_agents_of_its_run(tmp_path: Path) -> None:
    run = tmp_path / "projects" / "-repo" / "s1" / "subagents" / "workflows" / "wf_1"
    Transcript(agent="a1").user("look").says("seen").write(run / "agent-a1.jsonl")
    (run / "journal.jsonl").write_bytes(b'{"type":"started","agentId":"a1","label":"scout"}\n')

    assert agents_of(tmp_path, MAIN)["a1"].description == "scout"


def test_a_warm_up_is_no_agent(tmp_path: Path) -> None:
    assert agents_of(tmp_path, MAIN, Transcript(agent="a1").user("Warmup").says("ok")) == {}


class Forgetful(MemoryStore):
    """Dies after a commit, before its agents are linked."""

    def unlinked(self) -> list[tuple[str, str]]:
        raise KeyboardInterrupt


def test_a_death_before_linking_is_made_up_for_by_the_next_sweep(tmp_path: Path) -> None:
    agent = Transcript(agent="a1").user("look").meta(toolUseId="toolu_1")
    store, root = Forgetful(), saved(tmp_path, MAIN, agent)
    with pytest.raises(KeyboardInterrupt):
        Indexer(store, [root], TABLE).sweep(NOW)
    store.__class__ = MemoryStore  # type: ignore[assignment]
    report = Indexer(store, [root], TABLE).sweep(NOW)

    assert (report.changed, report.sessions, store.unlinked()) == (0, 1, [])


def test_sessions_that_did_not_change_are_left_alone(tmp_path: Path) -> None:
    store, root = MemoryStore(), saved(tmp_path, MAIN)
    Indexer(store, [root], TABLE).sweep(NOW)

    assert relink(store) == 0
