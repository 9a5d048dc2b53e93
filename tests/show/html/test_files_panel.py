from unspool.model.steps import SessionStep
from unspool.show.html.files_panel import EditCall, files_in, files_panel

EDITS = [EditCall("t1", "/p/src/a.py", 3, 1), EditCall("t2", "/p/b.py", 1, 0)]
EDITS += [EditCall("t3", "/p/src/a.py", 2, 2)]
STEPS = {"t1": (4, SessionStep("t1", "call")), "t3": (9, SessionStep("t3", "call"))}


def test_a_file_has_its_edits_in_order_with_their_steps() -> None:
    panel = files_panel(EDITS, (), "/p", STEPS)

    first, second = panel.rows
    assert (first.folder, first.name, first.added, first.removed) == ("src/", "a.py", 5, 3)
    assert [(one.call, one.number) for one in first.edits] == [("t1", 4), ("t3", 9)]
    assert (second.folder, second.name, second.edits[0].number) == ("", "b.py", 0)
    assert (panel.added, panel.removed) == (6, 3)
    assert [row.whole for row in panel.rows] == ["/p/src/a.py", "/p/b.py"]


def test_the_files_of_a_range_count_its_edits_alone() -> None:
    panel = files_in(files_panel(EDITS, (), "/p", STEPS), {"t3"})

    assert [(row.path, row.added, row.removed) for row in panel.rows] == [("src/a.py", 2, 2)]
    assert (panel.added, panel.removed) == (2, 2)


def test_a_file_of_windows_is_cut_at_its_own_sign() -> None:
    (row,) = files_panel([EditCall("t1", "C:\\work\\src\\a.py", 1, 0)], (), "C:\\work", {}).rows

    assert (row.folder, row.name) == ("src\\", "a.py")


def test_a_file_of_which_only_its_name_is_known_is_listed() -> None:
    (row,) = files_panel((), ("/p/c.py",), "/p", {}).rows

    assert (row.path, row.whole, row.edits) == ("c.py", "/p/c.py", ())
