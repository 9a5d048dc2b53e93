"""What we read from a generated root is what its maker says he put there, to the last token."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.readings import Reading, day, families, sums
from unspool.demo import Truth, generate
from unspool.derive.usage.prices import pico
from unspool.model.document import Metrics
from unspool.model.usage import UsageRow
from unspool.source.prices import bundled

ROOTS = [(1, 3), (2, 3), (3, 3)]
LARGE_ROOTS = [(seed, 15) for seed in (11, 12, 13, 14, 15)]


class Made(NamedTuple):
    """A generated root: what is said of it, and what we read."""

    truth: Truth
    sessions: dict[str, Any]
    reading: Reading


def _name(root: tuple[int, int]) -> str:
    return f"seed {root[0]}, {root[1]} MB"


@pytest.fixture(
    scope="module",
    params=[*ROOTS, *(pytest.param(root, marks=pytest.mark.slow) for root in LARGE_ROOTS)],
    ids=_name,
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    seed, mb = request.param
    root = tmp_path_factory.mktemp(f"seed-{seed}") / "root"
    truth = generate(root, mb=mb, seed=seed, prices=json.loads(bundled()))
    return Made(truth, truth.sessions, Reading(root))


def grouped(
    made: Made, key: Callable[[str, str, UsageRow], object]
) -> dict[object, dict[str, int]]:
    """The sums of all responses that have the same key."""
    groups: defaultdict[object, list[UsageRow]] = defaultdict(list)
    for session, agent, response in made.reading.shares:
        groups[key(session, agent, response)].append(response)
    return {name: sums(found) for name, found in groups.items()}


def figures(metrics: Metrics) -> dict[str, int]:
    """The part of a document's metrics that a truth file has too."""
    return {
        "inputTokens": metrics.input_tokens,
        "outputTokens": metrics.output_tokens,
        "cacheReadTokens": metrics.cache_read_tokens,
        "cacheCreationTokens": metrics.cache_creation_tokens,
        "ephemeral5mTokens": metrics.ephemeral5m_tokens,
        "ephemeral1hTokens": metrics.ephemeral1h_tokens,
        "usdPico": pico(metrics.cost_usd or 0),
    }


def test_every_session_is_read(made: Made) -> None:
    unbegun = made.truth.counts["stubs"]

    assert made.sessions.keys() <= made.reading.sessions.keys()
    assert len(made.reading.sessions) == len(made.sessions) + unbegun


def test_the_root_has_the_tokens_and_the_cost_it_was_given(made: Made) -> None:
    assert sums(response for _, _, response in made.reading.shares) == made.truth.totals


def test_each_model_has_its_own(made: Made) -> None:
    found = grouped(made, lambda session, agent, response: response.model)

    assert found == made.truth.models


def test_each_day_has_its_own_by_model(made: Made) -> None:
    found = grouped(made, lambda session, agent, response: (day(response), response.model))
    told = {
        (on, name): said for on, models in made.truth.days.items() for name, said in models.items()
    }

    assert found == told


@pytest.mark.parametrize("part", ["main", "subagents", "total"])
def test_each_session_has_its_own(made: Made, part: str) -> None:
    side = {"main": [False], "subagents": [True], "total": [False, True]}[part]
    family = families(made.sessions)
    owned: defaultdict[str, list[UsageRow]] = defaultdict(list)
    for session, agent, response in made.reading.shares:
        owned[family[session]] += [response] if bool(agent) in side else []
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for id, said in made.sessions.items():
        told[family[id]].update(said[part])

    assert {id: sums(owned[id]) for id in told} == told


def test_each_document_counts_what_it_owns_and_shows_what_it_repeats_beside(made: Made) -> None:
    """A copy that names its origin owns none of what it copied; of another no file can tell."""
    for id, said in made.sessions.items():
        metrics = made.reading.sessions[id].document(limit=0).metrics
        own, repeated = metrics.total.total_tokens, metrics.repeated
        beside = repeated.total_tokens if repeated else 0

        # A copy without marks has the reports of agents, too, whose files the original has.
        part, mine = (
            ("main", metrics.main) if metrics.reported_responses else ("total", metrics.total)
        )
        assert mine.total_tokens + beside == _tokens(said[part]) + _tokens(said["copied"])
        if "branchOf" in said:
            assert own == _tokens(said["total"])
            assert repeated is not None
            assert repeated.of == (said["branchOf"],)
        else:
            assert repeated is None or "copied" in said


