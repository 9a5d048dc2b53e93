"""Static files, read once; their URLs contain a version, so browsers can cache them."""

from hashlib import blake2b
from pathlib import Path
from typing import Final

# The order is the cascade's.
STYLES: Final = (
    "tokens base layout parts charts reading board session spool pages find live print".split()
)

_HERE: Final = Path(__file__).parent.parent / "static"


def _files() -> dict[str, bytes]:
    paths = sorted(path for path in _HERE.rglob("*") if path.is_file())
    files = {path.relative_to(_HERE).as_posix(): path.read_bytes() for path in paths}
    sheets = (files[f"css/{name}.css"] for name in STYLES)
    return {**files, "app.css": b"".join(sheets)}


# By name below `static`; all styles in their order are `app.css`.
FILES: Final = _files()
VERSION: Final = blake2b(b"".join(FILES.values()), digest_size=6).hexdigest()
