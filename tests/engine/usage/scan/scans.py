"""What the fast scan and the whole index take from the same files."""

from pathlib import Path

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, root_of
from unspool.demo import Transcript
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import merge_rows
from unspool.engine.indexing.intake import Intake
from unspool.engine.usage.scan.cache import ScannedUsage
from unspool.engine.usage.scan.files import scan
from unspool.engine.usage.scan.sums import file_usage
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


def usages_of(
    root: Root, shared: frozenset[int] | None = frozenset(), now: int = NOW
) -> list[ScannedUsage]:
    """What every file of a root used, by the fast scan."""
    return [file_usage(file, scan(file, now), PRICER, shared) for file in files_of(root)]


def rows_of(root: Root, now: int = NOW) -> list[UsageRow]:
    """The rows of all its files."""
    return [row for usage in usages_of(root, None, now) for row in usage.rows]


def scanned(root: Root, now: int = NOW) -> dict[str, OwnedUsage]:
    """The ledger by the fast scan."""
    return merge_rows(
        OwnedUsage(usage.project_id, usage.session_id, row)
        for usage in usages_of(root, None, now)
        for row in usage.rows
    )


def indexed(root: Root, now: int = NOW) -> dict[str, OwnedUsage]:
    """The ledger by the way of the whole index; a scan does not say where a line stands."""
    rows: list[OwnedUsage] = []
    for file in files_of(root):
        for _, batch in Intake(file).batches(now):
            owner = batch.source.project_id, batch.source.session_id
            rows += [OwnedUsage(*owner, row._replace(line_id=0)) for row in batch.usage]
    return merge_rows(rows)
