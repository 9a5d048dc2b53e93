"""A whole session without its texts -> what stands around its passages."""

from collections.abc import Mapping

from unspool.model.document import SessionDocument
from unspool.show.views.session import SessionPage, framed, spot_of, whole
from unspool.show.views.shell import Shell
from unspool.show.views.steps.around import Reader


def framing(
    bare: SessionDocument, reader: Reader, edited: Mapping[str, tuple[int, int]] | None = None
) -> SessionPage:
    """The page of a session, its column still empty; `edited` has the lines of each file."""
    seen = whole(bare, edited or {})
    return SessionPage(**framed(seen, Shell(title="Session"), reader, spot_of(bare)))
