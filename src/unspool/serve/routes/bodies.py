"""Bodies that are read as they come: what the OpenAPI document says of them."""

from dataclasses import dataclass

from litestar.openapi.spec import OpenAPIMediaType, Operation, Reference, RequestBody, Schema


def bodies(*documents: str) -> type[Operation]:
    """An operation that takes JSON of one of these schemas."""
    any_of = [Reference(ref=f"#/components/schemas/{name}") for name in documents]
    taken = RequestBody(
        content={"application/json": OpenAPIMediaType(schema=Schema(any_of=any_of))}, required=True
    )

    @dataclass
    class Bodies(Operation):
        def __post_init__(self) -> None:
            self.request_body = taken

    return Bodies
