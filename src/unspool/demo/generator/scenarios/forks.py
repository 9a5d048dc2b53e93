"""Sessions that start as a copy of another: forks, which keep uuids, and branches, which do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unspool.demo.generator.scenarios.turns import old_progress
from unspool.demo.generator.session import SessionBuilder
from unspool.demo.lines import Fields

_LEFT_BEHIND = {"queue-operation", "last-prompt", "cost-state"}
_LINKS = ("uuid", "parentUuid", "logicalParentUuid", "sourceToolAssistantUUID")


def fork(builder: SessionBuilder) -> None:
    """Resume a session under a new id: same uuids, another session, no word of where from."""
    copy = _second(builder, "forkOf", entrypoint="sdk-cli")
    for line in builder.main.writer.history or []:
        if line["type"] not in _LEFT_BEHIND:
            copy.main.writer.copy({**line, **_renamed(line, copy)})
    _go_on(builder, copy)
    builder.root.ledger.counts["forks"] += 1


def branch(builder: SessionBuilder) -> None:
    """Branch a session: every line gets a new uuid and names the old one."""
    copy = _second(builder, "branchOf")
    copy.title = f"{builder.title} (fork)"
    names: dict[str, str | None] = {}
    for line in builder.main.writer.history or []:
        if line["type"] == "progress":
            names[line["uuid"]] = names.get(line["parentUuid"], line["parentUuid"])
        elif "uuid" in line:
            names[line["uuid"]] = builder.root.ids.uuid()
            origin = {"sessionId": builder.session, "messageUuid": line["uuid"]}
            links = {key: names.get(line[key], line[key]) for key in _LINKS if key in line}
            copy.main.writer.copy({**line, **links, **_renamed(line, copy), "forkedFrom": origin})
    copy.main.writer.entry("custom-title", customTitle=copy.title)
    _go_on(builder, copy)
    builder.root.ledger.counts["branches"] += 1


def branch_of_progress(builder: SessionBuilder) -> None:
    """Branch a session some of whose lines are left behind: their children find new parents."""
    old_progress(builder)
    branch(builder)


def desktop_copy(builder: SessionBuilder) -> None:
    """Add a second file with the same lines under another name."""
    copy = _second(builder, "copyOf")
    for line in builder.main.writer.history or []:
        copy.main.writer.copy(line)
    _inherit(builder, copy)
    copy.close()
    builder.root.ledger.counts["copies"] += 1


def _second(builder: SessionBuilder, relation: str, **options: Any) -> SessionBuilder:
    copy = SessionBuilder(
        builder.root, builder.setting, model=builder.model, slug=builder.nickname, **options
    )
    copy.truth.facts[relation] = builder.session
    return copy


def _renamed(line: Fields, copy: SessionBuilder) -> Fields:
    changed: Fields = {"sessionId": copy.session} if "sessionId" in line else {}
    if "entrypoint" in line:
        changed["entrypoint"] = "sdk-cli"
    return changed


def _inherit(builder: SessionBuilder, copy: SessionBuilder) -> None:
    copy.truth.tools |= builder.main.states
    copy.truth.compactions = builder.truth.compactions
    copy.truth.copied = replace(builder.truth.main)


def _go_on(builder: SessionBuilder, copy: SessionBuilder) -> None:
    _inherit(builder, copy)
    copy.main.context = builder.main.context
    copy.main.writer.clock.next = builder.main.writer.clock.next
    copy.main.writer.wait(3_600)
    copy.turn(1)
    copy.close()
