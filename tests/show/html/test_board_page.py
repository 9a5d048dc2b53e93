"""The board's page: rows in their places, what waits for you with what it asks, and the proof."""

from datetime import UTC, timedelta, timezone
from typing import Any, get_args

import pytest
from msgspec import structs

from tests.show.boards import NOW, board, row
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.alerts import Alert
from unspool.model.document import PendingTool, Status, StatusName
from unspool.model.health import IndexStatus, Lag, WriterProcess
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.session import BoardProcess, BoardRow, BoardSpend
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
        row(
            "a",
            "waiting_for_approval",
            waits_for=text,
            asks=text,
            process=BoardProcess(pid=1, tmux=text),
            **{**told, "session": pending},
        ),
        row("b", running=(f"{text} {text}",), agents=(text,), **told),
        row("c", "waiting_for_input", today=BoardSpend(cost_usd=None, unpriced=(text,)), **told),
        row("d", "ended", **told),
    )
    beside = BoardContext(strips={f"{text}/{text}": STRIP}, midnight=MIDNIGHT, zone=UTC)
    return board_page(board(*rows, alerts=(alert(text),)), shell(text), beside)


def alert(text: str) -> Alert:
    return Alert(rule="r", session="", at=1, message=text, key=text)


def at(name: str, start: str, state: StatusName = "working", **fields: Any) -> BoardRow:
    return row(name, state, session={"start_time": f"2026-11-15T{start}:00.000Z"}, **fields)


def test_what_waits_is_counted_in_the_headline_and_in_the_title() -> None:
    made = seen(page(waiting("a"), waiting("b"), row("c")))

    assert "2 waiting for you" in " ".join(made.text.split())
    assert made.text.split()[:2] == ["(2)", "Title"]
    assert seen(page(row("c"))).text.split()[0] == "Title"


def test_the_three_longest_waits_are_linked_in_the_headline() -> None:
    rows = [
        row(name, "waiting_for_approval", since=f"2026-11-15T23:{minute}:00.000Z", waits_for=name)
        for name, minute in (("a", 40), ("b", 10), ("c", 30), ("d", 20))
    ]
    made = page(*rows)

    assert [item.place for item in made.waiting] == ["b", "d", "c", "a"]
    hrefs = [href for href in seen(made).hrefs if href.startswith("#s-")]
    assert hrefs == ["#s--dev-b-id-b", "#s--dev-d-id-d", "#s--dev-c-id-c"]


def test_the_summary_always_has_the_same_words() -> None:
    made = page(row("a"), row("b", "waiting_for_input"), row("c", "limited"), row("d", "ended"))

    assert made.summary == "1 working, 1 your turn, 1 stopped, 1 done"
    assert page().summary == "0 working, 0 your turn, 0 stopped, 0 done"


def test_rows_are_in_the_order_in_which_sessions_began() -> None:
    rows = at("a", "10:00", "waiting_for_input"), at("b", "09:00"), at("c", "11:00")

    assert [item.place for item in page(*rows).slots] == ["b", "a", "c"]


def test_a_row_keeps_its_place_whatever_its_state() -> None:
    context, states = BoardContext(), get_args(StatusName)
    for state in (state for state in states if state not in ("idle", "ended")):
        rows = at("a", "10:00", state), at("b", "09:00"), at("c", "11:00")
        made = board_page(board(*rows), shell(), context)

        assert [item.place for item in made.slots] == ["b", "a", "c"]


def test_who_comes_later_is_below_whenever_it_began() -> None:
    context = BoardContext()
    board_page(board(at("b", "10:00"), at("c", "11:00")), shell(), context)
    made = board_page(board(at("a", "09:00"), at("b", "10:00"), at("c", "11:00")), shell(), context)

    assert [item.place for item in made.slots] == ["b", "c", "a"]


def test_who_is_done_is_below_the_others_on_the_next_visit() -> None:
    made = page(at("a", "09:00", "ended"), at("b", "10:00", "idle"), at("c", "11:00"))

    assert [(item.place, item.word) for item in made.slots] == [
        ("c", "Working"),
        ("a", "Done"),
        ("b", "Idle"),
    ]


def test_of_those_at_rest_only_the_latest_are_shown() -> None:
    rows = [row(f"{n}", "ended", since=f"2026-11-15T10:{n}:00.000Z") for n in range(10, 50)]

    assert [item.place for item in page(*rows).slots] == [f"{n}" for n in range(30, 50)]


def test_every_state_is_a_class_and_a_word() -> None:
    made = page(*(row(state, state) for state in get_args(StatusName)))

    assert {item.kind: item.word for item in made.slots} == {
        "wait": "Waiting for you",
        "fail": "Failed",
        "limit": "Usage limit",
        "work": "Working",
        "turn": "Your turn",
        "idle": "Idle",
        "ended": "Done",
    }


def test_a_wait_shows_the_exact_command_since_when_and_the_proof() -> None:
    (item,) = page(waiting()).waiting

    assert (item.tool, item.what, item.age) == ("Bash", "rm -rf build", "5 min")
    assert item.proof.endswith("according to a hook")
    assert item.is_code


def test_all_of_a_command_can_be_copied() -> None:
    command = "make \\\n  release" + " and more" * 100
    made = seen(page(row("a", "waiting_for_approval", asks=command), row("b")))

    assert [found["data-copy"] for found in made.all("button") if "data-copy" in found] == [command]


