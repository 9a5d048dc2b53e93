"""Lines without their secrets, for those who show pieces of them."""

from unspool.engine.archive import Archive
from unspool.model.rows import SourceRow
from unspool.redact import Redactor
from unspool.store import Store


class Covered(Archive):
    """Cleans whole lines: a piece of a line may not show what led to a secret."""

    def __init__(
        self, store: Store, redactor: Redactor, known: dict[int, SourceRow] | None = None
    ) -> None:
        super().__init__(store, known)
        self._redactor = redactor

    def line(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """The bytes of one line without its secrets; None where `raw` has none."""
        data = self.raw(source_id, generation, offset, length)
        return data if data is None else self._redactor.json(data)
