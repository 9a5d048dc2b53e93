from pathlib import Path

from tests.engine.roots import session
from unspool.demo import Transcript, text_block, thinking_block
from unspool.engine.transcripts.rows import PREVIEW
from unspool.model.document import LineRow


def row(root: Path, made: Transcript) -> LineRow:
    """The last row."""
    return list(session(root, made).lines())[-1]


def test_a_row_says_where_its_line_lies(tmp_path: Path) -> None:
    made = Transcript().user("go").says("done")
    first, second = session(tmp_path, made).lines()

    assert second.offset == first.offset + first.length + 1
    assert second.offset + second.length + 1 == len(made.bytes())


def test_a_row_says_what_its_line_is(tmp_path: Path) -> None:
    found = row(tmp_path, Transcript().user("hello there"))

    assert (found.type, found.uuid, found.category) == ("user", "u1", "user")
    assert (found.preview, found.timestamp) == ("hello there", "2026-01-01T00:00:00.000Z")


def test_a_system_line_says_which(tmp_path: Path) -> None:
    found = row(tmp_path, Transcript().system("api_error", level="error"))

    assert (found.type, found.subtype) == ("system", "api_error")


def test_a_call_is_shown_by_its_summary(tmp_path: Path) -> None:
    assert row(tmp_path, Transcript().calls("Bash", command="ls")).preview == "Bash ls"


def test_a_result_is_shown_by_its_beginning(tmp_path: Path) -> None:
    made = Transcript().calls("Bash", command="ls").returns("x" * 9_000)

    assert row(tmp_path, made).preview == '"' + "x" * (PREVIEW - 1)


def test_an_answer_is_shown_by_its_first_words(tmp_path: Path) -> None:
    made = Transcript().answers([[thinking_block(""), text_block("first\n words")]])

    assert row(tmp_path, made).preview == "first words"


def test_two_records_on_a_line_are_one_salvaged_row(tmp_path: Path) -> None:
    one, two = Transcript().user("one").user("two").bytes().splitlines()

    assert row(tmp_path, Transcript().raw(one + two)).state == "salvaged"


def test_a_bad_line_is_shown_as_it_is(tmp_path: Path) -> None:
    found = row(tmp_path, Transcript().raw(b"// caf\xe9"))

    assert (found.state, found.type, found.preview) == ("bad", "", "// caf\ufffd")


def test_an_unknown_line_is_shown_under_its_own_name(tmp_path: Path) -> None:
    found = row(tmp_path, Transcript().entry("zeppelin", altitude=3))

    assert (found.state, found.type) == ("unknown", "zeppelin")
    assert '"altitude":3' in found.preview


def test_a_line_beside_the_conversation_has_no_words(tmp_path: Path) -> None:
    found = row(tmp_path, Transcript().entry("mode", mode="plan"))

    assert (found.state, found.type, found.preview) == ("entry", "mode", "")


def test_a_message_has_its_own_id_and_that_of_its_parent(tmp_path: Path) -> None:
    made = Transcript().user("hello").says("hi").user("aside", parentUuid="u1")
    found = session(tmp_path, made).messages()

    assert [(one.uuid, one.parent_uuid) for one in found] == [
        ("u1", ""),
        ("u2", "u1"),
        ("u3", "u1"),
    ]
