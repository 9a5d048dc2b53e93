from typing import Any

from tests.show.made import NOON, PIPE, agent, document, texts
from unspool.model.document import (
    ClientCost,
    Diagnostics,
    Files,
    Metrics,
    PullRequest,
    SessionLink,
    SessionLinks,
    SessionMetrics,
    TodoItem,
    TotalMetrics,
)
from unspool.show.text.layout import Frame
from unspool.show.text.session import footer


def shown(
    main: float = 0, agents: float = 0, total: dict[str, Any] | None = None, **more: Any
) -> list[str]:
    sums = TotalMetrics(**{"cost_usd": main + agents, **(total or {})})
    metrics = SessionMetrics(Metrics(cost_usd=main), Metrics(cost_usd=agents), sums)
    return texts(footer(document(metrics=metrics, **more), PIPE))


def test_tokens_are_told_by_kind() -> None:
    counts = {"input_tokens": 1_200, "output_tokens": 3_400, "cache_read_tokens": 1_200_000}

    assert shown(total=counts)[1] == "Tokens   1.2k in · 3.4k out · 1.2M cache read · 0 cache write"


def test_a_session_without_agents_has_one_sum() -> None:
    assert shown(3.1)[2] == "Cost     $3.10"


def test_main_and_agents_make_the_total() -> None:
    line = shown(2.6, 0.5, subagents=(agent("a"), agent("b")))[2]

    assert line == "Cost     $3.10 = $2.60 main + $0.50 by 2 agents"


def test_the_clients_own_figure_stands_beside_ours() -> None:
    stated = ClientCost(3.15, has_unknown_model_cost=True)
    line = shown(3.1, total={"cost_state": stated})[2]

    assert line == "Cost     $3.10 · Claude Code reports $3.15 (some model unknown to it)"


def test_a_lower_bound_says_at_least_and_why() -> None:
    lines = shown(3.1, total={"lower_bound": True})

    assert lines[2] == "Cost     at least $3.10"
    assert "incomplete on disk" in lines[3]


def test_what_has_no_price_is_named() -> None:
    lines = shown(total={"cost_usd": None, "unpriced": ("vendor/lantern",)})

    assert lines[2:4] == ["Cost     unpriced", "         no price for vendor/lantern"]


def test_changed_files_go_by_their_place_in_the_project() -> None:
    session = {"project_path": "/r", "files": Files(tuple(f"/r/{n}" for n in range(14)))}
    line = shown(session=session)[3]

    assert line.startswith("Files    14 changed: 0, 1, 2")
    assert line.endswith("11 and 2 more")


def test_links_name_the_other_session() -> None:
    links = SessionLinks(plan=SessionLink("p1"), forks=(SessionLink("f1"),))
    session = {
        "links": links,
        "pull_requests": (PullRequest(12), PullRequest(url="https://x.test/3")),
    }

    assert shown(session=session)[3] == (
        "Links    plan from p1 · fork f1 · pull request #12 · pull request https://x.test/3"
    )


def test_damage_is_counted() -> None:
    found = Diagnostics(bad_lines=2, salvaged=1, unknown_types={"odd": 3})

    assert shown(diagnostics=found)[3] == (
        "Problems 2 unreadable lines · 1 salvaged record · 3 entries of unknown types"
    )


def test_what_is_left_to_do_is_listed() -> None:
    session = {"todos": (TodoItem("Read", "completed"), TodoItem("Write"))}

    assert shown(session=session)[-2:] == ["Todos    ☑ Read", "         ☐ Write"]


def test_a_long_row_wraps_beside_its_label() -> None:
    session = {"files": Files(tuple(f"some/where/{n}.py" for n in range(9)))}
    lines = texts(footer(document(session=session), Frame(60, NOON)))

    assert all(len(line) <= 60 for line in lines)
    assert lines[4].startswith("         some/where")
