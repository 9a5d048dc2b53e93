"""Lines and blocks written twice in one file -> taken once.

Claude Code re-appends lines under the same uuid, and some versions write a response as a
growing snapshot: each line repeats the blocks of the line before.
"""

from collections import OrderedDict
from typing import Final

from msgspec import structs

from unspool.model.message import Message, Piece

# Lines of one response stand close together; 24 apart is the most that was seen.
_MOST_OPEN: Final = 256


class Repeats:
    """Remembers what a file has said so far."""

    def __init__(self) -> None:
        self._uuids: set[str] = set()
        self._open: OrderedDict[str, set[tuple[str, str, int]]] = OrderedDict()

    def __contains__(self, uuid: object) -> bool:
        return uuid in self._uuids

    def fresh(self, message: Message) -> Message | None:
        """The message without blocks that stood before; None where it did, or is none."""
        uuid = message.uuid
        if not uuid or uuid in self._uuids:
            return None
        self._uuids.add(uuid)
        id = message.message_id
        if not id:
            return message
        said = self._open.get(id)
        if said is None:
            self._open[id] = {_print(piece) for piece in message.pieces}
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
            return message
        new = tuple(piece for piece in message.pieces if _print(piece) not in said)
        said.update(map(_print, new))
        return message if len(new) == len(message.pieces) else structs.replace(message, pieces=new)


def _print(piece: Piece) -> tuple[str, str, int]:
    return piece.kind, piece.id, piece.print
