"""Messages -> whether the model is still at work: activity after the last thing that ends it."""

from typing import Final

from msgspec import Struct

from unspool.model.message import Message, Piece

STALE_MS: Final = 300_000  # a file untouched for five minutes has nobody at work on it
_GOES_ON: Final = frozenset({"tool_use", "pause_turn"})
_REFUSED: Final = frozenset({"rejected", "interrupted"})


class OngoingFold(Struct):
    """Thinking, calls and results are work; an answer, a plan, a refusal or a stop ends it."""

    ongoing: bool = False
    _farewells: set[str] = set()

    def feed(self, message: Message) -> None:
        """Add the next message of the file."""
        for piece in message.pieces:
            kind = piece.kind
            if kind == "call":
                self.ongoing = not self._ends(piece)
            elif kind == "result":
                self.ongoing = piece.flag not in _REFUSED and piece.id not in self._farewells
            elif kind == "thinking":
                self.ongoing = True
            elif kind == "text" and message.type == "assistant":
                self.ongoing = message.stop_reason in _GOES_ON
        if _is_over(message):
            self.ongoing = False

    def _ends(self, piece: Piece) -> bool:
        if piece.flag == "shutdown":
            self._farewells.add(piece.id)
            return True
        return piece.flag == "plan"


def _is_over(message: Message) -> bool:
    if message.voice == "interruption" or message.subtype == "turn_duration":
        return True
    stop = message.stop_reason
    # Some gateways say "stop" on a line that calls a tool.
    return bool(stop) and stop not in _GOES_ON and all(p.kind != "call" for p in message.pieces)


def is_ongoing(
    was_ongoing: bool, last_write_ms: int | None, last_line_ms: int | None, now: int
) -> bool:
    """Whether the model is at work now, by what the file says and when it was last written.

    A copy of a file is written later than its last line: then that line's time counts.
    """
    if not was_ongoing or last_write_ms is None:
        return False
    last = last_write_ms if last_line_ms is None else min(last_write_ms, last_line_ms)
    return now - last < STALE_MS