def test_where_to_answer_is_what_the_registry_says() -> None:
    context = BoardContext(host="mbp")
    pane = BoardProcess(pid=48211, tmux="api:2")
    rows = row("a", "waiting_for_approval", process=pane), row("b", process=BoardProcess(pid=7))
    made = board_page(board(*rows, row("c")), shell(), context)

    assert {item.place: item.where for item in made.slots} == {
        "a": "mbp · tmux api:2 · pid 48211",
        "b": "mbp · pid 7",
        "c": "",
    }
    text = " ".join(seen(made).text.split())
    assert "answer in mbp · tmux api:2 · pid 48211" in text
    assert "runs in mbp · pid 7" in text


def test_a_session_of_a_machine_that_is_away_is_unknown() -> None:
    gone = structs.replace(waiting(), unknown_since="2026-01-01T00:00:00.000Z")
    (item,) = page(gone).slots
    assert (item.word, item.tool) == ("Unknown", "Unknown")
    assert "its machine is not connected" in item.what

    there = structs.replace(waiting(), process=BoardProcess(pid=7, host="laptop"))
    assert page(there).slots[0].where == "laptop · pid 7"


def test_a_question_is_shown_as_a_sentence() -> None:
    (item,) = page(waiting(tool="AskUserQuestion", waits_for="Keep them?")).waiting

    assert (item.tool, item.what, item.is_code) == ("Question", "Keep them?", False)


def test_a_tool_of_an_mcp_server_is_named_by_its_verb() -> None:
    (item,) = page(row("a", running=("mcp__browser__navigate example.test",))).slots

    assert (item.tool, item.what) == ("navigate", "example.test")


def test_a_session_that_stopped_says_why() -> None:
    limit = Status("limited", "2026-11-15T23:50:00.000Z", "transcript", None, "Resets 3pm")
    stopped = structs.replace(row("a").session, status=limit)
    (item,) = page(BoardRow(session=stopped)).slots

    assert (item.tool, item.what, item.is_code) == ("Reason", "Resets 3pm", False)


def test_a_limit_says_when_it_is_reset_on_the_readers_clock() -> None:
    until = "2026-11-15T23:59:00.000Z"
    limit = Status("limited", "2026-11-15T23:50:00.000Z", "transcript", until, "Resets 3pm")
    stopped = BoardRow(session=structs.replace(row("a").session, status=limit))
    zone = timezone(timedelta(hours=2))
    (item,) = board_page(board(stopped), shell(), BoardContext(zone=zone)).slots

    assert item.what == "Usage limit, resets 01:59"


def test_what_is_only_inferred_is_not_called_proven() -> None:
    (item,) = page(row("a", "waiting_for_approval", evidence="inferred")).waiting

    assert "proven" not in item.proof


def test_a_context_whose_window_is_not_known_has_no_gauge() -> None:
    rows = page(row("a", context_tokens=9_000), row("b", context_tokens=142, context_limit=200))

    assert {item.place: (item.percent, item.context_tokens) for item in rows.slots} == {
        "a": (None, "9.0k"),
        "b": (71, "142"),
    }


def test_a_session_with_a_strip_has_a_spool() -> None:
    beside = BoardContext(strips={"-dev-a/id-a": STRIP})
    made = board_page(board(row("a"), row("b")), shell(), beside)

    spools = {item.place: item.spool is not None for item in made.slots}
    assert spools == {"a": True, "b": False}


def test_a_session_of_today_has_a_lane_and_a_row_in_the_table() -> None:
    beside = BoardContext(strips={"-dev-a/id-a": STRIP}, midnight=MIDNIGHT, zone=UTC)
    made = board_page(board(row("a"), row("b")), shell(), beside)

    assert made.day
    assert made.day.rows == (("Title of a", "a", "50 min", "10 min", "1", "$1.00"),)
    assert "waited for you, 10 min in total" in seen(made).text


def test_agents_at_work_are_counted_and_named() -> None:
    text = seen(page(row("a", agents=("look for callers", "review")))).text

    assert "2 agents working: look for callers, review" in text


def test_its_last_words_stand_beside_what_it_does() -> None:
    said = {"recent_output": "Nearly there.", "goal": "Mend the kettle"}
    text = seen(page(row("a", running=("Bash make",), session=said))).text

    assert "“Nearly there.”" in text
    assert "goal: Mend the kettle" in text


def test_a_session_that_runs_nothing_thinks_unless_its_agents_work() -> None:
    said = {"recent_output": "Nearly there."}
    rows = row("a"), row("b", session=said), row("c", agents=("review",)), row("d", "idle")
    shown = [(slot.tool, slot.what) for slot in page(*rows).slots]

    assert shown == [("Thinking", ""), ("Thinking", "Nearly there."), ("", ""), ("", "")]


def test_last_words_are_not_said_twice() -> None:
    text = seen(page(row("a", "waiting_for_input", session={"recent_output": "Done."}))).text

    assert text.count("Done.") == 1


def test_every_row_has_a_name_of_its_own() -> None:
    made = seen(page(row("a"), row("a", session={"project_id": "-other"}), waiting("c")))
    ids = [found["id"] for found in made.all("li") if found.get("id", "").startswith("s-")]

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
