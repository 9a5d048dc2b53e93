from pathlib import Path

import msgspec
from jsonschema import Draft202012Validator

from tests.show.made import call, chunk, document, step
from unspool.show import session_json

PUBLISHED = Path(__file__).parents[2] / "docs" / "session.schema.json"


def test_the_published_schema_is_the_one_the_code_keeps() -> None:
    assert PUBLISHED.read_bytes() == session_json.schema_file()


def test_a_document_fits_its_schema() -> None:
    made = document(
        chunk("user", "hi"),
        chunk("ai", "", step("tool_call", id="t1")),
        tool_executions=(call("Bash", result="a", command="ls"),),
    )
    found = Draft202012Validator(session_json.schema()).iter_errors(
        msgspec.json.decode(msgspec.json.encode(made))
    )

    assert list(found) == []


def test_a_document_without_metrics_does_not_fit() -> None:
    found = Draft202012Validator(session_json.schema()).iter_errors({"session": {"id": "x"}})

    assert any("metrics" in error.message for error in found)
