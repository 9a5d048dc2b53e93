from pathlib import Path

from msgspec import structs

from tests.recall.indexed import archive, roots
from tests.recall.roots import recall, saved
from tests.recall.test_listing import LATER, talk
from unspool.model.listing import SessionSummary
from unspool.model.query import SessionQuery
from unspool.recall.archive import Archive
from unspool.recall.listing import Listing
from unspool.recall.still import Still

HOUR = 3_600_000


def row(root: Path, made: Archive, still: Still, now: int) -> SessionSummary:
    (found,) = Listing(made, recall(root, now=now), roots(root), now, still).summaries()
    return found


def test_a_session_that_has_long_been_still_is_made_into_a_row_once(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    still = Still()
    with archive(tmp_path) as made:
        first, again = (row(tmp_path, made, still, LATER + HOUR + n) for n in (0, 1_000))
        later = row(tmp_path, made, still, LATER + 3 * HOUR)

    assert first is again
    assert later is not first


def test_one_that_was_at_work_lately_is_looked_at_again(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    still = Still()
    with archive(tmp_path) as made:
        first, again = (row(tmp_path, made, still, LATER - HOUR // 2 + n) for n in (0, 1_000))

    assert first is not again


def test_what_the_index_says_otherwise_by_now_is_made_anew(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    still = Still()
    with archive(tmp_path) as made:
        kept = row(tmp_path, made, still, LATER + HOUR)
        (said,) = made.store.sessions(SessionQuery())

    assert still.row(said, LATER + HOUR) is kept
    assert still.row(structs.replace(said, title="other"), LATER + HOUR) is None
