"""The stories of the demo: two weeks of one made-up project, and what runs while it is shown.

Waybill is a small self-hosted service that tracks deliveries: Python, Postgres and a web page.
Files, tables, branches and figures are the same in all stories; nobody is named.
"""

from unspool.demo.script.steps import Story
from unspool.demo.stories import (
    carrier_plan,
    csv_import,
    double_mail,
    everyday,
    everyday_release,
    failed_migration,
    flaky_poller,
    new_estimate,
    review_branch,
    stopped,
    team_release,
    wrong_zone,
)
from unspool.demo.stories.waybill_files import in_project

_STORIES = (
    double_mail.STORY,
    wrong_zone.STORY,
    failed_migration.STORY,
    csv_import.STORY,
    carrier_plan.PLAN,
    carrier_plan.IMPLEMENTATION,
    review_branch.STORY,
    flaky_poller.STORY,
    team_release.STORY,
    new_estimate.STORY,
    stopped.FAILED,
    stopped.LIMITED,
    *everyday.STORIES,
    *everyday_release.STORIES,
)
PAST: tuple[Story, ...] = tuple(map(in_project, _STORIES))
