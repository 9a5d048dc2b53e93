from unspool.show.viewers import edit
from unspool.show.viewers.pieces import Amount, Diff


def test_each_edit_of_several_is_in_the_diff() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    (made,) = edit.pieces({"file_path": "x.py", "edits": edits}, None, Amount())

    assert isinstance(made, Diff)
    assert [sign for sign, _ in made.lines] == ["-", "+", "-", "+"]
