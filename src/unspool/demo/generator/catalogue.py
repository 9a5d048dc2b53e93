"""All scenes by name: when each could happen and how often it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unspool.demo.generator.play import Play
from unspool.demo.generator.scenes import (
    bills,
    breaks,
    copies,
    spawn,
    talk,
    trouble,
    troupe,
    work,
)

_ALL = "1.0 2.0 2.1 2.1.1xx 2.1.270"
_QUEUES = "2.1.270 2.0 2.1 2.1.1xx"
_LATE = "2.1.270 2.1.1xx"


@dataclass(frozen=True)
class Scene:
    """Something that can happen in a session; its first age is where it is sure to be shown."""

    name: str
    act: Callable[[Play], object]
    eras: tuple[str, ...]
    weight: int = 0
    day: str = ""
    model: str = ""
    opens: bool = False
    ends: bool = False
    copies: bool = False
    hooks: bool = False


def _scene(act: Callable[[Play], object], eras: str, weight: int = 0, **rest: Any) -> Scene:
    name = rest.pop("name", getattr(act, "__name__", ""))
    return Scene(name, act, tuple(eras.split()), weight, **rest)


SCENES = (
    _scene(talk.slash_command, _ALL, 3),
    _scene(talk.slash_command, "2.1.270", name="local_command"),
    _scene(talk.bash_mode, _ALL, 2),
    _scene(talk.queued_prompt, _QUEUES, 2),
    _scene(talk.reminders, _ALL, 2),
    _scene(trouble.interruption, _ALL, 2),
    _scene(trouble.interrupted_tool, _ALL, 2),
    _scene(trouble.rejected_tool, _ALL, 2),
    _scene(trouble.failed_tool, _ALL, 4, hooks=True),
    _scene(trouble.lost_result, _ALL, 1),
    _scene(trouble.repeated_result, _ALL, 1),
    _scene(work.parallel_calls, _QUEUES, 4),
    _scene(work.many_blocks, _ALL, 1),
    _scene(trouble.api_error, _QUEUES, 2),
    _scene(trouble.synthetic_filler, _QUEUES, 1),
    _scene(talk.compaction, _QUEUES, 2),
    _scene(talk.microcompaction, "2.1", 1),
    _scene(talk.rewind, _QUEUES, 2),
    _scene(work.images, _QUEUES, 1),
    _scene(work.persisted_output, "2.1.270 2.1 2.1.1xx", 1),
    _scene(talk.plan_pair, "2.1 2.0 2.1.1xx", 1),
    _scene(work.web_search, _LATE, 1),
    _scene(work.old_progress, "2.1", 5),
    _scene(talk.notes, _LATE, 1),
    _scene(spawn.single, "1.0 2.0", 20, name="legacy_agent"),
    _scene(spawn.single, "2.1", 20, name="echoed_agent"),
    _scene(spawn.single, "2.1.1xx", 20, name="agent_with_sidecar"),
    _scene(spawn.single, "2.1.270", 10, name="unfinished_agent"),
    _scene(spawn.background, "2.1.270", 10, name="background_agent"),
    _scene(spawn.inline, "1.0", 2, name="inline_sidechain"),
    _scene(spawn.queued, "2.1", 2, name="queued_agent"),
    _scene(spawn.nested, _LATE, 1, name="nested_agents"),
    _scene(troupe.team, "2.1 2.1.1xx", 1),
    _scene(troupe.workflow, "2.1.270", 1),
    _scene(troupe.forked_agent, "2.1.270", copies=True),
    _scene(troupe.warmup, "2.0 2.1", 1),
    _scene(troupe.compactor, "2.1", 1),
    _scene(troupe.empty_agent, "2.1 2.0", 1),
    _scene(copies.fork, _QUEUES, copies=True, ends=True),
    _scene(copies.branch, _LATE, copies=True, ends=True),
    _scene(copies.branch_of_progress, "2.1", copies=True, ends=True),
    _scene(copies.desktop_copy, "2.1.270", copies=True, ends=True),
    _scene(breaks.glued, _ALL, 1),
    _scene(breaks.cut, _ALL, 1),
    _scene(breaks.nul_prefix, _ALL, 1),
    _scene(breaks.comment_line, "2.0"),
    _scene(breaks.truncated_tail, _ALL, ends=True),
    _scene(breaks.no_final_newline, _ALL, ends=True),
    _scene(breaks.blank_lines, _ALL, 1),
    _scene(breaks.windows_newlines, "2.1"),
    _scene(breaks.byte_order_mark, "2.1", opens=True),
    _scene(breaks.separators, _QUEUES, 1),
    _scene(breaks.backwards_time, _QUEUES, 1),
    _scene(breaks.repeated_uuid, _QUEUES, 1),
    _scene(breaks.foreign_lines, "2.0"),
    _scene(breaks.unknown_things, _LATE),
    _scene(breaks.moved_worktree, _LATE),
    _scene(breaks.odd_paths, "2.1.270"),
    _scene(breaks.stub, "2.0"),
    _scene(bills.streamed, "2.1 1.0 2.0", 1),
    _scene(bills.never_finished, "2.1 1.0 2.0", 1),
    _scene(bills.missing_request, "2.1.1xx"),
    _scene(bills.midnight, "2.0"),
    _scene(bills.third_party, "2.1.1xx"),
    _scene(bills.no_message_id, "2.1.1xx"),
    _scene(bills.gateway_name, "2.1.1xx"),
    _scene(bills.changed_model, "2.1.1xx", day="2026-06-20", model="claude-sonnet-4-6"),
    _scene(bills.quoted_usage, "2.1"),
    _scene(bills.iterations, "2.1.1xx", 1),
    _scene(bills.zero_write, "2.1"),
    _scene(bills.both_writes, "2.1.1xx"),
    _scene(
        bills.around_200k, "2.1", name="opus_4_6_long", day="2026-02-20", model="claude-opus-4-6"
    ),
    _scene(
        bills.around_200k, "2.1", name="opus_4_6_flat", day="2026-03-20", model="claude-opus-4-6"
    ),
    _scene(bills.around_200k, "2.0", name="sonnet_4_5_long", model="claude-sonnet-4-5-20250929"),
    _scene(
        bills.around_100k, "2.1.270", name="haiku_5_5", day="2026-10-20", model="claude-haiku-5-5"
    ),
    _scene(bills.fast_mode, "2.1", name="fast_times_6", day="2026-02-20", model="claude-opus-4-6"),
    _scene(bills.fast_mode, "2.1.270", name="fast_times_2", model="claude-opus-5"),
    _scene(
        bills.fast_mode, "2.1.1xx", name="fast_withdrawn", day="2026-08-02", model="claude-opus-4-7"
    ),
    _scene(bills.united_states, "2.1.1xx", model="claude-opus-4-8"),
)
