"""The details of a call before they are drawn: a template draws each by its `kind`."""

from typing import ClassVar, TypeAlias

from msgspec import Struct

from unspool.show import safe
from unspool.show.numbers import format_count, plural
from unspool.show.spans import folded
from unspool.show.tools import values
from unspool.show.tools.diff import Change, MarkedLine, marked

_HEAD, _TAIL = 24, 12
_CHARACTERS = 20_000
_WIDEST = 2_000
_MOST_ROWS = 5_000


class OutputDetail(Struct, frozen=True, kw_only=True):
    """Terminal output with its colours; of a long one the beginning and the end."""

    kind: ClassVar[str] = "output"
    label: str
    head: str
    tail: str = ""
    hidden: int = 0  # lines between the two
    size: str = ""


class DiffDetail(Struct, frozen=True, kw_only=True):
    """Changed lines of one file."""

    kind: ClassVar[str] = "diff"
    path: str
    lines: tuple[MarkedLine, ...]
    hidden: int = 0


class MarkdownDetail(Struct, frozen=True):
    """Prose in Markdown."""

    kind: ClassVar[str] = "words"
    text: str
    label: str = ""


class PairsDetail(Struct, frozen=True):
    """Arguments by name."""

    kind: ClassVar[str] = "pairs"
    rows: tuple[tuple[str, str], ...]


class ChecklistItem(Struct, frozen=True):
    """One item of a checklist."""

    content: str
    status: str = "pending"


class Checklist(Struct, frozen=True):
    """A checklist."""

    kind: ClassVar[str] = "checks"
    items: tuple[ChecklistItem, ...]


class Choice(Struct, frozen=True):
    """One option of a question."""

    label: str
    description: str
    is_chosen: bool


class QuestionDetail(Struct, frozen=True):
    """A question and its options; `answer` is set if it is not one of them."""

    kind: ClassVar[str] = "question"
    text: str
    choices: tuple[Choice, ...] = ()
    answer: str = ""


class WebResults(Struct, frozen=True):
    """Search results: title and address."""

    kind: ClassVar[str] = "found"
    hits: tuple[tuple[str, str], ...]


class ImageDetail(Struct, frozen=True):
    """An image in the result, by its number on its line."""

    kind: ClassVar[str] = "picture"
    number: int
    what: str = "image"


Detail: TypeAlias = (
    OutputDetail
    | DiffDetail
    | MarkdownDetail
    | PairsDetail
    | Checklist
    | QuestionDetail
    | WebResults
    | ImageDetail
)


class DetailBuilder(Struct, frozen=True):
    """Cuts long texts, unless `is_whole`."""

    is_whole: bool = False

    def output(self, content: str, label: str = "output") -> list[Detail]:
        """Terminal output; nothing for a blank text."""
        lines = safe.raw_lines(content)
        if not any(line.strip() for line in lines):
            return []
        size = _size(content, lines)
        if self.is_whole:
            return [OutputDetail(label=label, head="\n".join(lines), size=size)]
        first, hidden, last = folded(lines, _HEAD, _TAIL)
        # A single very long line is cut too.
        head, tail = (
            "\n".join(line[:_WIDEST] for line in part)[:_CHARACTERS] for part in (first, last)
        )
        cut = hidden or int(len(head) + len(tail) < sum(map(len, first)) + len(first) - 1)
        return [OutputDetail(label=label, head=head, tail=tail, hidden=cut, size=size)]

    def diff(self, path: str, changes: list[Change]) -> list[Detail]:
        """Changed lines, as plain text if they are very many; nothing without changes."""
        if not changes:
            return []
        if self.is_whole and len(changes) > _MOST_ROWS:
            return pairs([(f"diff of {path}", "\n".join(map("".join, changes)))])
        most = len(changes) if self.is_whole else 2 * _HEAD
        first, hidden, _ = folded(changes, most)
        width = None if self.is_whole else _WIDEST
        lines = marked([(sign, line[:width]) for sign, line in first])
        return [DiffDetail(path=safe.brief(path), lines=tuple(lines), hidden=hidden)]

    def markdown(self, content: str, label: str = "") -> list[Detail]:
        """Prose; nothing for a blank text."""
        cut = content if self.is_whole else content[:_CHARACTERS]
        return [MarkdownDetail(cut, label)] if content.strip() else []


def pairs(rows: list[tuple[str, str]]) -> list[Detail]:
    """Arguments by name, without the empty ones."""
    filled = tuple((safe.brief(name, 60), value) for name, value in rows if value.strip())
    return [PairsDetail(filled)] if filled else []


def images(result: object) -> list[Detail]:
    """Images and documents among a result's blocks, in their order."""
    return [ImageDetail(number, kind) for number, kind in enumerate(values.images(result)[0])]


def is_cut(detail: Detail) -> bool:
    """Whether some of it is left out."""
    return isinstance(detail, OutputDetail | DiffDetail) and bool(detail.hidden)


def weight(detail: Detail) -> int:
    """About how many characters it puts on a page."""
    if isinstance(detail, OutputDetail):
        return len(detail.head) + len(detail.tail)
    if isinstance(detail, DiffDetail):
        return sum(len(text) + 30 for _, line in detail.lines for _, text in line)
    return len(detail.text) if isinstance(detail, MarkdownDetail) else 400


def _size(content: str, lines: list[str]) -> str:
    return f"{plural(len(lines), 'line')}, {format_count(len(content.encode('utf-8', 'replace')))}B"
