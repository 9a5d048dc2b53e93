"""What the fast scan and the whole index take from the same files."""

from collections.abc import Iterable
from pathlib import Path

from tests.derive.usage.books import TABLE
from tests.ingest.roots import NOW, age, root_of
from unspool.demo import Transcript
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import settled
from unspool.ingest.intake import Intake
from unspool.ingest.scan.files import Scan, scan, unread
from unspool.ingest.scan.spent import Spent
from unspool.model.files import Root, TranscriptFile
from unspool.model.usage import OwnedUsage, UsageRow
from unspool.source.session_files import transcript_files

PRICER = Pricer(TABLE)


def root_with(path: Path, *files: bytes | Transcript) -> Root:
    """A root that holds these files, each a session, written long ago."""
    for n, data in enumerate(files, 1):
        place = path / "projects" / "-repo" / f"s{n}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data if isinstance(data, bytes) else data.bytes())
        age(place)
    return root_of(path)


def files_of(root: Root) -> list[TranscriptFile]:
    """Its files that can tell what was spent."""
    return [file for file in transcript_files(root) if file.kind not in ("journal", "hook_log")]


def scans_of(root: Root) -> list[Scan]:
    """Every file of a root, scanned."""
    return [scan(file, unread(file)) for file in files_of(root)]


def rows_of(found: Scan) -> list[UsageRow]:
    """One file's rows."""
    spent = Spent(found.source, PRICER, found.start)
    return [*found.rows, *(spent.row(id, answer) for id, answer in found.answers.items())]


def scanned(root: Root) -> dict[str, OwnedUsage]:
    """The ledger by the fast scan."""
    return settled(_owned((found, rows_of(found)) for found in scans_of(root)))


def _owned(found: Iterable[tuple[Scan, list[UsageRow]]]) -> Iterable[OwnedUsage]:
    for one, rows in found:
        for row in rows:
            yield OwnedUsage(one.source.project_id, one.source.session_id, row)


def indexed(root: Root) -> dict[str, OwnedUsage]:
    """The ledger by the way of the whole index."""
    rows: list[OwnedUsage] = []
    for file in files_of(root):
        for _, batch in Intake(file).batches(NOW):
            owner = batch.source.project_id, batch.source.session_id
            rows += [OwnedUsage(*owner, row) for row in batch.usage]
    return settled(rows)
