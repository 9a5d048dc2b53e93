import pytest
from msgspec import structs

from tests.show.html.sample_sessions import waiting
from tests.show.made import agent, call, chunk, document
from unspool.model.document import (
    ClientCost,
    Compaction,
    Context,
    Diagnostics,
    Files,
    Metrics,
    Phase,
    PullRequest,
    SessionLink,
    SessionLinks,
    SessionMetrics,
    TodoItem,
    ToolHook,
    TotalMetrics,
    Turn,
)
from unspool.show.html.files_panel import EditCall
from unspool.show.html.session_sidebar import AbandonedBranch, LinkRow, session_sidebar


def test_the_dearest_turn_has_the_longest_bar() -> None:
    assert [bar.own for bar in session_sidebar(waiting()).costs.turns] == [50, 100]


def test_of_very_many_turns_the_dearest_are_shown_in_their_order() -> None:
    turns = tuple(Turn(index=n, metrics=Metrics(cost_usd=float(n))) for n in range(1, 101))
    made = session_sidebar(document(turns=turns))

    assert [bar.number for bar in made.costs.turns] == list(range(85, 101))
    assert made.costs.turns_hidden == 84


def test_what_the_client_says_stands_beside_our_sum() -> None:
    total = TotalMetrics(cost_usd=3.1, cost_state=ClientCost(3.12))
    made = session_sidebar(document(metrics=SessionMetrics(Metrics(), Metrics(), total)))

    assert (made.cost.text, made.cli_says) == ("$3.10", "$3.12")


def test_agents_stand_in_their_tree() -> None:
    assert [(one.id, one.depth) for one in session_sidebar(waiting()).agents] == [
        ("x", 0),
        ("y", 1),
    ]


def test_lines_are_counted_for_each_file() -> None:
    edits = [
        call("Edit", "", id=n, file_path="/p/a.py", old_string="a", new_string="b\nc") for n in "12"
    ]
    made = session_sidebar(document(tool_executions=tuple(edits), session={"project_path": "/p"}))

    assert [(row.path, row.added, row.removed) for row in made.files.rows] == [("a.py", 4, 2)]


def test_an_edit_that_failed_changed_nothing() -> None:
    failed = call("Edit", "", state="error", file_path="/a.py", new_string="x")

    assert session_sidebar(document(tool_executions=(failed,))).files.rows == ()


def test_files_beyond_the_list_are_counted() -> None:
    many = Files(tuple(f"/{n}.py" for n in range(50)))
    made = session_sidebar(document(session={"files": many}))

    assert (len(made.files.rows), made.files.hidden) == (40, 10)


def test_approvals_are_counted_by_who_gave_them() -> None:
    asked = structs.replace(call(), hook=ToolHook("allow", 90_000, (), "user"))
    made = session_sidebar(document(tool_executions=(asked, asked)))

    assert made.approvals == (("allowed by you", 2),)
    assert made.waited == "3 min"


def test_a_link_that_is_likely_says_how_likely() -> None:
    links = SessionLinks(plan=SessionLink("abcdefghij", 0.8, "same slug"))
    made = session_sidebar(document(session={"links": links}))

    assert made.links == (LinkRow("Plan abcdefgh", "same slug, 80% sure", session="abcdefghij"),)


@pytest.mark.parametrize(
    ("url", "followed"), [("https://x.example/1", True), ("javascript:x", False)]
)
def test_only_an_address_of_the_web_is_followed(url: str, followed: bool) -> None:
    made = session_sidebar(document(session={"pull_requests": (PullRequest(1, url),)}))

    assert bool(made.links[0].address) is followed


def test_a_phase_says_its_peak_and_what_ended_it() -> None:
    ended = Compaction("auto", 168_000, 31_000)
    phase = Phase(number=1, first_chunk="a", last_chunk="b", peak_tokens=168_000, compaction=ended)
    made = session_sidebar(document(context=Context(phases=(phase,))))

    assert made.phases[0].text == "Phase 1: peak 168k, then 168k → 31.0k"


def test_of_very_many_phases_the_last_are_shown() -> None:
    phases = tuple(Phase(number=n, first_chunk="a", last_chunk="b") for n in range(1, 101))
    made = session_sidebar(document(context=Context((), phases)))

    assert [one.text.partition(":")[0] for one in made.phases][::5] == ["Phase 95", "Phase 100"]
    assert made.phases_hidden == 94


def test_todos_and_damage_are_told() -> None:
    made = session_sidebar(
        document(session={"todos": (TodoItem("Build"),)}, diagnostics=Diagnostics(bad_lines=2))
    )

    assert made.todos[0].content == "Build"
    assert made.damage == "2 unreadable lines"


def test_branches_that_rewinds_left_are_named_by_their_prompt() -> None:
    chunks = (chunk("user", id=f"u{n}", turn=n, branch=n % 2) for n in (1, 2, 3))
    turns = tuple(Turn(index=n, prompt=f"Prompt {n}") for n in (1, 2, 3))

    assert session_sidebar(document(*chunks, turns=turns)).branches == (
        AbandonedBranch(1, "Prompt 1", "u1"),
    )


def test_edits_that_were_read_before_are_taken_as_they_are() -> None:
    made = session_sidebar(document(), [EditCall("t1", "a.py", 3, 1)])

    assert [(row.path, row.added, row.removed) for row in made.files.rows] == [("a.py", 3, 1)]


def test_of_very_many_agents_the_first_are_shown() -> None:
    made = session_sidebar(document(subagents=tuple(agent(f"x{n}") for n in range(50))))

    assert (len(made.agents), made.agents_hidden) == (40, 10)
