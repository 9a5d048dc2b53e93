"""Text without its secrets: of any value, and of lines before pieces of them are shown."""

from collections.abc import Callable
from typing import Any, NamedTuple

from unspool.engine.archive.reader import Archive
from unspool.model.rows import SourceRow
from unspool.redact import Redactor
from unspool.store import Store


class TextCleaner(NamedTuple):
    """Takes secrets out of a text, or of all texts in a value of any shape."""

    text: Callable[[str], str]
    value: Callable[[Any], Any]


def cleaner(redactor: Redactor | None) -> TextCleaner:
    """What cleans; without a redactor everything is left as it is."""
    if redactor is None:
        return TextCleaner(str, lambda value: value)
    return TextCleaner(redactor.text, redactor.value)


class RedactedArchive(Archive):
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
