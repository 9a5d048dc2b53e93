"""One answer: every surface says the same of a session, case by case."""

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
def test_all_surfaces_give_one_answer(case: Case, tmp_path: Path) -> None:
    found = asked(case.workspace(tmp_path), index=case.index, bare=case.bare)
    fields = all_fields(found) | set(case.right)

    assert {
        name: fault for field in fields for name, fault in faults(case, found, field).items()
    } == {}
