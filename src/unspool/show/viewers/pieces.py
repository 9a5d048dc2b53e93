"""What a viewer lays out, before it has a face: each piece says its kind, a template draws it."""

from typing import ClassVar, TypeAlias

from msgspec import Struct

from unspool.show import safe
from unspool.show.diff import Change
from unspool.show.money import format_count, plural
from unspool.show.spans import folded
from unspool.show.tools.values import Fields, fields, text
from unspool.show.viewers.changed import Marked, marked

_HEAD, _TAIL = 24, 12
_CHARACTERS = 20_000
_WIDEST = 2_000


class Output(Struct, frozen=True, kw_only=True):
    """What was printed, colours and all: its beginning, and its end where it is long."""

    kind: ClassVar[str] = "output"
    label: str
    head: str
    tail: str = ""
    hidden: int = 0  # lines between the two
    size: str = ""


class Diff(Struct, frozen=True, kw_only=True):
    """Changed lines of one file."""

    kind: ClassVar[str] = "diff"
    path: str
    lines: tuple[Marked, ...]
    hidden: int = 0


class Words(Struct, frozen=True):
    """Prose in Markdown."""

    kind: ClassVar[str] = "words"
    text: str
    label: str = ""


class Pairs(Struct, frozen=True):
    """Names and values, as a call gave them."""

    kind: ClassVar[str] = "pairs"
    rows: tuple[tuple[str, str], ...]


class Check(Struct, frozen=True):
    """One thing to do."""

    content: str
    status: str = "pending"


class Checks(Struct, frozen=True):
    """A list of things to do."""

    kind: ClassVar[str] = "checks"
    items: tuple[Check, ...]


class Choice(Struct, frozen=True):
    """One answer to choose from."""

    label: str
    description: str = ""
    is_chosen: bool = False


class Question(Struct, frozen=True):
    """A question, what could be answered, and what was where that is something else."""

    kind: ClassVar[str] = "question"
    text: str
    choices: tuple[Choice, ...] = ()
    answer: str = ""


class Found(Struct, frozen=True):
    """Pages that a search found: title and address."""

    kind: ClassVar[str] = "found"
    hits: tuple[tuple[str, str], ...]


class Picture(Struct, frozen=True):
    """An image of the result, by its number on its line."""

    kind: ClassVar[str] = "picture"
    number: int
    what: str = "image"


Piece: TypeAlias = Output | Diff | Words | Pairs | Checks | Question | Found | Picture


class Amount(Struct, frozen=True):
    """How much of a long text is wanted."""

    is_whole: bool = False

    def output(self, content: str, label: str = "output") -> list[Piece]:
        """A text as it was printed; nothing where it says nothing."""
        lines = safe.raw_lines(content)
        if not any(line.strip() for line in lines):
            return []
        if self.is_whole:
            return [Output(label=label, head="\n".join(lines), size=_size(content, lines))]
        first, hidden, last = folded(lines, _HEAD, _TAIL)
        # One endless line is as long as many lines are.
        shown = ["\n".join(line[:_WIDEST] for line in part)[:_CHARACTERS] for part in (first, last)]
        cut = hidden or int(sum(map(len, shown)) < sum(map(len, first)) + len(first) - 1)
        size = _size(content, lines)
        return [Output(label=label, head=shown[0], tail=shown[1], hidden=cut, size=size)]

    def diff(self, path: str, changes: list[Change]) -> list[Piece]:
        """Changed lines; nothing where nothing changed."""
        if not changes:
            return []
        most = len(changes) if self.is_whole else 2 * _HEAD
        first, hidden, _ = folded(changes, most)
        wide = None if self.is_whole else _WIDEST
        told = marked([(sign, line[:wide]) for sign, line in first])
        return [Diff(path=safe.brief(path), lines=tuple(told), hidden=hidden)]

    def words(self, content: str, label: str = "") -> list[Piece]:
        """Prose; nothing where there is none."""
        cut = content if self.is_whole else content[:_CHARACTERS]
        return [Words(cut, label)] if content.strip() else []


def pairs(rows: list[tuple[str, str]]) -> list[Piece]:
    """Those that have a value."""
    told = tuple((safe.brief(name, 60), value) for name, value in rows if value.strip())
    return [Pairs(told)] if told else []


def pictures(result: object) -> list[Piece]:
    """Images and documents among a result's blocks, in their order."""
    content = fields(result).get("content")
    blocks = result if isinstance(result, list) else content if isinstance(content, list) else []
    kinds = [kind for kind in map(_picture, blocks) if kind]
    return [Picture(number, kind) for number, kind in enumerate(kinds)]


def _picture(block: object) -> str:
    values: Fields = fields(block)
    kind = text(values, "type")
    return kind if kind in ("image", "document") else ""


def is_cut(piece: Piece) -> bool:
    """Whether more is there than it shows."""
    return isinstance(piece, Output | Diff) and bool(piece.hidden)


def weight(piece: Piece) -> int:
    """About how many characters it puts on a page."""
    if isinstance(piece, Output):
        return len(piece.head) + len(piece.tail)
    if isinstance(piece, Diff):
        return sum(len(text) + 30 for _, line in piece.lines for _, text in line)
    return len(piece.text) if isinstance(piece, Words) else 400


def _size(content: str, lines: list[str]) -> str:
    return f"{plural(len(lines), 'line')}, {format_count(len(content.encode('utf-8', 'replace')))}B"
