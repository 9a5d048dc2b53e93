"""What each era of Claude Code wrote: versions, dates, models and habits."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random


@dataclass(frozen=True)
class Era:
    """One era of the transcript format."""

    name: str
    first: date
    last: date
    version: str
    patches: tuple[int, int]
    habits: frozenset[str] = field(default_factory=frozenset)
    task_tool: str = "Task"

    def has(self, habit: str) -> bool:
        """Whether this era had a habit."""
        return habit in self.habits

    def version_on(self, day: date) -> str:
        """Give the version that was out on a day: patches grow with time."""
        low, high = self.patches
        span = max(1, (self.last - self.first).days)
        share = min(1.0, max(0.0, (day - self.first).days / span))
        return f"{self.version}.{low + round((high - low) * share)}"

    def day(self, rng: Random) -> date:
        """Pick a day of this era."""
        return self.first + timedelta(days=rng.randrange((self.last - self.first).days))


@dataclass(frozen=True)
class Model:
    """A model as transcripts write it and as price tables know it."""

    written: str
    priced: str
    first: date
    last: date
    share: int


def _era(name: str, span: str, version: str, patches: tuple[int, int], habits: str) -> Era:
    first, last = map(date.fromisoformat, span.split(" "))
    tool = "Agent" if "agent-tool" in habits.split() else "Task"
    return Era(name, first, last, version, patches, frozenset(habits.split()), tool)


ERAS = {
    era.name: era
    for era in (
        _era("1.0", "2025-07-01 2025-09-28", "1.0", (35, 128), "partial cost-usd summaries legacy"),
        _era(
            "2.0",
            "2025-09-29 2026-01-05",
            "2.0",
            (1, 76),
            "partial split snapshots queue legacy nickname",
        ),
        _era(
            "2.1",
            "2026-01-06 2026-02-27",
            "2.1",
            (2, 62),
            "partial split snapshots queue progress nickname turn-duration",
        ),
        _era(
            "2.1.1xx",
            "2026-04-04 2026-08-20",
            "2.1",
            (97, 238),
            "split snapshots queue nickname turn-duration agent-tool sidecars attachments titles "
            "prompt-ids one-hour",
        ),
        _era(
            "2.1.270",
            "2026-09-10 2026-11-13",
            "2.1",
            (270, 325),
            "split snapshots queue turn-duration agent-tool sidecars attachments titles prompt-ids "
            "one-hour block-index cost-state background unfinished-agents entrypoint",
        ),
    )
}


def _model(written: str, span: str, share: int, priced: str = "") -> Model:
    first, last = map(date.fromisoformat, span.split(" "))
    return Model(written, priced or written, first, last, share)


MODELS = (
    _model("claude-opus-4-20250514", "2025-05-14 2025-08-05", 2),
    _model("claude-sonnet-4-20250514", "2025-05-14 2025-09-29", 5),
    _model("claude-opus-4-1-20250805", "2025-08-05 2025-11-24", 2),
    _model("claude-3-5-haiku-20241022", "2025-05-01 2025-10-01", 1),
    _model("claude-sonnet-4-5-20250929", "2025-09-29 2026-02-17", 5),
    _model("claude-haiku-4-5-20251001", "2025-10-01 2026-10-07", 2),
    _model("claude-opus-4-5-20251101", "2025-11-24 2026-02-05", 4),
    _model("claude-opus-4-6", "2026-02-05 2026-04-16", 5),
    _model("claude-sonnet-4-6", "2026-02-17 2026-07-01", 4),
    _model("claude-opus-4-7", "2026-04-16 2026-06-10", 4),
    _model("claude-opus-4-8", "2026-06-10 2026-08-01", 4),
    _model("claude-sonnet-5", "2026-07-01 2026-10-07", 3),
    _model("claude-opus-5", "2026-08-01 2026-10-07", 4),
    _model("claude-fable-5-1", "2026-09-01 2026-12-31", 1),
    _model("claude-opus-5-5", "2026-10-07 2026-12-31", 4),
    _model("claude-sonnet-5-5", "2026-10-07 2026-12-31", 4),
    _model("claude-haiku-5-5", "2026-10-07 2026-12-31", 3),
)


def models_on(day: date) -> list[Model]:
    """List the models people used on a day, the favourite first."""
    present = [model for model in MODELS if model.first <= day < model.last]
    return sorted(present, key=lambda model: -model.share)


def model_named(written: str, priced: str = "") -> Model:
    """Give a model by name, whatever its time."""
    for model in MODELS:
        if model.written == written:
            return model
    return Model(written, priced or written, date.min, date.max, 0)
