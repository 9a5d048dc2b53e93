"""A session's pictures -> addresses that hold the picture itself, as an exported file needs."""

from base64 import b64encode
from typing import Final

from unspool.engine.session import Session
from unspool.errors import UnspoolError
from unspool.serve.blobs import blobs
from unspool.show.html.links import ExportLinks

_LARGEST: Final = 8 * 1024 * 1024
_ALL: Final = 64 * 1024 * 1024


def named(agent: str, line: int) -> str:
    """The name of a line inside an export."""
    return f"{agent}:{line}"


class PictureLinks(ExportLinks):
    """Places in the file; pictures are in it as long as they are not too many."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._room = _ALL

    def blob(self, event: str, number: int) -> str:
        """The picture as an address; "" where its bytes are no picture's, or too many."""
        found = list(blobs(self._line(event)))[number : number + 1]
        blob = found[0] if found else None
        if blob is None or blob.is_text or blob.image is None:
            return ""
        if len(blob.data) > min(_LARGEST, self._room):
            return ""
        self._room -= len(blob.data)
        return f"data:{blob.image};base64,{b64encode(blob.data).decode()}"

    def _line(self, event: str) -> bytes:
        agent, _, number = event.rpartition(":")
        try:
            owner, line = self._session.agent(agent) if agent else self._session, int(number)
        except (UnspoolError, ValueError):
            return b""
        return next(owner.raw(line, line), b"") if line in owner.fold.numbers else b""
