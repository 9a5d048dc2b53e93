"""The OpenAPI document: Litestar knows the routes, msgspec knows the schemas of their Structs."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from litestar import Request, Router
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import (
    Components,
    OpenAPIMediaType,
    OpenAPIResponse,
    Operation,
    Reference,
    RequestBody,
    Schema,
    SecurityScheme,
)
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition
from msgspec import Struct

from unspool.model.hooks import EventEnvelope, HookRequest
from unspool.serve.problems import MEDIA_TYPE, Problem

# A file is shown or saved, and never run, whatever is in it.
FILE_CSP: Final = "default-src 'none'; sandbox"
_PATHS: Final = ("/schema", "/schema/openapi.json")
_REF: Final = "#/components/schemas/{name}"
_PROBLEM: Final = {
    "description": "What went wrong, as an RFC 9457 problem document.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}},
}


class StructSchemas(OpenAPISchemaPlugin):
    """Describes Structs by the schema that msgspec encodes them by."""

    def __init__(self) -> None:
        self._known: list[Any] = [Problem, HookRequest, EventEnvelope]

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether a field is a Struct."""
        return not field_definition.is_union and field_definition.is_subclass_of(Struct)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Point to its component."""
        kind = field_definition.annotation
        self._known.append(kind)
        (made,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
        # A bare reference would have to be in Litestar's own register.
        return Schema(all_of=[Reference(ref=made["$ref"])])

    def components(self) -> dict[str, Any]:
        """Every Struct that was named, and those inside them."""
        return msgspec.json.schema_components(self._known, ref_template=_REF)[1]


class JsonDocument(JsonRenderPlugin):
    """The document as JSON."""

    def __init__(self, structs: StructSchemas) -> None:
        super().__init__(path=[path.removeprefix("/schema") or "/" for path in _PATHS])
        self._structs = structs

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Add the schemas of msgspec to the paths of Litestar."""
        components = dict(openapi_schema.get("components") or {})
        components["schemas"] = {**components.get("schemas", {}), **self._structs.components()}
        paths = {
            path: {method: _with_problems(operation) for method, operation in item.items()}
            for path, item in openapi_schema["paths"].items()
        }
        return msgspec.json.encode({**openapi_schema, "paths": paths, "components": components})


def _with_problems(operation: dict[str, Any]) -> dict[str, Any]:
    """Every error has one shape, refused requests included."""
    successes = {
        status: response
        for status, response in operation["responses"].items()
        if status.startswith("2")
    }
    parameters = [_without_null(one) for one in operation.get("parameters") or ()]
    responses = {**successes, "default": _PROBLEM}
    return {**operation, "parameters": parameters, "responses": responses}


def _without_null(parameter: dict[str, Any]) -> dict[str, Any]:
    """An optional parameter is never null: a query string cannot say so."""
    schema = dict(parameter["schema"])
    for branch in schema.pop("oneOf", ()):
        schema |= branch if branch != {"type": "null"} else {}
    if isinstance(schema.get("type"), list):
        (schema["type"],) = [kind for kind in schema["type"] if kind != "null"]
    if "enum" in schema:
        schema["enum"] = [one for one in schema["enum"] if one is not None]
    return {**parameter, "schema": schema}


async def _only_known_paths(request: Request[Any, Any, Any]) -> None:
    """Anything else below /schema is a plain 404; the framework has a page of its own for it."""
    if request.url.path.rstrip("/") not in _PATHS:
        raise NotFoundException


def config(version: str, structs: StructSchemas) -> OpenAPIConfig:
    """Title, version, security and rendering of the document."""
    return OpenAPIConfig(
        title="unspool",
        version=version,
        description="Claude Code sessions on this machine.",
        openapi_router=Router(
            "/schema", route_handlers=[], include_in_schema=False, before_request=_only_known_paths
        ),
        render_plugins=[JsonDocument(structs)],
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}
        ),
        security=[{"token": []}],
        use_handler_docstrings=True,
    )


def file_response(*kinds: str, document: str = "") -> type[Operation]:
    """An operation that responds with a file of one of these media types.

    `document` names the schema of `application/json`.
    """
    schema = Schema(all_of=[Reference(ref=_REF.format(name=document))])
    content = {
        kind: OpenAPIMediaType(schema=schema if kind == "application/json" else Schema())
        for kind in kinds
    }

    @dataclass
    class FileOperation(Operation):
        def __post_init__(self) -> None:
            response = OpenAPIResponse(description="The file.", content=content)
            self.responses = {**(self.responses or {}), "200": response}

    return FileOperation


def json_body(*documents: str) -> type[Operation]:
    """An operation that reads its body itself: JSON of one of these schemas."""
    any_of = [Reference(ref=_REF.format(name=name)) for name in documents]
    body = RequestBody(
        content={"application/json": OpenAPIMediaType(schema=Schema(any_of=any_of))}, required=True
    )

    @dataclass
    class JsonOperation(Operation):
        def __post_init__(self) -> None:
            self.request_body = body

    return JsonOperation
