"""Lines and blocks written twice in one file -> taken once.

Claude Code re-appends lines under the same uuid, and some versions write a response as a
growing snapshot: each line repeats the blocks of the line before.
"""

from typing import Final, TypeAlias

from msgspec import structs

from unspool.derive.hash_set import HashSet
from unspool.model.message import Message, Piece

# Lines of one response stand close together; 24 apart is the most that was seen.
_MOST_OPEN: Final = 64

OpenResponses: TypeAlias = dict[str, set[tuple[str, str, int]]]  # by id: the blocks of each


class Repeats:
    """Remembers what a file has said so far."""

    def __init__(self, open: OpenResponses | None = None) -> None:
        self.open: OpenResponses = {} if open is None else open
        self._uuids = HashSet()

    def __contains__(self, uuid: object) -> bool:
        return uuid in self._uuids

    def add(self, uuid: str) -> None:
        """Note the uuid of a message that stood in the file before."""
        self._uuids.add(uuid)

    def fresh(self, message: Message) -> Message | None:
        """The message without blocks that came before; None if nothing of it is new."""
        if not message.uuid or not self._uuids.add(message.uuid):
            return None
        id = message.message_id
        if not id:
            return message
        said = self.open.get(id)
        if said is None:
            self.open[id] = {_print(piece) for piece in message.pieces}
            if len(self.open) > _MOST_OPEN:
                del self.open[next(iter(self.open))]
            return message
        new = tuple(piece for piece in message.pieces if _print(piece) not in said)
        said.update(map(_print, new))
        return message if len(new) == len(message.pieces) else structs.replace(message, pieces=new)


def _print(piece: Piece) -> tuple[str, str, int]:
    return piece.kind, piece.id, piece.print
