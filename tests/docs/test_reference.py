"""Reference pages name what the code has, and nothing else."""

import json
import re
from typing import get_args

import msgspec
import pytest
from msgspec import Struct

from tests.docs import code
from tests.docs.pages import DOCS, codes, fences, first_cells, rows, section
from tools import man_page
from unspool.cli.index import BuildReport
from unspool.derive.alerts.rules import KINDS, NOTICES
from unspool.engine import settings
from unspool.model.alerts import Alert, Rule
from unspool.model.document import SessionInfo, SessionMetrics, Status, StatusName, TotalMetrics
from unspool.model.health import Finding, IndexStatus, Oddity
from unspool.model.session import (
    Board,
    BoardProcess,
    BoardRow,
    BoardSpend,
    QuotaSpan,
    QuotaStatus,
    SessionSummary,
)
from unspool.serve.runtime import Runtime
from unspool.show.labels import STATUSES

CONFIGURATION, ENVIRONMENT, JSON = (
    DOCS / f"{name}.md" for name in ("configuration", "environment", "json")
)
SHAPES: dict[str, type[Struct]] = {
    "Session rows": SessionSummary,
    "Session": SessionInfo,
    "Metrics": TotalMetrics,
    "Metrics of a document": SessionMetrics,
    "Board": Board,
    "Board row": BoardRow,
    "Process": BoardProcess,
    "Spend": BoardSpend,
    "Alert": Alert,
    "Quota": QuotaStatus,
    "Usage limit": QuotaSpan,
    "Index status": IndexStatus,
    "Index build": BuildReport,
    "Finding": Finding,
    "Unknown name": Oddity,
}


def fields(kind: type[Struct]) -> list[str]:
    """The fields of a Struct as JSON has them."""
    return [one.encode_name for one in msgspec.structs.fields(kind)]


@pytest.mark.parametrize("heading", SHAPES)
def test_a_shape_has_the_fields_that_are_documented(heading: str) -> None:
    assert sorted(first_cells(section(JSON, heading))) == sorted(fields(SHAPES[heading]))


def test_runtime_json_has_the_fields_that_are_documented() -> None:
    page = section(DOCS / "server.md", "Signing in").partition("| in `runtime.json` | |")[2]

    assert sorted(first_cells(f"| | |\n{page}")) == sorted(fields(Runtime))


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    table = section(ENVIRONMENT, "Variables").partition("The default of `UNSPOOL_HOME`")[0]

    assert sorted(first_cells(table)) == sorted(code.variables())


def test_the_man_page_knows_no_variable_that_the_table_lacks() -> None:
    named = {name for names, _ in man_page.VARIABLES for name in names.split(", ")}

    assert named <= code.variables()


def test_every_table_of_the_settings_is_documented() -> None:
    found = [name.strip("[]") for name in first_cells(section(CONFIGURATION, "unspool.toml"))]

    assert sorted(found) == sorted(settings.TABLES)


# Rules are compared by their kinds, below; a key of [projects] is a name of the user's own.
KEYS = {
    "notify": settings.NOTIFY_KEYS,
    "hub": settings.HUB_KEYS,
    "keep": settings.KEEP_KEYS,
}


def test_the_keys_of_every_table_of_the_settings_are_compared() -> None:
    assert sorted([*KEYS, "alerts", "projects"]) == sorted(settings.TABLES)


@pytest.mark.parametrize("table", KEYS)
def test_every_key_of_a_table_of_the_settings_is_documented_and_no_other(table: str) -> None:
    named = first_cells(section(CONFIGURATION, table))

    assert sorted(named) == sorted(KEYS[table])


@pytest.mark.parametrize(("table", "key"), [(table, key) for table in KEYS for key in KEYS[table]])
def test_every_key_that_is_documented_is_read(table: str, key: str) -> None:
    way = "desktop = true\n" if key == "kinds" else ""  # without one there are no notices
    (trouble,) = settings.decoded(f"[{table}]\n{way}{key} = 2026-01-01\n").trouble

    assert f"{key} must be" in trouble


