"""Spans -> what filled the context: seven categories for each AI turn."""

from collections.abc import Sequence

from msgspec.structs import astuple

from unspool.derive.context.calibration import fitted
from unspool.derive.context.files import PhaseFiles
from unspool.derive.context.lookup import FileSizes
from unspool.derive.context.phases import Stretch, consumed, phases, split
from unspool.derive.context.tally import Tally, empty, recorded
from unspool.derive.story.chunks import Span
from unspool.model.document import Categories, Context, ContextTurn
from unspool.model.message import Message


def context(spans: Sequence[Span], sizes: FileSizes | None) -> Context:
    """Attribute the context of every AI turn; without sizes, files on disk weigh nothing."""
    stretches = split(spans)
    walk = _Walk(sizes)
    for stretch in stretches:
        walk.through(stretch)
    return Context(
        turns=tuple(walk.turns),
        phases=phases(stretches),
        consumed=consumed(stretches),
        files_known=sizes is not None,
    )


class _Walk:
    """Goes through the phases in order; what nobody has answered yet waits for the next turn."""

    def __init__(self, sizes: FileSizes | None) -> None:
        self.turns: list[ContextTurn] = []
        self._sizes = sizes
        self._tally = Tally()
        self._waiting = empty()

    def through(self, stretch: Stretch) -> None:
        """Add the turns of one phase."""
        files = PhaseFiles(self._sizes, *_recorded(stretch)) if self._sizes is not None else None
        total = empty().tokens
        for span in stretch.spans:
            self._tally.add(self._waiting, span.messages)
            if span.type == "ai":
                new = self._taken(files)
                for category, tokens in new.items():
                    total[category] += tokens
                number = len(self.turns) + 1
                self.turns.append(_turn(number, span, Categories(**new), Categories(**total)))

    def _taken(self, files: PhaseFiles | None) -> dict[str, int]:
        load, self._waiting = self._waiting, empty()
        if files is not None:
            memory, mentioned = files.brought(load.reads, load.mentions)
            load.tokens["claude_md"] += memory
            load.tokens["mentioned_files"] += mentioned
        return load.tokens


def _recorded(stretch: Stretch) -> tuple[set[str], set[str]]:
    return recorded(message for span in stretch.spans for message in span.messages)


def _turn(number: int, span: Span, new: Categories, raw: Categories) -> ContextTurn:
    measured = _measured(span.messages)
    total = fitted(raw, measured) if measured else raw
    return ContextTurn(
        turn=number,
        chunk_id=span.id,
        new=new,
        total=total,
        raw_total=raw,
        untracked=max(0, measured - sum(astuple(total))),
        measured=measured,
    )


def _measured(messages: Sequence[Message]) -> int:
    """The context of the last request: only that one has read all the turn's tool results."""
    for message in reversed(messages):
        if message.tokens is not None and message.tokens.prompt:
            return message.tokens.prompt
    return 0
