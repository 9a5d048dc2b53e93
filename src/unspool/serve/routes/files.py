"""Answers that are files: what the OpenAPI document says of them, and what a browser may do."""

from dataclasses import dataclass
from typing import Final

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Reference, Schema

# Whatever is in it, it is shown or saved and never run.
CSP: Final = "default-src 'none'; sandbox"


def files(*kinds: str, document: str = "") -> type[Operation]:
    """An operation whose answer is of one of these media types; JSON is of a known schema."""
    known = Schema(all_of=[Reference(ref=f"#/components/schemas/{document}")])
    content = {
        kind: OpenAPIMediaType(schema=known if kind == "application/json" else Schema())
        for kind in kinds
    }

    @dataclass
    class Files(Operation):
        def __post_init__(self) -> None:
            told = OpenAPIResponse(description="The file.", content=content)
            self.responses = {**(self.responses or {}), "200": told}

    return Files
