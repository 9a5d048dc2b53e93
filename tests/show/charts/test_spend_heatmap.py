"""The map of hours: every hour has its cell, the dearest is the strongest."""

from unspool.model.usage import HourSpend
from unspool.show.charts.spend import heatmap


def test_every_hour_of_the_week_has_a_cell() -> None:
    assert len(heatmap({}).cells) == 7 * 24


def test_nothing_spent_is_empty_and_the_most_is_strongest() -> None:
    cells = heatmap({(0, 9): HourSpend(4.0), (0, 10): HourSpend(0.01)}).cells

    assert [cells[hour].level for hour in (8, 9, 10)] == [0, 5, 1]


def test_a_cell_says_its_sum_and_the_day_it_leads_to() -> None:
    cell = heatmap({(1, 14): HourSpend(3.5, "2026-11-10")}).cells[24 + 14]

    title = "Tue 14:00 $3.50; opens 10 Nov, when this hour cost the most"
    assert (cell.title, cell.day) == (title, "2026-11-10")


def test_the_table_has_a_row_a_day() -> None:
    made = heatmap({(6, 23): HourSpend(1.0)})

    assert len(made.head) == len(made.rows[6]) == 25
    assert made.rows[6][0] == "Sun"
    assert made.rows[6][24] == "1.00"
