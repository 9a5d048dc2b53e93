import pytest

from tests.show.made import NOON, call, chunk, document, step
from unspool.model.api import RemovedSecrets
from unspool.model.document import SessionDocument
from unspool.show.export.markdown_file import markdown_file
from unspool.show.export.notes import ExportInfo
from unspool.show.html.render_context import ReaderOptions

READER = ReaderOptions(now=NOON, is_whole=True)
CHUNKS = (
    chunk("user", "Make it *quick*", id="u1", turn=1),
    chunk("ai", "", step("output", "Done."), id="a1", turn=1),
    chunk("compact", "All was done", id="c1"),
    chunk("system", "$ ls\n```", id="s1", branch=1),
)


def told(*windows: SessionDocument, taken: tuple[RemovedSecrets, ...] | None = ()) -> str:
    whole = document(*CHUNKS, session={"title": "A # <b>title</b>"})
    asked = None if taken is None else lambda: taken
    made = ExportInfo(version="1.0", at="now", taken=asked)
    return "".join(markdown_file(whole, windows or (whole,), READER, made))


def test_a_session_has_its_title_and_whoever_spoke_as_headings() -> None:
    heads = [line.partition(" ·")[0] for line in told().splitlines() if line.startswith("#")]

    assert heads == [
        "# A # \\<b\\>title\\</b\\>",
        "## You",
        "## Claude",
        "## Context compacted",
        "## Output",
    ]


def test_prompts_are_quoted_and_output_fenced() -> None:
    assert "\n> Make it *quick*\n" in told()
    assert "\n````\n$ ls\n```\n````\n" in told()
    assert "Branch 1, abandoned" in told()


def test_windows_put_together_are_the_whole() -> None:
    windows = (document(*CHUNKS[:1]), document(*CHUNKS[1:]))

    assert told(*windows) == told()


def test_the_end_says_what_was_left_out() -> None:
    assert told(taken=(RemovedSecrets("main", "token", 2),)).endswith(
        "Secrets are redacted in 2 places: 2 tokens.**\n\n- 2 tokens\n\n"
    )
    assert "**Secrets are NOT redacted" in told(taken=None)


@pytest.mark.parametrize(
    ("level", "has_call", "is_open", "has_line"),
    [
        ("story", False, False, True),
        ("normal", True, False, False),
        ("everything", True, True, False),
    ],
)
def test_a_level_sets_how_much_is_in_the_file(
    level: str, has_call: bool, is_open: bool, has_line: bool
) -> None:
    answer = chunk("ai", "", step("tool_call", id="t"), step("output", "Done."))
    made = document(
        chunk("user", "Go"),
        answer,
        tool_executions=(call("Bash", "printed", id="t", command="ls"),),
    )
    reader = ReaderOptions(now=NOON, is_whole=True, level=level)
    text = "".join(markdown_file(made, [made], reader, ExportInfo(version="1", at="now")))

    assert "Done." in text
    assert ("printed" in text) == has_call
    assert ("<details open>" in text) == is_open
    assert ("1 call: 1 Bash" in text) == has_line
