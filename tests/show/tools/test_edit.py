from tests.show.made import texts
from unspool.show.tools import edit
from unspool.show.tools.details import DetailBuilder, DiffDetail


def test_an_edit_shows_what_it_took_out_and_put_in() -> None:
    input = {"file_path": "a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3"}

    assert edit.summary(input, None) == "a.py"
    assert edit.facts(input, None) == "+1 −1"
    assert texts(edit.preview(input, None, failed=False)) == ["  x = 1", "- y = 2", "+ y = 3"]


def test_several_edits_of_one_file_are_shown_together() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}, "odd"]

    assert edit.facts({"file_path": "a.py", "edits": edits}, None) == "+1 −2"


def test_a_new_file_shows_its_beginning() -> None:
    body = edit.preview({"content": "\n".join("abcdefghij")}, None, failed=False)

    assert texts(body)[:2] == ["+ a", "+ b"]
    assert texts(body)[-1] == "… 4 more lines"


def test_a_patch_in_the_result_is_believed_first() -> None:
    result = {"structuredPatch": [{"lines": ["-old", "+new", "+more"]}]}

    assert edit.facts({"old_string": "a", "new_string": "b"}, result) == "+2 −1"


def test_added_and_removed_lines_have_their_styles() -> None:
    body = edit.preview({"old_string": "a", "new_string": "b"}, None, failed=False)

    assert [line[0][0] for line in body] == ["drop", "add"]


def test_a_notebook_cell_is_an_edit_too() -> None:
    assert edit.facts({"notebook_path": "n.ipynb", "new_source": "a\nb"}, None) == "+2"


def test_each_edit_of_several_is_in_the_diff() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    (made,) = edit.details({"file_path": "x.py", "edits": edits}, None, DetailBuilder())

    assert isinstance(made, DiffDetail)
    assert [sign for sign, _ in made.lines] == ["-", "+", "-", "+"]
