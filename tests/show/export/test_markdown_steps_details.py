from unspool.show.export.markdown_steps import detail_blocks
from unspool.show.tools.details import (
    Checklist,
    ChecklistItem,
    Choice,
    Detail,
    DetailBuilder,
    ImageDetail,
    PairsDetail,
    QuestionDetail,
    WebResults,
)
from unspool.show.tools.diff import Change

ALL = DetailBuilder(is_whole=True)


def told(*found: Detail) -> str:
    return "\n\n".join(part for part in detail_blocks(found) if part)


def test_what_was_printed_stands_in_a_fence() -> None:
    assert told(*ALL.output("a\n```\nb")) == "````\na\n```\nb\n````"


def test_a_change_is_a_diff_under_its_path() -> None:
    changes: list[Change] = [("-", "old"), ("+", "new"), (" ", "same")]

    assert told(*ALL.diff("a.py", changes)) == "`a.py`\n\n```diff\n-old\n+new\n same\n```"


def test_words_are_quoted() -> None:
    assert told(*ALL.markdown("# Head\n\nsaid", "told")) == "told\n\n> ##### Head\n>\n> said"


def test_names_and_values_stand_one_below_the_other() -> None:
    assert told(PairsDetail((("a*b", "x"),))) == "**a\\*b**\n\n```\nx\n```"


def test_things_to_do_are_boxes() -> None:
    made = Checklist(
        (
            ChecklistItem("one", "completed"),
            ChecklistItem("two", "in_progress"),
            ChecklistItem("three"),
        )
    )

    assert told(made) == "- [x] one\n- [ ] (in progress) two\n- [ ] three"


def test_a_question_shows_what_was_chosen() -> None:
    made = QuestionDetail(
        "Which\none?", (Choice("a", "first", False), Choice("b", "", True)), "other"
    )

    assert told(made) == "**Which one?**\n\n- [ ] a first\n- [x] b\n- [x] other"


def test_pages_found_are_links_only_to_the_web() -> None:
    made = WebResults((("A [x]", "https://a.test/?q=(1)"), ("B", "javascript:x()")))

    assert told(made) == "- [A \\[x\\]](<https://a.test/?q=%281%29>)\n- B"


def test_a_picture_is_said_to_be_missing() -> None:
    assert told(ImageDetail(0)) == "*image: not included in this file*"
