import pytest

from unspool.model.usage import CostRow, Report, Spend
from unspool.show.text.costs import (
    CostColumn,
    cost_table,
    layout_columns,
    model_name,
    numbers,
    remarks,
)

PLAIN = Spend(1_000, 2_000, 3_000, 4_000, 0, 1_234_560_000_000, 0, 0, 5)
UNPRICED = Spend(1, 1, 1, 1, 0, 0, 2, 0, 2)
UNFINISHED = Spend(1, 1, 1, 1, 0, 10**12, 0, 3, 3)


def report(*rows: CostRow) -> Report:
    return Report(list(rows), CostRow("total", rows[0].spend, rows[0].models))


def row(spend: Spend = PLAIN, name: str = "2026-01-31") -> CostRow:
    return CostRow(name, spend, {"claude-opus-4-6-20260205": spend}, "-repo")


def test_a_report_has_titles_rows_and_a_total() -> None:
    lines = list(cost_table(report(row()), "daily"))

    assert lines[0].split()[:3] == ["DAY", "MODELS", "INPUT"]
    assert lines[1].split() == "2026-01-31 opus-4-6 1,000 2,000 4,000 3,000 10,000 $1.23".split()
    assert lines[2] == "─" * len(lines[1])
    assert lines[3].split()[0] == "TOTAL"


def test_columns_are_aligned() -> None:
    lines = list(cost_table(report(row(), row(name="2026-02-01")), "daily"))

    assert len({len(line) for line in lines}) == 1


def test_a_session_is_told_by_eight_letters_and_its_project() -> None:
    _, line, *_ = cost_table(report(row(name="0123456789abcdef")), "session")

    assert line.split()[:2] == ["01234567", "-repo"]


def test_a_model_has_no_models() -> None:
    titles, line, *_ = cost_table(report(row(name="claude-opus-4-6")), "model")

    assert "MODELS" not in titles
    assert line.startswith("claude-opus-4-6 ")


def test_a_breakdown_has_a_line_for_each_model() -> None:
    _, _, line, *_ = cost_table(report(row()), "daily", breakdown=True)

    assert line.split()[:3] == ["·", "opus-4-6", "1,000"]


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_a_narrow_screen_has_fewer_columns(width: int) -> None:
    lines = list(cost_table(report(row()), "daily", width=width))

    assert max(map(len, lines)) <= width
    assert lines[0].split()[0] == "DAY"
    assert lines[0].split()[-1] == "COST"


def test_a_sum_that_may_be_more_says_at_least() -> None:
    assert numbers(UNFINISHED)[-1] == "≥ $1.00"
    assert numbers(PLAIN._replace(unpriced=1))[-1] == "≥ $1.23"
    assert numbers(PLAIN)[-1] == "$1.23"


def test_what_has_no_price_is_not_free() -> None:
    assert numbers(UNPRICED)[-1] == "unpriced"


def test_remarks_say_what_is_not_in_the_sum() -> None:
    total = CostRow("total", UNFINISHED, {"lantern": UNPRICED, "opus": UNFINISHED})
    _, first, second = remarks(total)

    assert first == "No price for lantern: 2 responses, 4 tokens not included."
    assert second.startswith("≥ at least: 3 responses")


def test_a_remark_counts_agents_that_left_nothing_apart_from_unfinished_responses() -> None:
    total = CostRow("total", UNFINISHED, {"opus": UNFINISHED}, unknown_agents=2)
    only = CostRow("total", UNFINISHED, {"opus": UNFINISHED}, unknown_agents=3)
    agents = "agents left no files, so their usage is unknown."

    assert list(remarks(total))[1:] == [
        "≥ at least: 1 response without a final output count.",
        f"≥ at least: 2 {agents}",
    ]
    assert list(remarks(only))[1:] == [f"≥ at least: 3 {agents}"]


def test_where_all_is_known_there_is_no_remark() -> None:
    assert list(remarks(row())) == []


def test_a_hostile_name_does_nothing_to_the_terminal() -> None:
    lines = list(cost_table(report(row(name="\x1b[31mred\n")), "project"))

    assert "\x1b" not in "".join(lines)


def test_a_model_is_told_without_maker_and_date() -> None:
    assert model_name("claude-sonnet-4-5-20250929") == "sonnet-4-5"


def test_cells_of_no_rows_are_the_titles() -> None:
    assert list(layout_columns([CostColumn("A"), CostColumn("B")], [], None, None)) == ["A  B"]
