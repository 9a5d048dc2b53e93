"""Edits of files: what each call changed, read back from its line."""

from pathlib import Path

from tests.engine.indexed import archive
from tests.engine.roots import saved
from unspool.demo import Transcript
from unspool.engine.edits import EditHistory
from unspool.model.edits import EditQuery
from unspool.redact import Redactor

LID = "/home/dev/kettle/src/lid.py"


def talk() -> Transcript:
    made = Transcript("s1", cwd="/home/dev/kettle").user("mend it")
    made.calls("Edit", file_path=LID, old_string="a", new_string="b").returns("ok")
    return made.calls("Write", file_path="/etc/other", content="c").returns("ok")


def test_an_edit_has_what_its_call_was_given(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with archive(tmp_path) as made:
        history = EditHistory(made.store, Redactor(), [str(tmp_path)])
        other, lid = history.files(EditQuery(), 3, has_inputs=True)

    assert (lid.name, other.name) == ("src/lid.py", "/etc/other")
    assert lid.recent[0].input == {"file_path": LID, "old_string": "a", "new_string": "b"}


def test_a_path_that_holds_a_secret_is_listed_without_it(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    made = Transcript("s1", cwd="/home/dev/kettle").user("go")
    made.calls("Write", file_path=f"/home/dev/kettle/{secret}", content="c").returns("ok")
    saved(tmp_path, made)
    with archive(tmp_path) as store:
        history = EditHistory(store.store, Redactor(), [str(tmp_path)])
        (file,) = history.files(EditQuery(), 3, has_inputs=True)

    assert secret not in file.name + file.path + str(file.recent)
    assert file.edits == 1


def test_files_of_other_roots_are_not_listed(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with archive(tmp_path) as made:
        assert EditHistory(made.store, Redactor(), ["/elsewhere"]).files(EditQuery(), 3) == []
