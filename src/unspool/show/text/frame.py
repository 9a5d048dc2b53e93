"""What a text is written for: how wide the paper is, and what time it is there."""

from datetime import tzinfo

from msgspec import Struct, structs

_PROSE, _EDGE = 80, 110


class Frame(Struct, frozen=True):
    """No width: a pipe, where nothing is wrapped, cut or aligned to an edge."""

    width: int | None
    now: int
    zone: tzinfo | None = None

    def inside(self, by: int) -> "Frame":
        """The same paper, so many columns further in."""
        if self.width is None:
            return self
        # Counted from where the text ends on this paper, not from where the paper ends.
        return structs.replace(self, width=max(min(self.width, _EDGE) - by, 20))

    @property
    def prose(self) -> int | None:
        """Where prose wraps: a line too long is hard to find back from."""
        return None if self.width is None else max(min(self.width, _PROSE), 20)

    @property
    def edge(self) -> int | None:
        """Where figures stand at the end of a line."""
        return None if self.width is None else max(min(self.width, _EDGE), 20)