def test_the_defaults_of_the_settings_of_a_hub_are_documented() -> None:
    table = {codes(row[0])[0]: codes(row[2])[0] for row in rows(section(CONFIGURATION, "hub"))}
    made = settings.UserSettings()
    written = {"exclude": made.private, "allow_reads": made.allow_reads, "takes": made.takes}

    assert table == {name: json.dumps(value) for name, value in written.items()}


def test_every_setting_of_notices_is_documented_with_its_default() -> None:
    table = {codes(row[0])[0]: row[2] for row in rows(section(CONFIGURATION, "notify"))}
    defaults = msgspec.structs.asdict(settings.Notify())
    written = {name: str(value).lower().replace("()", "[]") for name, value in defaults.items()}

    assert sorted(table) == sorted(settings.NOTIFY_KEYS) == sorted(written)
    wanted = {name: "all six" if name == "kinds" else value for name, value in written.items()}
    assert {name: cell.strip().strip("`") for name, cell in table.items()} == wanted
    assert set(codes(section(CONFIGURATION, "notify"))) >= set(NOTICES)


def kinds() -> dict[str, list[list[str]]]:
    """What the table of kinds has: required fields and optional ones."""
    found = (row for row in rows(section(CONFIGURATION, "alerts")) if len(row) == 3)
    return {codes(row[0])[0]: [codes(row[1]), codes(row[2])] for row in found}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_rule_has_the_fields_that_are_documented(kind: str) -> None:
    shared = {one.name for one in msgspec.structs.fields(Rule)}
    own = [one for one in msgspec.structs.fields(KINDS[kind]) if one.name not in shared]

    required, optional = kinds()[kind]
    assert sorted(required) == sorted(one.name for one in own if one.required)
    assert sorted(optional) == sorted(one.name for one in own if not one.required)


def test_no_kind_of_rule_is_made_up_and_every_field_is_explained() -> None:
    own = {one.name for kind in KINDS.values() for one in msgspec.structs.fields(kind)}
    table = section(CONFIGURATION, "alerts").partition("Every kind takes")[0]

    assert sorted(kinds()) == sorted(KINDS)
    # These three are read before a rule is made.
    assert sorted(first_cells(table)) == sorted({*own, "use", "when", "enabled"})


def test_every_example_of_the_settings_can_be_used() -> None:
    examples = [one.text for one in fences(CONFIGURATION, "toml") if "[models" not in one.text]

    assert len(examples) >= 3
    assert [settings.decoded(text).trouble for text in examples] == [()] * len(examples)


def test_every_key_of_prices_is_documented_and_no_other() -> None:
    page = section(CONFIGURATION, "prices.toml")
    tables = {name.strip("[]").removesuffix(".NAME") for name in first_cells(page)}
    known = code.keys_read(code.tree("decode/prices.py"))

    # `updated` is ours; `above` is a key of a tier, shown in its row.
    assert tables - {"devtools"} == known - {"devtools", "updated", "above"}
    assert {"devtools", "above"} <= {*tables, *re.findall(r"\w+", page)}


def test_every_file_that_is_documented_is_one_of_ours() -> None:
    named = first_cells(section(CONFIGURATION, "Files in UNSPOOL_HOME"))
    known = {text for text in code.sentences() if len(text) < 40}

    assert [one for one in named if one.rstrip("/").replace("-1", "-…") not in known] == []


def test_every_status_is_documented_with_its_mark() -> None:
    table = [
        [codes(row[0])[0], row[1].strip(), codes(row[2])[0]]
        for row in rows(section(DOCS / "statuses.md", "How statuses are known"))
    ]

    assert sorted(row[2] for row in table) == sorted(get_args(StatusName))
    assert table == [[sign.shape, sign.word, state] for state, sign in STATUSES.items()]


def test_every_evidence_is_documented() -> None:
    known = get_args(msgspec.structs.fields(Status)[2].type)

    assert sorted(first_cells(section(DOCS / "statuses.md", "Evidence"))) == sorted(known)
