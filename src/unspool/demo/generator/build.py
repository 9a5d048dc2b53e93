"""A whole Claude root, made from a seed: every scene once, then sessions until it is big enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from math import log
from pathlib import Path
from typing import Any

from unspool.demo.generator.catalogue import SCENES, Scene
from unspool.demo.generator.eras import ERAS, model_named
from unspool.demo.generator.hooklog import HookLog
from unspool.demo.generator.play import Play, Setting
from unspool.demo.generator.stage import Stage
from unspool.demo.generator.truth import Truth

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
    """Write a root of about so many megabytes and say what it truly holds.

    The same seed writes the same bytes. A root is never smaller than its collection of traps
    (about 2 MB), and never written over another. `tell` hears the size after each session.
    """
    stage = Stage(directory, seed, prices)
    count = projects or max(4, round(4 + mb / 20))
    homes = [f"/home/dev/{stage.words.word()}-{at}" for at in range(1, count + 1)]
    for at, scene in enumerate(SCENES):
        _show(stage, scene, homes[at % count])
        tell(stage.size)
    large = mb * _MB / 8
    while stage.size < mb * _MB:
        target = large or stage.rng.lognormvariate(log(_TYPICAL), 1.3)
        _fill(stage, homes, min(target, mb * _MB / 8, _LARGEST))
        large = 0
        tell(stage.size)
    return stage.close()


def _show(stage: Stage, scene: Scene, cwd: str) -> None:
    era = ERAS[scene.eras[0]]
    day = date.fromisoformat(scene.day) if scene.day else era.day(stage.rng)
    model = model_named(scene.model) if scene.model else None
    play = Play(stage, Setting(cwd, era, day), model=model)
    stage.ledger.traps[scene.name] = play.session
    if scene.copies:
        play.main.reel.tape = []
    if scene.hooks:
        _log_hooks(play)
    if not scene.opens:
        play.turn(1)
    scene.act(play)
    if not scene.ends:
        play.turn(1)
    _todo(play)
    play.close()


def _fill(stage: Stage, homes: list[str], target: float) -> None:
    rng = stage.rng
    era = ERAS[rng.choice(list(ERAS))]
    size = rng.choice((2_000, 6_000, 15_000))
    play = Play(stage, Setting(rng.choice(homes), era, era.day(rng), size))
    within = [scene for scene in SCENES if scene.weight and era.name in scene.eras]
    weights = [scene.weight for scene in within]
    ending = _ending(stage, era.name) if rng.random() < _ENDINGS else None
    if ending and ending.copies and target < _MB:
        play.main.reel.tape = []
    if rng.random() < 0.08:
        _log_hooks(play)
    before = stage.size
    while play.main.reel.size + stage.size - before < target:
        play.turn(rng.randint(1, 8))
        if rng.random() < 0.35:
            rng.choices(within, weights)[0].act(play)
    if ending and (play.main.reel.tape is not None or not ending.copies):
        ending.act(play)
    _todo(play)
    play.close()


def _ending(stage: Stage, era: str) -> Scene:
    return stage.rng.choice([scene for scene in SCENES if scene.ends and era in scene.eras])


def _log_hooks(play: Play) -> None:
    path = play.stage.directory / play.project.replace("projects", "hooks", 1)
    version = play.era.version_on(play.setting.day)
    path = path / f"{play.session}.hooks.jsonl"
    play.hooks = HookLog(path, play.session, play.setting.cwd, version)
    play.hooks.mark(play.main.reel.clock.next, "SessionStart", source="startup")


def _todo(play: Play) -> None:
    if play.rng.random() > 0.3:
        return
    task = {"id": "1", "subject": play.words.title(), "status": "in_progress"}
    if play.era.has("sidecars"):
        play.stage.put(f"tasks/{play.session}/1.json", {**task, "blocks": [], "blockedBy": []})
    else:
        todo = [{"content": task["subject"], "status": "pending", "activeForm": task["subject"]}]
        play.stage.put(f"todos/{play.session}-agent-{play.session}.json", todo)
