"""Sessions that begin as a copy of another: forks, which keep uuids, and branches, which do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unspool.demo.generator.play import Play
from unspool.demo.generator.scenes.work import old_progress
from unspool.demo.lines import Fields

_LEFT_BEHIND = {"queue-operation", "last-prompt", "cost-state"}
_LINKS = ("uuid", "parentUuid", "logicalParentUuid", "sourceToolAssistantUUID")


def fork(play: Play) -> None:
    """Resume a session under a new id: same uuids, another session, no word of where from."""
    copy = _second(play, "forkOf", entrypoint="sdk-cli")
    for line in play.main.reel.tape or []:
        if line["type"] not in _LEFT_BEHIND:
            copy.main.reel.copy({**line, **_renamed(line, copy)})
    _go_on(play, copy)
    play.stage.ledger.counts["forks"] += 1


def branch(play: Play) -> None:
    """Branch a session: every uuid anew, each line saying which one it was."""
    copy = _second(play, "branchOf")
    copy.title = f"{play.title} (fork)"
    names: dict[str, str | None] = {}
    for line in play.main.reel.tape or []:
        if line["type"] == "progress":
            names[line["uuid"]] = names.get(line["parentUuid"], line["parentUuid"])
        elif "uuid" in line:
            names[line["uuid"]] = play.stage.ids.uuid()
            origin = {"sessionId": play.session, "messageUuid": line["uuid"]}
            links = {key: names.get(line[key], line[key]) for key in _LINKS if key in line}
            copy.main.reel.copy({**line, **links, **_renamed(line, copy), "forkedFrom": origin})
    copy.main.reel.entry("custom-title", customTitle=copy.title)
    _go_on(play, copy)
    play.stage.ledger.counts["branches"] += 1


def branch_of_progress(play: Play) -> None:
    """Branch a session some of whose lines are left behind: their children find new parents."""
    old_progress(play)
    branch(play)


def desktop_copy(play: Play) -> None:
    """Keep a second file of the same lines, untouched but for its name."""
    copy = _second(play, "copyOf")
    for line in play.main.reel.tape or []:
        copy.main.reel.copy(line)
    _inherit(play, copy)
    copy.close()
    play.stage.ledger.counts["copies"] += 1


def _second(play: Play, relation: str, **options: Any) -> Play:
    copy = Play(play.stage, play.setting, model=play.model, slug=play.nickname, **options)
    copy.truth.facts[relation] = play.session
    return copy


def _renamed(line: Fields, copy: Play) -> Fields:
    changed: Fields = {"sessionId": copy.session} if "sessionId" in line else {}
    if "entrypoint" in line and "uuid" in line:
        changed["entrypoint"] = "sdk-cli"
    return changed


def _inherit(play: Play, copy: Play) -> None:
    copy.truth.tools |= play.main.states
    copy.truth.compactions = play.truth.compactions
    copy.truth.copied = replace(play.truth.main)


def _go_on(play: Play, copy: Play) -> None:
    _inherit(play, copy)
    copy.main.context = play.main.context
    copy.main.reel.clock.next = play.main.reel.clock.next
    copy.main.reel.wait(3_600)
    copy.turn(1)
    copy.close()
