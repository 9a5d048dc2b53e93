"""Routes: docs/api.md has those of the API, docs/pages.md the pages, docs/live.md the channel."""

import ast
import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from litestar.routes import HTTPRoute, WebSocketRoute

from tests.cli.made import root, talk
from tests.docs import code
from tests.docs.pages import DOCS, codes, first_cells, rows, section
from tests.serve.served import Served, served
from unspool.model.live import ClientMessage, InvalidationReason

API, LIVE, PAGES = DOCS / "api.md", DOCS / "live.md", DOCS / "pages.md"
# What a page is made of, and fetches by itself.
PARTS = ("/part/", "/static/", "/favicon.ico")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(root(tmp_path_factory.mktemp("api") / "claude", talk())) as made:
        yield made


@pytest.fixture(scope="module")
def operations(site: Served) -> dict[str, Any]:
    """The operations of the OpenAPI document, by method and path as documents spell them."""
    paths = site.ask("/schema").json()["paths"]
    return {
        f"{method.upper()} {camel(path)}": operation
        for path, item in paths.items()
        for method, operation in item.items()
    }


def camel(path: str) -> str:
    """A path with its parameters as documents spell them."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), path)


def documented() -> dict[str, str]:
    """The row of each route."""
    return {codes(row[0])[0]: row[1] for row in rows(section(API, "Routes"))}


def test_every_route_is_documented_and_no_other(operations: dict[str, Any]) -> None:
    assert len(operations) > 20
    assert sorted(documented()) == sorted(operations)


def pages(site: Served) -> Iterator[str]:
    """The addresses of pages, as documents spell them."""
    for route in site.app.routes:
        if isinstance(route, HTTPRoute) and not route.path_format.startswith(PARTS):
            handlers = [one for one in route.route_handlers if "GET" in one.http_methods]
            if any(one.include_in_schema is False for one in handlers):
                yield camel(route.path_format or "/")


def test_every_page_is_documented_and_no_other(site: Served) -> None:
    head, _, _ = PAGES.read_text().partition("\n## ")
    named = [one.partition("?")[0] for one in first_cells(head)]

    assert sorted(named) == sorted(pages(site))


def test_every_parameter_is_documented(operations: dict[str, Any]) -> None:
    named = {re.split("[=?]", one)[0] for one in codes(API.read_text())}
    asked = {
        one["name"]
        for operation in operations.values()
        for one in operation.get("parameters", ())
        if one["in"] == "query"
    }

    assert sorted(asked - named - {"cursor", "limit"}) == []


def test_every_filter_of_the_list_is_documented_and_no_other(operations: dict[str, Any]) -> None:
    asked = {one["name"] for one in operations["GET /api/sessions"]["parameters"]}

    assert sorted(first_cells(section(API, "Filters of sessions"))) == sorted(asked)


def test_every_status_of_an_error_is_documented() -> None:
    known = {
        number.value
        for path in ("serve/problems.py", "serve/auth/policy.py", "serve/auth/middleware.py")
        for number in ast.walk(code.tree(path))
        if isinstance(number, ast.Constant) and number.value in range(400, 600)
    }
    table = {int(one) for row in rows(section(API, "Errors")) for one in re.findall(r"\d+", row[0])}

    assert table == known - {500}  # which is a fault of ours


def test_every_live_channel_is_documented(site: Served) -> None:
    (channel,) = (one.path for one in site.app.routes if isinstance(one, WebSocketRoute))

    assert f"WS {channel}" in codes(section(LIVE, "The channel"))
    assert f"WS {channel}" in codes(section(API, "The live channel"))


def message_types() -> set[str]:
    """The types of messages that the server sends."""
    modules = [code.tree("serve/api/live.py")]
    modules += [tree for path, tree in code.trees().items() if path.parent.name == "live"]
    found = {text for one in modules for text in first_arguments(one, "encode", "message")}
    return found | {text for one in modules for text in literals(one)}


def first_arguments(module: ast.Module, *called: str) -> Iterator[str]:
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in called and call.args:
            yield from code.constants(call.args[0])


def literals(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal":
            yield from code.constants(node.slice)


def test_every_message_of_the_channel_is_documented_and_no_other() -> None:
    assert sorted(first_cells(section(LIVE, "The channel"))) == sorted(message_types())


def test_every_message_of_a_client_is_documented() -> None:
    page = section(LIVE, "The channel")
    kinds = get_args(msgspec.structs.fields(ClientMessage)[0].type)
    names = [one.encode_name for one in msgspec.structs.fields(ClientMessage)]

    assert [one for one in kinds if one not in page] == []
    assert [one for one in names if f'"{one}"' not in page] == []


def test_every_reason_to_fetch_again_is_documented() -> None:
    named = codes(section(LIVE, "The channel"))

    assert [one for one in get_args(InvalidationReason) if one not in named] == []
