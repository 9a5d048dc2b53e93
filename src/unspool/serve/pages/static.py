"""`/static/**`: the pages' own files, read once; a name that is not among them is nothing."""

from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from litestar import Request, Response, get
from litestar.params import PathParameter

from unspool.errors import NotFound
from unspool.serve.routes.opened import is_known
from unspool.show import pages

_HERE: Final = Path(pages.__file__).parent / "static"
_KINDS: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class File(NamedTuple):
    """What is sent of a file."""

    body: bytes
    kind: str
    tag: str


def _file(body: bytes, suffix: str) -> File:
    return File(body, _KINDS[suffix], f'"{blake2b(body, digest_size=12).hexdigest()}"')


def files() -> dict[str, File]:
    """Every file by its name below `/static/`; all styles in their order are `app.css`."""
    found = (path for path in sorted(_HERE.rglob("*")) if path.suffix in _KINDS)
    made = {
        path.relative_to(_HERE).as_posix(): _file(path.read_bytes(), path.suffix) for path in found
    }
    sheets = (made[f"css/{name}.css"].body for name in pages.STYLES)
    return {**made, "app.css": _file(b"".join(sheets), ".css")}


_FILES: Final = files()


@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(
    request: Request[Any, Any, Any], name: Annotated[str, PathParameter()]
) -> Response[bytes]:
    """One of them."""
    file = _FILES.get(name.removeprefix("/"))
    if file is None:
        raise NotFound("There is no such file.")
    headers = {"etag": file.tag, "cache-control": "private, no-cache"}
    if is_known(request.headers.get("if-none-match"), file.tag):
        return Response(b"", status_code=304, headers=headers)
    return Response(file.body, media_type=file.kind, headers=headers)


@get("/favicon.ico", include_in_schema=False, status_code=204, sync_to_thread=False)
def icon() -> None:
    """Browsers ask for one; the pages name theirs."""
