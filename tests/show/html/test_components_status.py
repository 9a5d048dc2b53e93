"""Marks and names: every status has its own, and time is told in few characters."""

from typing import get_args

import pytest

from tests.show.boards import NOW, row
from unspool.model.document import Evidence, SessionInfo, StatusName
from unspool.show.html.components import (
    EVIDENCE_LABELS,
    SPOOL_ENDS,
    STATUS_KINDS,
    age_label,
    project_label,
    session_title,
)


def test_every_status_and_every_proof_has_its_words() -> None:
    assert set(STATUS_KINDS) == set(SPOOL_ENDS) == set(get_args(StatusName))
    assert set(EVIDENCE_LABELS) == set(get_args(Evidence))


@pytest.mark.parametrize(
    ("since", "told"),
    [
        ("2026-11-15T23:54:48.000Z", "12 s"),
        ("2026-11-15T23:52:00.000Z", "3 min"),
        ("2026-11-15T21:20:00.000Z", "2 h"),
        ("2026-11-16T23:00:00.000Z", "0 s"),
        ("no time", ""),
        (None, ""),
    ],
)
def test_how_long_ago_is_told_in_few_characters(since: str | None, told: str) -> None:
    assert age_label(since, NOW) == told


def test_a_session_without_a_title_is_called_by_its_goal_or_id() -> None:
    assert session_title(row("a").session) == "Title of a"
    assert session_title(SessionInfo(id="i", goal="Mend it")) == "Mend it"
    assert session_title(SessionInfo(id="i")) == "Untitled"


def test_a_session_without_a_project_says_so() -> None:
    assert project_label(SessionInfo(id="i")) == "no project"
