from pathlib import Path

from tests.engine.indexed import archive
from tests.engine.roots import saved
from tests.redact.secrets import planted
from unspool.demo import Transcript
from unspool.engine.archive.redacted import RedactedArchive, cleaner
from unspool.model.query import TextQuery
from unspool.redact import Redactor

KEY = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"


def test_a_line_comes_without_its_secrets(tmp_path: Path) -> None:
    secret = planted(1)[0].text
    saved(tmp_path, Transcript().user(f"marker {secret}"))
    with archive(tmp_path) as made:
        (hit,) = made.store.search(TextQuery(terms="marker"))
        place = hit.source_id, hit.generation, hit.offset, hit.length
        bare, covered = made.line(*place), RedactedArchive(made.store, Redactor()).line(*place)

    assert secret.encode() in (bare or b"")
    assert b"[redacted: " in (covered or b"")
    assert secret.encode() not in (covered or b"")


def test_secrets_are_taken_out_of_texts_and_values() -> None:
    clean = cleaner(Redactor())

    assert KEY not in clean.text(f"token {KEY} here")
    assert KEY not in str(clean.value({"command": f"curl -H {KEY}"}))


def test_on_request_everything_stays() -> None:
    clean = cleaner(None)

    assert clean.text(KEY) == KEY
    assert clean.value({"a": KEY}) == {"a": KEY}
