"""The board's page: what waits for you first, with what it asks, since when, and the proof."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW, board, row
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.alerts import Alert
from unspool.model.document import PendingTool
from unspool.model.health import IndexStatus, Lag, WriterProcess
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.session import BoardRow, BoardSpend
from unspool.show.html.board_page import BoardContext, BoardPage, board_page

MIDNIGHT = NOW - 23 * 3_600_000 - 55 * 60_000
STRIP = ActivityStrip(
    turns=(TimeSpan(NOW - 7_200_000, NOW - 3_600_000),),
    calls=(CallSpan(NOW - 7_000_000, NOW - 6_900_000, True),),
    waits=(TimeSpan(NOW - 6_000_000, NOW - 5_400_000),),
)


def page(*rows: BoardRow) -> BoardPage:
    return board_page(board(*rows), shell())


def waiting(name: str = "a", tool: str = "Bash", waits_for: str = "Bash rm -rf build") -> BoardRow:
    pending = PendingTool("t", tool, "rm -rf build")
    return row(name, "waiting_for_approval", waits_for=waits_for, session={"pending_tool": pending})


def hostile(text: str) -> BoardPage:
    session = dict.fromkeys(("id", "project_id", "project_name", "title", "git_branch"), text)
    told: dict[str, Any] = {
        "session": {**session, "goal": f"{text}!", "recent_output": f"{text} at last"},
        "alerts": (alert(text),),
    }
    pending = {**told["session"], "pending_tool": PendingTool("t", text, text)}
    rows = (
        row("a", "waiting_for_approval", waits_for=text, **{**told, "session": pending}),
        row("b", running=(f"{text} {text}",), agents=(text,), **told),
        row("c", "waiting_for_input", today=BoardSpend(cost_usd=None, unpriced=(text,)), **told),
        row("d", "ended", **told),
    )
    beside = BoardContext(strips={f"{text}/{text}": STRIP}, midnight=MIDNIGHT, zone=UTC)
    return board_page(board(*rows, alerts=(alert(text),)), shell(text), beside)


def alert(text: str) -> Alert:
    return Alert(rule="r", session="", at=1, message=text, key=text)


def test_what_waits_is_the_headline() -> None:
    assert page(waiting("a"), waiting("b"), row("c")).headline == "2 sessions need your approval"
    assert page(waiting()).headline == "1 session needs your approval"


def test_nothing_waiting_is_one_calm_line() -> None:
    made = page(row("a"), row("b", "waiting_for_input"))

    assert made.headline == "No approvals needed"
    assert made.summary == "1 working, 1 waiting for a prompt."
    assert made.waiting == ()


def test_no_session_at_all_says_what_to_do() -> None:
    assert "Run claude in any directory" in seen(page()).text


def test_a_wait_shows_the_exact_command_since_when_and_the_proof() -> None:
    (item,) = page(waiting()).waiting

    assert (item.tool, item.what, item.age) == ("Bash", "rm -rf build", "5 min")
    assert item.proof.endswith("according to a hook")
    assert not item.words


def test_a_question_is_shown_as_a_sentence() -> None:
    (item,) = page(waiting(tool="AskUserQuestion", waits_for="Keep them?")).waiting

    assert (item.tool, item.what, item.words) == ("Question", "Keep them?", True)


def test_what_is_only_inferred_is_not_called_proven() -> None:
    (item,) = page(row("a", "waiting_for_approval", evidence="inferred")).waiting

    assert "proven" not in item.proof


def test_idle_and_ended_sessions_are_folded() -> None:
    made = page(row("a", "idle"), row("b", "ended"), row("c"))

    assert [group.name for group in made.groups] == ["Working"]
    assert [group.name for group in made.folds] == ["Idle", "Ended today"]


def test_a_context_whose_window_is_not_known_has_no_gauge() -> None:
    rows = page(row("a", context_tokens=9_000), row("b", context_tokens=142, context_limit=200))

    assert {item.place: (item.percent, item.context_tokens) for item in rows.groups[0].rows} == {
        "a": (None, "9.0k"),
        "b": (71, "142"),
    }


def test_a_session_with_a_strip_has_a_spool() -> None:
    beside = BoardContext(strips={"-dev-a/id-a": STRIP})
    made = board_page(board(row("a"), row("b")), shell(), beside)

    spools = {item.place: item.spool is not None for item in made.groups[0].rows}
    assert spools == {"a": True, "b": False}


def test_a_session_of_today_has_a_lane_and_a_row_in_the_table() -> None:
    beside = BoardContext(strips={"-dev-a/id-a": STRIP}, midnight=MIDNIGHT, zone=UTC)
    made = board_page(board(row("a"), row("b")), shell(), beside)

    assert made.day
    assert made.day.rows == (("Title of a", "a", "1 h", "10 min", "1", "$1.00"),)
    assert "waiting for approval, 10 min in total" in seen(made).text


def test_agents_at_work_are_counted_and_named() -> None:
    text = seen(page(row("a", agents=("look for callers", "review")))).text

    assert "2 agents working: look for callers, review" in text


def test_its_last_words_stand_beside_what_it_does() -> None:
    said = {"recent_output": "Nearly there.", "goal": "Mend the kettle"}
    text = seen(page(row("a", running=("Bash make",), session=said))).text

    assert "“Nearly there.”" in text
    assert "goal: Mend the kettle" in text


def test_last_words_are_not_said_twice() -> None:
    text = seen(page(row("a", "waiting_for_input", session={"recent_output": "Done."}))).text

    assert text.count("Done.") == 1


def test_every_row_has_a_name_of_its_own() -> None:
    made = seen(page(row("a"), row("a", session={"project_id": "-other"}), waiting("c")))
    ids = [found["id"] for found in made.all("li") if "id" in found]

    assert sorted(ids) == ["s--dev-a-id-a", "s--dev-c-id-c", "s--other-id-a"]


@pytest.mark.parametrize(
    ("writer", "said"),
    [(WriterProcess(pid=1), "75 % done, 5.0 MB left"), (None, "unspool index build")],
)
def test_an_index_that_is_behind_says_how_far(writer: WriterProcess | None, said: str) -> None:
    lag = Lag(3, 5_000_000)
    index = IndexStatus(home="", archived_bytes=15_000_000, lag=lag, writer=writer)
    made = board_page(board(row("a")), shell(), BoardContext(index=index))

    assert said in seen(made).text


def test_an_index_that_is_nearly_there_says_nothing() -> None:
    index = IndexStatus(home="", archived_bytes=15_000_000, lag=Lag(1, 5_000))

    assert board_page(board(row("a")), shell(), BoardContext(index=index)).progress is None


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
