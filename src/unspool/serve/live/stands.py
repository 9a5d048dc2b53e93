"""Single sessions, looked at again and again -> how they stand, for those who show no list."""

from collections.abc import Iterable

from msgspec import Raw

from unspool.errors import UnspoolError
from unspool.model.live import SessionUpdate
from unspool.serve.desk import Desk
from unspool.serve.live.messages import Pen
from unspool.serve.timeline import Name


class Stands:
    """Sessions as they were told; asked by one thread at a time."""

    def __init__(self, desk: Desk, pen: Pen) -> None:
        self._desk, self._pen = desk, pen
        self._known: dict[Name, SessionUpdate] = {}

    def look(self, names: Iterable[Name]) -> list[tuple[str, Raw]]:
        """Look again at these and forget all others; those that are new or stand otherwise."""
        known, self._known = self._known, {}
        told = []
        for name in names:
            news = self._news(name) or known.get(name)
            if news is not None:
                self._known[name] = news
                if news != known.get(name):
                    told.append((name[1], self._pen.data(news)))
        return told

    def _news(self, name: Name) -> SessionUpdate | None:
        """A status changes without a line too: a process ends, or nobody writes for a while."""
        try:
            with self._desk.shelf.session(*name) as session:
                row = session.summary()
        except UnspoolError:
            return None  # not there yet, or not any more
        return SessionUpdate(session=row.session, metrics=row.metrics)
