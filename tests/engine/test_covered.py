from pathlib import Path

from tests.engine.indexed import archive
from tests.engine.roots import saved
from tests.redact.secrets import planted
from unspool.demo import Transcript
from unspool.engine.covered import Covered
from unspool.model.query import TextQuery
from unspool.redact import Redactor


def test_a_line_comes_without_its_secrets(tmp_path: Path) -> None:
    secret = planted(1)[0].text
    saved(tmp_path, Transcript().user(f"marker {secret}"))
    with archive(tmp_path) as made:
        (hit,) = made.store.search(TextQuery(terms="marker"))
        place = hit.source_id, hit.generation, hit.offset, hit.length
        bare, covered = made.line(*place), Covered(made.store, Redactor()).line(*place)

    assert secret.encode() in (bare or b"")
    assert b"[redacted: " in (covered or b"")
    assert secret.encode() not in (covered or b"")
