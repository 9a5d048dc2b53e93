"""One answer: every surface says the same of a session, case by case.

The cases are in `cases_usage`, `cases_agents`, `cases_status`, `cases_rows`, `cases_files`,
`cases_forgotten` and `cases_projects`. A field that differs today is named there with the reason,
and is expected to fail here: who makes it one answer deletes that line.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import (
    cases_agents,
    cases_files,
    cases_forgotten,
    cases_projects,
    cases_rows,
    cases_status,
    cases_usage,
)
from tests.e2e.cases import CASES as CASES
from tests.e2e.cases import Case
from tests.e2e.surfaces import Surfaces, all_fields, asked, disagreements, values_of

# Each fills the table when it is imported.
TABLE = (
    cases_usage,
    cases_agents,
    cases_status,
    cases_rows,
    cases_files,
    cases_forgotten,
    cases_projects,
)
DIFFERENT = [
    pytest.param(case, field, marks=pytest.mark.xfail(reason=why), id=f"{case.name}: {field}")
    for case in CASES
    for field, why in case.fails.items()
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A case -> what every surface says of it, asked once."""

    @cache
    def asked_once(case: Case) -> Surfaces:
        place: Path = tmp_path_factory.mktemp("case")
        return asked(case.workspace(place), index=case.index, bare=case.bare)

    return asked_once


def faults(case: Case, found: Surfaces, field: str) -> dict[str, Any]:
    """Where surfaces disagree about a field, or agree about what is not right."""
    different = {f"{field} of {key}": said for key, said in disagreements(found, field).items()}
    wrong = {
        f"{field} of {key} is not {value!r}": values
        for key, value in case.right.get(field, {}).items()
        if (values := values_of(found, key, field)) != [value]
    }
    return {**different, **wrong}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_surfaces_give_one_answer(case: Case, answers: Any) -> None:
    found = answers(case)
    fields = (all_fields(found) | set(case.right)) - set(case.fails)

    assert {
        name: fault for field in fields for name, fault in faults(case, found, field).items()
    } == {}


@pytest.mark.parametrize(("case", "field"), DIFFERENT)
def test_all_surfaces_agree_about(case: Case, field: str, answers: Any) -> None:
    assert not faults(case, answers(case), field)