def _tokens(tally: dict[str, int]) -> int:
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    return sum(tally.get(name, 0) for name in names)


@pytest.mark.parametrize("part", ["main", "subagents", "total"])
def test_the_figures_of_a_session_without_copies_are_those_of_its_document(
    made: Made, part: str
) -> None:
    alone = {id for id, said in made.sessions.items() if not _tokens(said["copied"])}
    shown = {
        id: figures(getattr(made.reading.sessions[id].document(limit=0).metrics, part))
        for id in alone
    }

    assert shown == {
        id: {name: made.sessions[id][part][name] for name in shown[id]} for id in alone
    }


def test_every_tool_call_ended_as_it_was_made_to_end(made: Made) -> None:
    found = {
        id: {call.tool_use_id: call.state for _, call in made.reading.executions(id)}
        for id in made.sessions
    }

    assert found == {id: said["tools"] for id, said in made.sessions.items()}


def test_every_call_was_made_by_the_one_who_made_it(made: Made) -> None:
    found: dict[str, dict[str, str]] = {id: {} for id in made.sessions}
    for id in made.sessions:
        for caller, call in made.reading.executions(id):
            found[id].setdefault(call.tool_use_id, caller.id)

    assert found == {
        id: {call: said["toolAgents"].get(call, id) for call in said["tools"]}
        for id, said in made.sessions.items()
    }


def test_every_result_stands_on_the_line_it_is_said_to(made: Made) -> None:
    files: dict[str, list[bytes]] = {}
    for id in made.sessions:
        for caller, call in made.reading.executions(id):
            if call.result_line is not None:
                lines = files.setdefault(caller.path, Path(caller.path).read_bytes().split(b"\n"))

                named = b'"tool_use_id":"%s"' % call.tool_use_id.encode()
                assert named in lines[call.result_line - 1]


def test_the_agents_hang_where_they_were_sent_from(made: Made) -> None:
    found = {
        id: {
            agent.id: (agent.parent_agent_id, agent.parent_task_id, agent.depth)
            for agent in made.reading.sessions[id].agents
        }
        for id in made.sessions
    }

    assert found == {
        id: {
            agent["agentId"]: (agent["parentAgentId"], agent["toolUseId"], agent["depth"])
            for agent in said["agents"]
        }
        for id, said in made.sessions.items()
    }


def test_the_agents_are_called_what_they_were_called(made: Made) -> None:
    found = {
        (id, agent.id): (agent.subagent_type, agent.description)
        for id in made.sessions
        for agent in made.reading.sessions[id].agents
    }

    assert found == {
        (id, agent["agentId"]): (agent["type"], agent["description"])
        for id, said in made.sessions.items()
        for agent in said["agents"]
    }


def test_every_agent_was_found_by_a_proof(made: Made) -> None:
    proofs = {agent.proof for session in made.reading.sessions.values() for agent in session.agents}

    assert "none" not in proofs
    assert {"meta", "agentId", "progress", "queue", "team"} & proofs


def test_every_compaction_is_seen(made: Made) -> None:
    found = {id: made.reading.sessions[id].summary().compactions for id in made.sessions}

    assert found == {id: said["compactions"] for id, said in made.sessions.items()}


def test_every_line_is_accounted_for(made: Made) -> None:
    found, told = list(made.reading.diagnostics), made.truth.counts

    unfinished = made.truth.broken["truncated"]  # half a last line is none
    assert sum(one.lines for one in found) == told["lines"] + told["blankLines"] - unfinished
    assert sum(one.salvaged for one in found) == told["salvaged"]
    assert sum(one.bad_lines for one in found) == sum(
        count for kind, count in made.truth.broken.items() if kind not in ("glued", "truncated")
    )
