"""A range of a session's steps, as its address names it: `?from=<step>&to=<step>`."""

from collections.abc import Sequence
from datetime import tzinfo

from msgspec import Struct

from unspool.model.steps import SessionStep
from unspool.show import times
from unspool.show.html.cost_panel import steps_cost
from unspool.show.numbers import plural


class StepRange(Struct, frozen=True, kw_only=True):
    """Some steps of a session, both ends included; `text` says when, how many, how much."""

    first: int
    last: int
    first_id: str
    last_id: str
    text: str
    next: int = 0  # the first step that the page has no room for
    next_id: str = ""

    @property
    def numbers(self) -> range:
        """The numbers of its steps."""
        return range(self.first, self.last + 1)


def step_range(
    steps: Sequence[SessionStep], first: int, last: int, zone: tzinfo | None = None
) -> StepRange | None:
    """The range between two numbers, whichever comes first; None if it has no step."""
    first, last = max(min(first, last), 1), min(max(first, last), len(steps))
    inside = steps[first - 1 : last]
    if not inside:
        return None
    starts = [step.start for step in inside if step.start is not None]
    ends = [step.end or step.start or 0 for step in inside if step.start is not None]
    clocks = ""
    if starts:
        begin, end = times.clock_at(min(starts), zone), times.clock_at(max(ends), zone)
        clocks = f"{begin} – {end} · "
    return StepRange(
        first=first,
        last=last,
        first_id=inside[0].id,
        last_id=inside[-1].id,
        text=f"{clocks}{plural(len(inside), 'step')} · {steps_cost(inside)}",
    )
