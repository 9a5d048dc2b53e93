"""The session document's JSON Schema, from the Structs that are the document."""

from typing import Any

import msgspec

from unspool.model.document import SessionDocument

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """What `unspool show --json` promises."""
    return {"$schema": _DIALECT, "title": "unspool session", **msgspec.json.schema(SessionDocument)}


def encoded() -> bytes:
    """The schema as it is published."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n"
