from typing import Any

import jsonschema
import pytest
from litestar.openapi.spec import Operation, RequestBody

from tests.serve.served import Served, problem
from unspool.serve.openapi import json_body


@pytest.fixture
def schema(site: Served) -> dict[str, Any]:
    answer = site.ask("/schema")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_the_document_is_at_both_its_addresses(site: Served, schema: dict[str, Any]) -> None:
    assert site.ask("/schema/openapi.json").json() == schema
    assert schema["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    def references(node: Any) -> list[str]:
        if isinstance(node, list):
            return [one for item in node for one in references(item)]
        if not isinstance(node, dict):
            return []
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [one for item in node.values() for one in references(item)]

    known = {f"#/components/schemas/{name}" for name in schema["components"]["schemas"]}
    assert set(references(schema)) <= known


def test_every_route_says_what_goes_wrong_in_one_way(schema: dict[str, Any]) -> None:
    operations = [one for item in schema["paths"].values() for one in item.values()]

    assert operations
    for one in operations:
        told = one["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert told == {"$ref": "#/components/schemas/Problem"}


def test_a_page_of_every_list_has_fifty_items_unless_asked_otherwise(
    schema: dict[str, Any],
) -> None:
    found = {
        path: parameter["schema"]
        for path, item in schema["paths"].items()
        for parameter in item.get("get", {}).get("parameters", ())
        if parameter["name"] == "limit" and "default" in parameter["schema"]
    }
    found.pop("/api/search", None)  # it has a size of its own

    assert len(found) == 10
    assert {path: one["default"] for path, one in found.items()} == dict.fromkeys(found, 50)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/sessions", "/api/sessions"),
        ("/api/health", "/api/health"),
        ("/api/index", "/api/index"),
        (
            "/api/sessions/{project_id}/{session_id}",
            "/api/sessions/-home-dev-kettle/session-one",
        ),
    ],
)
def test_an_answer_is_what_the_document_says(
    site: Served, schema: dict[str, Any], path: str, asked: str
) -> None:
    told = schema["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    answer = site.ask(asked)

    assert answer.status_code == 200
    jsonschema.validate(answer.json(), {**schema, **told["schema"]})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([], {**schema, **told["schema"]})


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("/api/sessions", "status", {"type": "string"}),
        (
            "/api/sessions/{project_id}/{session_id}",
            "limit",
            {"type": "integer", "exclusiveMinimum": -1, "maximum": 1_000},
        ),
    ],
)
def test_a_parameter_that_may_be_left_out_is_not_null(
    schema: dict[str, Any], path: str, name: str, told: dict[str, Any]
) -> None:
    given = schema["paths"][path]["get"]["parameters"]
    (found,) = [one["schema"] for one in given if one["name"] == name]

    assert None not in found.pop("enum", [])
    assert found == told


@pytest.mark.parametrize("path", ["/schema/x", "/schema/openapi.yml", "/schema/x/y"])
def test_there_is_nothing_else_below_it(site: Served, path: str) -> None:
    answer = site.ask(path)

    assert answer.status_code == 404
    assert problem(answer)["title"] == "Not Found"


def test_an_event_may_be_handed_in_as_told_or_in_an_envelope(schema: dict[str, Any]) -> None:
    body = schema["paths"]["/api/events"]["post"]["requestBody"]
    told = {**schema, **body["content"]["application/json"]["schema"]}
    envelope = {"type": "Stop", "sessionId": "s", "timestamp": "2026-02-28T10:00:00.5+01:00"}

    assert body["required"]
    jsonschema.validate({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"}, told)
    jsonschema.validate(envelope, told)
    for wrong in ({"type": "Stop"}, {**envelope, "timestamp": "2026-02-30T10:00:00Z"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, told)


def test_an_operation_says_which_documents_it_takes() -> None:
    made: Operation = json_body("One", "Other")()
    assert isinstance(made.request_body, RequestBody)
    told = made.request_body.to_schema()

    assert told["required"]
    assert told["content"]["application/json"]["schema"] == {
        "anyOf": [{"$ref": "#/components/schemas/One"}, {"$ref": "#/components/schemas/Other"}]
    }


def test_the_document_says_which_files_may_come(site: Served) -> None:
    paths = site.ask("/schema").json()["paths"]
    blob = paths["/api/blob/{event_id}/{n}"]["get"]["responses"]["200"]["content"]
    export = paths["/api/export/{project_id}/{session_id}"]["get"]["responses"]["200"]["content"]

    assert {"image/png", "application/octet-stream"} < set(blob)
    assert set(export) == {
        "application/json",
        "application/x-ndjson",
        "text/html",
        "text/markdown",
    }
