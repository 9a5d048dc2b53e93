from tests.show.made import NOON, chunk, document, step
from unspool.show.html.files_panel import EditCall
from unspool.show.html.render_context import ReaderOptions
from unspool.show.html.session_page import export_page

READER = ReaderOptions(now=NOON, is_whole=True)


def test_what_stands_around_the_passages_is_of_the_whole() -> None:
    bare = document(chunk("user", id="u1"), chunk("ai", "", step("output"), id="a1"))
    page = export_page(bare, READER, [EditCall("t1", "a.py", 3, 1)])

    assert page.passages == ()
    assert page.spool is not None
    (row,) = page.instruments.files.rows
    assert (row.path, row.added, row.removed) == ("a.py", 3, 1)
