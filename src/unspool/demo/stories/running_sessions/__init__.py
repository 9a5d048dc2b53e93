"""Stories that run while the demo is shown: one list for each process, its stories take turns."""

from unspool.demo.script.steps import Story
from unspool.demo.stories.running_sessions import (
    accessibility,
    broken_names,
    delete_customer,
    export_month,
    rate_limits,
    signatures,
    speed_round,
    third_carrier,
)
from unspool.demo.stories.waybill_files import in_project

_STORIES = (
    (rate_limits.STORY, export_month.STORY),
    (delete_customer.STORY, third_carrier.STORY),
    (speed_round.STORY, accessibility.STORY),
    (signatures.STORY, broken_names.STORY),
)
RUNNING: tuple[tuple[Story, ...], ...] = tuple(tuple(map(in_project, told)) for told in _STORIES)
