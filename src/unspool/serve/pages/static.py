"""`/static/**`: the pages' own files, read once; a name that is not among them is nothing."""

from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, NamedTuple

from litestar import Request, Response, get
from litestar.params import PathParameter

from unspool.errors import NotFound
from unspool.serve.api.session_request import has_tag
from unspool.show.html.assets import FILES, VERSION

_KINDS: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
# What has its version in its address is never another.
_KEPT: Final = "private, max-age=31536000, immutable"


class File(NamedTuple):
    """What is sent of a file."""

    body: bytes
    kind: str
    tag: str


def _file(name: str, body: bytes) -> File:
    tag = blake2b(body, digest_size=12).hexdigest()
    return File(body, _KINDS[PurePosixPath(name).suffix], f'"{tag}"')


_FILES: Final = {name: _file(name, body) for name, body in FILES.items()}


@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(
    request: Request[Any, Any, Any], name: Annotated[str, PathParameter()]
) -> Response[bytes]:
    """One of them."""
    plain = name.removeprefix("/")
    file = _FILES.get(plain.removeprefix(f"{VERSION}/"))
    if file is None:
        raise NotFound("There is no such file.")
    is_named = plain.startswith(f"{VERSION}/")
    headers = {"etag": file.tag, "cache-control": _KEPT if is_named else "private, no-cache"}
    if has_tag(request.headers.get("if-none-match"), file.tag):
        return Response(b"", status_code=304, headers=headers)
    return Response(file.body, media_type=file.kind, headers=headers)


@get("/favicon.ico", include_in_schema=False, status_code=204, sync_to_thread=False)
def icon() -> None:
    """Browsers ask for one; the pages name theirs."""
