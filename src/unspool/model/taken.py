"""What was taken out of something that leaves this machine."""

from msgspec import Struct


class Taken(Struct, frozen=True):
    """So many secrets of one kind at one place; of a page that is the id of an element."""

    place: str
    kind: str
    count: int = 1
