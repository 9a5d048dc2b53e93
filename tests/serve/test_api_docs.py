"""docs/api.md and docs/live.md name what the OpenAPI document has."""

import re
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.serve.served import Served

API, LIVE = ((REPOSITORY / "docs" / name).read_text() for name in ("api.md", "live.md"))


@pytest.fixture
def schema(site: Served) -> dict[str, Any]:
    found: dict[str, Any] = site.ask("/schema").json()
    return found


def camel(path: str) -> str:
    """A path with its parameters as documents spell them."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), path)


def test_every_route_is_named(schema: dict[str, Any]) -> None:
    paths = [camel(path) for path in schema["paths"] if path.startswith("/api/")]
    parts = [re.sub(r"^/api/sessions/({projectId}/)?{sessionId}(/events)?/", "/", path)
             for path in paths]  # fmt: skip

    assert len(paths) > 15
    assert [path for path, part in zip(paths, parts, strict=True)
            if path not in API + LIVE and f"{part}`" not in API + LIVE] == []  # fmt: skip


def test_every_field_of_a_row_is_named(schema: dict[str, Any]) -> None:
    fields = schema["components"]["schemas"]["SessionSummary"]["properties"]

    assert "path" in fields
    assert [name for name in fields if f"`{name}`" not in API] == []


def test_every_filter_of_the_list_is_named(schema: dict[str, Any]) -> None:
    names = {one["name"] for one in schema["paths"]["/api/sessions"]["get"]["parameters"]}

    assert [name for name in names if f"`{name}`" not in API] == []
