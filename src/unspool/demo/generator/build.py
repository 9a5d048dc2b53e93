"""A whole Claude root from a seed: every scenario once, then sessions until it is large enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from math import log
from pathlib import Path
from typing import Any

from unspool.demo.generator.eras import ERAS, model_named
from unspool.demo.generator.root import RootBuilder
from unspool.demo.generator.scenarios import agents, damage, forks, teams, turns, usage
from unspool.demo.generator.session import SessionBuilder, SessionPlan
from unspool.demo.generator.tools import HookLogWriter
from unspool.demo.generator.truth import Truth

_ALL = "1.0 2.0 2.1 2.1.1xx 2.1.270"
_QUEUES = "2.1.270 2.0 2.1 2.1.1xx"
_LATE = "2.1.270 2.1.1xx"


@dataclass(frozen=True)
class Scenario:
    """Something that can happen in a session; it always occurs once, in its first era."""

    name: str
    act: Callable[[SessionBuilder], object]
    eras: tuple[str, ...]
    weight: int = 0
    day: str = ""
    model: str = ""
    opens: bool = False
    ends: bool = False
    copies: bool = False
    hooks: bool = False


def _scenario(
    act: Callable[[SessionBuilder], object], eras: str, weight: int = 0, **rest: Any
) -> Scenario:
    name = rest.pop("name", getattr(act, "__name__", ""))
    return Scenario(name, act, tuple(eras.split()), weight, **rest)


SCENARIOS = (
    _scenario(turns.slash_command, _ALL, 3),
    _scenario(turns.slash_command, "2.1.270", name="local_command"),
    _scenario(turns.bash_mode, _ALL, 2),
    _scenario(turns.queued_prompt, _QUEUES, 2),
    _scenario(turns.reminders, _ALL, 2),
    _scenario(turns.interruption, _ALL, 2),
    _scenario(turns.interrupted_tool, _ALL, 2),
    _scenario(turns.rejected_tool, _ALL, 2),
    _scenario(turns.failed_tool, _ALL, 4, hooks=True),
    _scenario(turns.lost_result, _ALL, 1),
    _scenario(turns.repeated_result, _ALL, 1),
    _scenario(turns.parallel_calls, _QUEUES, 4),
    _scenario(turns.many_blocks, _ALL, 1),
    _scenario(turns.api_error, _QUEUES, 2),
    _scenario(turns.synthetic_filler, _QUEUES, 1),
    _scenario(turns.compaction, _QUEUES, 2),
    _scenario(turns.microcompaction, "2.1", 1),
    _scenario(turns.rewind, _QUEUES, 2),
    _scenario(turns.images, _QUEUES, 1),
    _scenario(turns.persisted_output, "2.1.270 2.1 2.1.1xx", 1),
    _scenario(turns.plan_pair, "2.1 2.0 2.1.1xx", 1),
    _scenario(turns.web_search, _LATE, 1),
    _scenario(turns.old_progress, "2.1", 5),
    _scenario(turns.notes, _LATE, 1),
    _scenario(agents.single, "1.0 2.0", 20, name="legacy_agent"),
    _scenario(agents.single, "2.1", 20, name="echoed_agent"),
    _scenario(agents.single, "2.1.1xx", 20, name="agent_with_sidecar"),
    _scenario(agents.single, "2.1.270", 10, name="unfinished_agent"),
    _scenario(agents.background, "2.1.270", 10, name="background_agent"),
    _scenario(agents.inline, "1.0", 2, name="inline_sidechain"),
    _scenario(agents.queued, "2.1", 2, name="queued_agent"),
    _scenario(agents.nested, _LATE, 1, name="nested_agents"),
    _scenario(teams.team, "2.1 2.1.1xx", 1),
    _scenario(teams.workflow, "2.1.270", 1),
    _scenario(teams.forked_agent, "2.1.270", copies=True),
    _scenario(teams.warmup, "2.0 2.1", 1),
    _scenario(teams.compactor, "2.1", 1),
    _scenario(teams.empty_agent, "2.1 2.0", 1),
    _scenario(forks.fork, _QUEUES, copies=True, ends=True),
    _scenario(forks.branch, _LATE, copies=True, ends=True),
    _scenario(forks.branch_of_progress, "2.1", copies=True, ends=True),
    _scenario(forks.desktop_copy, "2.1.270", copies=True, ends=True),
    _scenario(damage.glued, _ALL, 1),
    _scenario(damage.cut, _ALL, 1),
    _scenario(damage.nul_prefix, _ALL, 1),
    _scenario(damage.comment_line, "2.0"),
    _scenario(damage.truncated_tail, _ALL, ends=True),
    _scenario(damage.no_final_newline, _ALL, ends=True),
    _scenario(damage.blank_lines, _ALL, 1),
    _scenario(damage.windows_newlines, "2.1"),
    _scenario(damage.byte_order_mark, "2.1", opens=True),
    _scenario(damage.separators, _QUEUES, 1),
    _scenario(damage.backwards_time, _QUEUES, 1),
    _scenario(damage.repeated_uuid, _QUEUES, 1),
    _scenario(damage.foreign_lines, "2.0"),
    _scenario(damage.unknown_things, _LATE),
    _scenario(damage.moved_worktree, _LATE),
    _scenario(damage.odd_paths, "2.1.270"),
    _scenario(damage.stub, "2.0"),
    _scenario(usage.streamed, "2.1 1.0 2.0", 1),
    _scenario(usage.never_finished, "2.1 1.0 2.0", 1),
    _scenario(usage.missing_request, "2.1.1xx"),
    _scenario(usage.midnight, "2.0"),
    _scenario(usage.third_party, "2.1.1xx"),
    _scenario(usage.no_message_id, "2.1.1xx"),
    _scenario(usage.gateway_name, "2.1.1xx"),
    _scenario(usage.changed_model, "2.1.1xx", day="2026-06-20", model="claude-sonnet-4-6"),
    _scenario(usage.quoted_usage, "2.1"),
    _scenario(usage.iterations, "2.1.1xx", 1),
    _scenario(usage.zero_write, "2.1"),
    _scenario(usage.both_writes, "2.1.1xx"),
    _scenario(
        usage.around_200k, "2.1", name="opus_4_6_long", day="2026-02-20", model="claude-opus-4-6"
    ),
    _scenario(
        usage.around_200k, "2.1", name="opus_4_6_flat", day="2026-03-20", model="claude-opus-4-6"
    ),
    _scenario(usage.around_200k, "2.0", name="sonnet_4_5_long", model="claude-sonnet-4-5-20250929"),
    _scenario(
        usage.around_100k, "2.1.270", name="haiku_5_5", day="2026-10-20", model="claude-haiku-5-5"
    ),
    _scenario(
        usage.fast_mode, "2.1", name="fast_times_6", day="2026-02-20", model="claude-opus-4-6"
    ),
    _scenario(usage.fast_mode, "2.1.270", name="fast_times_2", model="claude-opus-5"),
    _scenario(
        usage.fast_mode, "2.1.1xx", name="fast_withdrawn", day="2026-08-02", model="claude-opus-4-7"
    ),
    _scenario(usage.united_states, "2.1.1xx", model="claude-opus-4-8"),
)


_MB = 1_000_000
_TYPICAL = 120_000
_LARGEST = 60 * _MB
_ENDINGS = 0.12


def generate(
    directory: Path,
    *,
    mb: float = 10,
    seed: int = 1,
    projects: int | None = None,
    prices: Mapping[str, Any],
    tell: Callable[[int], None] = lambda size: None,
) -> Truth:
    """Write a root of about `mb` megabytes and return what it contains.

    The same seed writes the same bytes. A root is never smaller than its collection of traps
    (about 2 MB), and never written over another. `tell` hears the size after each session.
    """
    root = RootBuilder(directory, seed, prices)
    count = projects or max(4, round(4 + mb / 20))
    homes = [f"/home/dev/{root.words.word()}-{at}" for at in range(1, count + 1)]
    for at, scenario in enumerate(SCENARIOS):
        _add_scenario(root, scenario, homes[at % count])
        tell(root.size)
    large = mb * _MB / 8
    while root.size < mb * _MB:
        target = large or root.rng.lognormvariate(log(_TYPICAL), 1.3)
        _add_session(root, homes, min(target, mb * _MB / 8, _LARGEST))
        large = 0
        tell(root.size)
    return root.close()


def _add_scenario(root: RootBuilder, scenario: Scenario, cwd: str) -> None:
    era = ERAS[scenario.eras[0]]
    day = date.fromisoformat(scenario.day) if scenario.day else era.day(root.rng)
    model = model_named(scenario.model) if scenario.model else None
    builder = SessionBuilder(root, SessionPlan(cwd, era, day), model=model)
    root.ledger.traps[scenario.name] = builder.session
    if scenario.copies:
        builder.main.writer.history = []
    if scenario.hooks:
        _log_hooks(builder)
    if not scenario.opens:
        builder.turn(1)
    scenario.act(builder)
    if not scenario.ends:
        builder.turn(1)
    _todo(builder)
    builder.close()


def _add_session(root: RootBuilder, homes: list[str], target: float) -> None:
    rng = root.rng
    era = ERAS[rng.choice(list(ERAS))]
    size = rng.choice((2_000, 6_000, 15_000))
    builder = SessionBuilder(root, SessionPlan(rng.choice(homes), era, era.day(rng), size))
    within = [scenario for scenario in SCENARIOS if scenario.weight and era.name in scenario.eras]
    weights = [scenario.weight for scenario in within]
    ending = _ending(root, era.name) if rng.random() < _ENDINGS else None
    if ending and ending.copies and target < _MB:
        builder.main.writer.history = []
    if rng.random() < 0.08:
        _log_hooks(builder)
    before = root.size
    while builder.main.writer.size + root.size - before < target:
        builder.turn(rng.randint(1, 8))
        if rng.random() < 0.35:
            rng.choices(within, weights)[0].act(builder)
    if ending and (builder.main.writer.history is not None or not ending.copies):
        ending.act(builder)
    _todo(builder)
    builder.close()


def _ending(root: RootBuilder, era: str) -> Scenario:
    return root.rng.choice(
        [scenario for scenario in SCENARIOS if scenario.ends and era in scenario.eras]
    )


def _log_hooks(builder: SessionBuilder) -> None:
    path = builder.root.directory / builder.project.replace("projects", "hooks", 1)
    version = builder.era.version_on(builder.setting.day)
    path = path / f"{builder.session}.hooks.jsonl"
    builder.hooks = HookLogWriter(path, builder.session, builder.setting.cwd, version)
    builder.hooks.mark(builder.main.writer.clock.next, "SessionStart", source="startup")


def _todo(builder: SessionBuilder) -> None:
    if builder.rng.random() > 0.3:
        return
    task = {"id": "1", "subject": builder.words.title(), "status": "in_progress"}
    if builder.era.has("sidecars"):
        builder.root.put(f"tasks/{builder.session}/1.json", {**task, "blocks": [], "blockedBy": []})
    else:
        todo = [{"content": task["subject"], "status": "pending", "activeForm": task["subject"]}]
        builder.root.put(f"todos/{builder.session}-agent-{builder.session}.json", todo)
