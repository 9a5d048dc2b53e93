from litestar.openapi.spec import Operation, RequestBody

from unspool.serve.routes.bodies import bodies


def test_an_operation_says_which_documents_it_takes() -> None:
    made: Operation = bodies("One", "Other")()
    assert isinstance(made.request_body, RequestBody)
    told = made.request_body.to_schema()

    assert told["required"]
    assert told["content"]["application/json"]["schema"] == {
        "anyOf": [{"$ref": "#/components/schemas/One"}, {"$ref": "#/components/schemas/Other"}]
    }
