"""The routes' Structs -> the OpenAPI document; msgspec itself says what they look like."""

from typing import Any, Final

import msgspec
from litestar import Request, Router
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, Reference, Schema, SecurityScheme
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition
from msgspec import Struct

from unspool.model.hooks import EventEnvelope, HookRequest
from unspool.serve.problems import MEDIA_TYPE, Problem

_PATHS: Final = ("/schema", "/schema/openapi.json")
_REF: Final = "#/components/schemas/{name}"
_PROBLEM: Final = {
    "description": "What went wrong, as RFC 9457 says it.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}},
}


class Structs(OpenAPISchemaPlugin):
    """Names a Struct in the document; its schema is the one its JSON is made by."""

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


class Rendered(JsonRenderPlugin):
    """The document as JSON."""

    def __init__(self, structs: Structs) -> None:
        super().__init__(path=[path.removeprefix("/schema") or "/" for path in _PATHS])
        self._structs = structs

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Join what Litestar knows of the routes with what msgspec knows of their answers."""
        components = dict(openapi_schema.get("components") or {})
        components["schemas"] = {**components.get("schemas", {}), **self._structs.components()}
        paths = {
            path: {method: _told(operation) for method, operation in item.items()}
            for path, item in openapi_schema["paths"].items()
        }
        return msgspec.json.encode({**openapi_schema, "paths": paths, "components": components})


def _told(operation: dict[str, Any]) -> dict[str, Any]:
    """Every error has one shape, refused requests included."""
    kept = {
        status: told for status, told in operation["responses"].items() if status.startswith("2")
    }
    parameters = [_given(one) for one in operation.get("parameters") or ()]
    responses = {**kept, "default": _PROBLEM}
    return {**operation, "parameters": parameters, "responses": responses}


def _given(parameter: dict[str, Any]) -> dict[str, Any]:
    """What may be left out is not null when it is given: an address has no way to say so."""
    schema = dict(parameter["schema"])
    for branch in schema.pop("oneOf", ()):
        schema |= branch if branch != {"type": "null"} else {}
    if isinstance(schema.get("type"), list):
        (schema["type"],) = [kind for kind in schema["type"] if kind != "null"]
    if "enum" in schema:
        schema["enum"] = [one for one in schema["enum"] if one is not None]
    return {**parameter, "schema": schema}


async def _look(request: Request[Any, Any, Any]) -> None:
    """All else below is missing as anything is; the framework has a page of its own for it."""
    if request.url.path.rstrip("/") not in _PATHS:
        raise NotFoundException


def config(version: str, structs: Structs) -> OpenAPIConfig:
    """What the document says of the whole."""
    return OpenAPIConfig(
        title="unspool",
        version=version,
        description="Sessions of Claude Code on this machine.",
        openapi_router=Router(
            "/schema", route_handlers=[], include_in_schema=False, before_request=_look
        ),
        render_plugins=[Rendered(structs)],
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}
        ),
        security=[{"token": []}],
        use_handler_docstrings=True,
    )
