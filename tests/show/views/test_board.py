"""The board's page: what waits for you first, with what it asks, since when, and the proof."""

from typing import Any

import pytest

from tests.show.boards import board, row
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.alerts import Alert
from unspool.model.board import BoardRow, Spend
from unspool.model.document import PendingTool
from unspool.show.charts.tape import Stretch, Tape
from unspool.show.views.board import BoardPage, board_page


def page(*rows: BoardRow) -> BoardPage:
    return board_page(board(*rows), shell())


def waiting(name: str = "a", tool: str = "Bash", waits_for: str = "Bash rm -rf build") -> BoardRow:
    pending = PendingTool("t", tool, "rm -rf build")
    return row(name, "waiting_for_approval", waits_for=waits_for, session={"pending_tool": pending})


def hostile(text: str) -> BoardPage:
    session = dict.fromkeys(("id", "project_id", "project_name", "title", "git_branch"), text)
    told: dict[str, Any] = {"session": {**session, "recent_output": text}, "alerts": (alert(text),)}
    pending = {**session, "pending_tool": PendingTool("t", text, text)}
    rows = (
        row("a", "waiting_for_approval", waits_for=text, **{**told, "session": pending}),
        row("b", running=(f"{text} {text}",), agents=(text,), **told),
        row("c", "waiting_for_input", today=Spend(cost_usd=None, unpriced=(text,)), **told),
        row("d", "ended", **told),
    )
    tapes = {f"{text}/{text}": Tape(turns=(Stretch(0, 1),))}
    return board_page(board(*rows, alerts=(alert(text),)), shell(text), tapes)


def alert(text: str) -> Alert:
    return Alert(rule="r", session="", at=1, message=text, key=text)


def test_what_waits_is_the_headline() -> None:
    assert page(waiting("a"), waiting("b"), row("c")).headline == "2 wait for you"
    assert page(waiting()).headline == "1 waits for you"


def test_nothing_waiting_is_one_calm_line() -> None:
    made = page(row("a"), row("b", "waiting_for_input"))

    assert made.headline == "Nothing waits for you"
    assert made.say == "1 at work, 1 waiting for a prompt."
    assert made.waiting == ()


def test_no_session_at_all_says_what_to_do() -> None:
    assert "Run claude in any directory" in seen(page()).text


def test_a_wait_shows_the_exact_command_since_when_and_the_proof() -> None:
    (item,) = page(waiting()).waiting

    assert (item.tool, item.what, item.age) == ("Bash", "rm -rf build", "5 min")
    assert item.proof.endswith("proven by a hook")
    assert not item.words


def test_a_question_is_shown_as_a_sentence() -> None:
    (item,) = page(waiting(tool="AskUserQuestion", waits_for="Keep them?")).waiting

    assert (item.tool, item.what, item.words) == ("Question", "Keep them?", True)


def test_what_is_only_inferred_is_not_called_proven() -> None:
    (item,) = page(row("a", "waiting_for_approval", evidence="inferred")).waiting

    assert "proven" not in item.proof


def test_idle_and_ended_sessions_are_folded() -> None:
    made = page(row("a", "idle"), row("b", "ended"), row("c"))

    assert [group.name for group in made.groups] == ["At work"]
    assert [group.name for group in made.folds] == ["Idle", "Ended today"]


def test_a_context_whose_window_is_not_known_has_no_gauge() -> None:
    rows = page(row("a", context_tokens=9), row("b", context_tokens=142, context_limit=200))

    assert [item.percent for item in rows.groups[0].rows] in ([None, 71], [71, None])


def test_a_session_with_a_tape_has_a_spool() -> None:
    tapes = {"-dev-a/id-a": Tape(turns=(Stretch(0, 1),))}
    made = board_page(board(row("a"), row("b")), shell(), tapes)

    spools = {item.place: item.spool is not None for item in made.groups[0].rows}
    assert spools == {"a": True, "b": False}


def test_a_mark_that_turns_the_direction_of_reading_is_made_visible() -> None:
    made = page(
        row("a", running=("Bash \u202e",), session={"title": "\u202ex", "git_branch": "\x1b"})
    )

    assert not set(seen(made).text) & set("\u202e\x1b")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_session_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)
