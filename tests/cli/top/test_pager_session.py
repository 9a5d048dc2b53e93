from pathlib import Path

from tests.cli.lively import lively
from tests.show.boards import row
from unspool.cli.top.pager import session_lines
from unspool.engine.archive.redacted import TextCleaner, cleaner
from unspool.model.session import BoardRow
from unspool.redact import Redactor
from unspool.show.spans import plain


def told(root: Path, one: BoardRow, clean: TextCleaner | None = None) -> str:
    lines = session_lines([str(root)], one, 100, clean or cleaner(None))
    return "\n".join(map(plain, lines))


def wanted(session: str) -> BoardRow:
    return row("x", session={"id": session, "project_id": "-home-dev-kettle"})


def test_a_session_is_told_as_show_tells_it(tmp_path: Path) -> None:
    lively().user("Boil the water.").says("It boils.").save(tmp_path)
    found = told(tmp_path, wanted("session-one"))

    assert "Boil the water." in found
    assert "It boils." in found
    assert "session session-one" in found


def test_of_a_long_session_the_newest_part_is_told(tmp_path: Path) -> None:
    talk = lively()
    for n in range(300):
        talk.user(f"prompt {n} here").says(f"answer {n} here")
    talk.save(tmp_path)
    found = told(tmp_path, wanted("session-one"))

    assert "prompt 299 here" in found
    assert "prompt 1 here" not in found
    assert "unspool show session-one" in found


def test_a_session_without_a_transcript_says_so(tmp_path: Path) -> None:
    lively().user("hello").save(tmp_path)

    assert "No session matches 'only-hooks'" in told(tmp_path, wanted("only-hooks"))


def test_secrets_are_taken_out(tmp_path: Path) -> None:
    key = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"
    lively().user(f"use {key} now").save(tmp_path)

    assert key in told(tmp_path, wanted("session-one"))
    assert key not in told(tmp_path, wanted("session-one"), cleaner(Redactor()))
