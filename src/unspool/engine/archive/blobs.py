"""A line -> what it holds that is no text to read: pictures, documents, long results."""

from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from unspool.decode.lenient import plain_value
from unspool.engine.archive.reader import SessionOutputs
from unspool.source.sidecars import pointer_in

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Blob(Struct, frozen=True):
    """Bytes a line holds or points to; of text, secrets are to be taken out."""

    data: bytes
    is_text: bool = False

    @property
    def image(self) -> str | None:
        """Its media type, where its own bytes say that it is a picture."""
        if self.data[:4] == b"RIFF" and self.data[8:12] == b"WEBP":
            return "image/webp"
        return next((kind for begin, kind in _MAGIC if self.data.startswith(begin)), None)


def blobs(data: bytes, outputs: SessionOutputs | None = None) -> Iterator[Blob | None]:
    """In the order they stand; None where one cannot be read, so that the others keep theirs.

    `outputs` are the long ones of its session.
    """
    record = plain_value(data)
    message = record.get("message") if isinstance(record, dict) else None
    for block in _blocks(message):
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") == "base64":
            yield _decoded(source)
        elif block.get("type") == "tool_result":
            yield from _long(block.get("content"), outputs)


def _blocks(holder: Any) -> Iterator[dict[str, Any]]:
    """Blocks of a message; those inside a result come after it."""
    content = holder.get("content") if isinstance(holder, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            yield block
            if block.get("type") == "tool_result":
                yield from (one for one in _blocks(block) if one.get("type") != "tool_result")


def _decoded(source: dict[str, Any]) -> Blob | None:
    written = source.get("data")
    if not isinstance(written, str):
        return None
    try:
        data = b64decode("".join(written.split()), validate=True)
    except (NoBase64, ValueError):
        return None
    return Blob(data, is_text=_is_text(data, source.get("media_type")))


def _is_text(data: bytes, media_type: Any) -> bool:
    """What its line calls text, and whatever reads as text: pictures and PDFs do not."""
    if isinstance(media_type, str) and media_type.startswith("text/"):
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    # The few bytes of a tiny GIF may happen to be letters; no text has zeros.
    return Blob(data).image is None or b"\0" not in data


def _long(content: Any, outputs: SessionOutputs | None) -> Iterator[Blob | None]:
    """A result that was too long for its line lies in a file of its session."""
    if isinstance(content, str) and (pointer := pointer_in(content)):
        data = outputs.read(pointer) if outputs else None
        yield None if data is None else Blob(data, is_text=True)
