"""Recent edits: a path keeps its name, and each edit has its diff and its step."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.edits import EditedFile, FileEdit
from unspool.show.html.files_page import FilesContext, FilesPage, FilesPageQuery, files_page

AT = "2026-11-15T20:00:00.000Z"


def edit(text: str = "s", **more: Any) -> FileEdit:
    told: dict[str, Any] = dict.fromkeys(("project_id", "session_id", "title", "tool"), text)
    given = {"file_path": text, "old_string": "a\nb", "new_string": f"a\n{text}"}
    return FileEdit(
        **{**told, "event_id": "1.0.9", "agent_id": "", "input": given, **more}, timestamp=AT
    )


def file(*edits: FileEdit, path: str = "/home/dev/kettle/src/a/lid.py", **more: Any) -> EditedFile:
    told = {"name": "src/a/lid.py", "edits": 7, "sessions": 2, "last_edit": AT, **more}
    return EditedFile(path=path, recent=edits, **told)


def page(*files: EditedFile, cursor: str = "", **asked: str) -> FilesPage:
    beside = FilesContext(now=NOW, zone=UTC)
    return files_page(FilesPageQuery(**asked), files, shell(), beside, cursor)


def test_of_a_path_the_folder_is_what_can_be_cut() -> None:
    (row,) = page(file()).files

    assert (row.folder, row.name) == ("src/a/", "lid.py")
    assert row.summary == "kettle · 7 edits in 2 sessions"


def test_a_path_of_windows_keeps_its_name_too() -> None:
    path = "C:\\work\\src\\lid.py"
    (row,) = page(file(path=path, name=path)).files

    assert (row.folder, row.name) == ("C:\\work\\src\\", "lid.py")


def test_an_edit_leads_to_its_step_and_shows_what_changed() -> None:
    made = page(file(edit(), edit(agent_id="a1")))
    (first, _) = made.files[0].edits

    assert "/s/s/s?at=1.0.9" in seen(made).hrefs
    assert "/s/s/s?agent=a1&at=1.0.9" in seen(made).hrefs
    assert first.facts == "+1 −1"
    assert len(seen(made).all("ins")) + len(seen(made).all("table")) >= 2


def test_an_edit_whose_line_cannot_be_read_has_no_diff() -> None:
    (row,) = page(file(edit(input=None))).files

    assert (row.edits[0].diff, row.edits[0].facts) == ((), "")


def test_earlier_edits_and_more_files_are_one_link_away() -> None:
    hrefs = seen(
        page(file(edit()), file(edit()), cursor="next", project="kettle", machine="desk")
    ).hrefs

    assert (
        "/files?path=%2Fhome%2Fdev%2Fkettle%2Fsrc%2Fa%2Flid.py&project=kettle&machine=desk" in hrefs
    )
    assert "/files?project=kettle&machine=desk&cursor=next" in hrefs


def test_only_edits_that_are_not_shown_are_counted_as_earlier_ones() -> None:
    assert "5 earlier edits" in seen(page(file(edit(), edit(), edits=7))).text
    assert "earlier edits" not in seen(page(file(edit(), edit(), edits=2))).text


def test_nothing_edited_and_nothing_found_are_two_things() -> None:
    assert "No edits" in seen(page()).text
    assert "No matches" in seen(page(path="x")).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_an_edit_becomes_an_element(text: str) -> None:
    def hostile(text: str) -> FilesPage:
        beside = FilesContext(now=NOW, projects=((text, text),))
        one = file(edit(text), path=f"/x/{text}", name=text)
        return files_page(FilesPageQuery(path=text, project=text), [one], shell(text), beside, text)

    tags = {"ins", "del", "span"}  # words of a changed line
    shape = [one for one in seen(hostile(text)).shape if one[0] not in tags]
    assert {tag for tag, _ in shape} <= {tag for tag, _ in seen(hostile("calm")).shape}
