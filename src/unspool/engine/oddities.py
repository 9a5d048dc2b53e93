"""The transcripts of some roots -> what in them this version does not know."""

from collections.abc import Callable, Sequence

from unspool.derive.oddities import OddityFold
from unspool.errors import UnspoolError
from unspool.model.files import Root, TailState, TranscriptFile
from unspool.model.health import Oddity
from unspool.source import tail
from unspool.source.session_files import transcript_files
from unspool.source.tail import split_lines


def scan(
    roots: Sequence[Root], progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Oddity]:
    """Read every line of every transcript; hook logs have words of their own."""
    files = [file for root in roots for file in transcript_files(root) if file.kind != "hook_log"]
    total, done = sum(file.size for file in files), 0
    fold = OddityFold()
    for file in sorted(files, key=lambda file: (file.mtime_ns, file.path)):
        _read(file, fold)
        done += file.size
        progress(done, total)
    return fold.oddities()


def _read(file: TranscriptFile, fold: OddityFold) -> None:
    fold.begin(file.path)
    state = TailState()
    try:
        while True:
            piece = tail.read(file.path, state)
            for _, line in split_lines(piece.data):
                fold.feed(line)
            for _ in piece.oversize:
                fold.feed(b"")  # counted, so that the lines after it keep their numbers
            if not piece.more or piece.state.offset == state.offset:
                return
            state = piece.state
    except UnspoolError:
        return  # it went away, or is closed to us
