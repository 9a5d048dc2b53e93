import pytest

from tests.demo.stories.told import Told
from unspool.demo.stories.waybill_files import changed, files, search, show_diff, whole


def test_a_file_is_read_as_it_is_after_its_changes() -> None:
    call = whole("waybill/settings.py", ('language: str = "en"', 'language: str = "de"'))

    assert 'language: str = "de"' in call.content
    assert call.result["file"]["totalLines"] == len(files()["waybill/settings.py"].split("\n"))


def test_a_change_of_what_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="has no"):
        changed("waybill/settings.py", ("no such line", ""))


def test_a_search_finds_lines_by_their_numbers() -> None:
    call = search("^_ATTEMPTS = ", "waybill")

    [row] = call.content.split("\n")
    path, number, text = row.split(":", 2)
    assert files()[path].split("\n")[int(number) - 1] == text == "_ATTEMPTS = 3"


def test_a_diff_has_what_was_changed() -> None:
    call = show_diff("waybill/settings.py", ("smtp_port: int = 25", "smtp_port: int = 587"))

    assert "-    smtp_port: int = 25\n+    smtp_port: int = 587" in call.content


def test_every_session_begins_with_instructions_and_skills(told: Told) -> None:
    for name in told.runs:
        first = told.session(name).context().turns[0].total
        assert min(first.claude_md, first.skills) > 100, name
