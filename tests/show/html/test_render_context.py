from msgspec import UNSET, Raw, structs

from tests.show.html.sample_sessions import READER, waiting
from tests.show.made import call, document
from unspool.show.html.render_context import ReaderOptions, agent_context, render_context, text_of


def test_calls_are_found_by_their_id() -> None:
    assert (
        render_context(document(tool_executions=(call(id="t"),)), READER).calls["t"].name == "Bash"
    )


def test_the_call_that_waits_is_known() -> None:
    assert render_context(waiting(), READER).waiting == "now"


def test_a_session_at_work_waits_for_nobody() -> None:
    assert render_context(document(), READER).waiting == ""


def test_agents_inside_agents_are_shown_in_place_only_so_deep() -> None:
    made = render_context(document(), ReaderOptions(now=0, documents={"x": document()}))
    for _ in range(3):
        made = agent_context(made, document())

    assert made.inside("x") is not None
    assert agent_context(made, document()).inside("x") is None


def test_a_text_that_is_not_there_is_empty() -> None:
    assert (text_of(UNSET), text_of("a")) == ("", "a")


def test_a_whole_page_wants_whole_texts() -> None:
    assert render_context(document(), ReaderOptions(now=0, is_whole=True)).build.is_whole
    assert render_context(document(), READER).zone is None


def test_a_line_that_lost_something_is_named_once() -> None:
    reader = ReaderOptions(now=0, events=lambda agent, line: f"1.0.{line}")
    made = render_context(document(), reader)
    veiled = "x [redacted: token] y"

    assert made.secrets((4, veiled), (4, veiled), (5, "x"), (0, veiled)) == ("1.0.4",)
    assert made.secrets((6, Raw(b'"[redacted: token]"'))) == ("1.0.6",)


def test_a_line_without_a_name_is_not_asked_for() -> None:
    assert render_context(document(), READER).secrets((4, "[redacted: token]")) == ()


def test_a_text_too_long_for_a_page_is_cut_and_says_so() -> None:
    made = render_context(document(), READER)

    assert made.limited("x" * 200_000) == ("x" * 200_000, "")
    assert made.limited("x" * 200_001) == (
        "x" * 200_000,
        "First 200,000 of 200,001 characters",
    )


def test_an_export_has_all_of_a_text() -> None:
    made = render_context(document(), ReaderOptions(now=0, is_whole=True))

    assert made.limited("x" * 200_001) == ("x" * 200_001, "")


def test_results_on_one_line_count_their_pictures_together() -> None:
    shots = [
        structs.replace(call("Read", [{"type": "image"}], id=id), result_line=line)
        for id, line in (("a", 3), ("b", 3), ("c", 4))
    ]
    made = render_context(document(tool_executions=tuple(shots)), READER)

    assert made.first_images == {"a": 0, "b": 1}


def test_in_an_export_agents_are_shown_in_place_at_any_depth() -> None:
    reader = ReaderOptions(now=0, is_whole=True, documents={"x": document()})
    made = structs.replace(render_context(document(), reader), depth=40)

    assert made.inside("x") is not None
