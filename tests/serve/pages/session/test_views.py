import re

import pytest

from tests.serve.pages.session.long import ENDLESS, MANY
from tests.serve.served import Served


@pytest.mark.parametrize("view", ["turns", "context", "waterfall", "tools", "raw"])
def test_every_view_says_which_it_is_and_keeps_the_place(site: Served, view: str) -> None:
    html = site.ask(f"{MANY}?view={view}&chunk=40").text
    nav = html[html.index('<nav class="views"') : html.index("</nav>", html.index('class="views"'))]

    assert f'view={view}&amp;chunk=40" aria-current="page"' in nav
    assert nav.count("chunk=40") == 5


def test_calls_are_those_of_the_window(site: Served) -> None:
    html = site.ask(f"{MANY}?view=tools&chunk=40").text

    assert "1,500 calls, no failures" in html or "1500 calls, no failures" in html
    assert re.findall(r">echo (\d+\.\d+)<", html)[0] == "20.0"


def test_what_went_wrong_is_said_of_the_whole_session(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds

    assert "26 calls, 2 failed" in site.ask(f"{path}?view=tools").text


def test_bars_are_answers_calls_and_agents(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    html = site.ask(f"{path}?view=waterfall").text

    assert {"k-chunk", "k-tool", "k-bad", "k-subagent"} <= set(re.findall(r"k-\w+", html))


def test_bars_of_an_endless_answer_are_bounded(site: Served) -> None:
    html = site.ask(f"{ENDLESS}?view=waterfall").text

    assert 50 < html.count('class="lane"') < 300


def test_the_context_has_its_phases_and_what_a_compaction_left(
    all_kinds: tuple[Served, str],
) -> None:
    site, path = all_kinds
    html = site.ask(f"{path}?view=context").text

    assert "168k" in html
    assert "Context by turn and category" in html


def test_lines_come_sixty_at_a_time(site: Served) -> None:
    html = site.ask(f"{MANY}?view=raw&start=100").text
    numbers = [int(n) for n in re.findall(r'id="line-(\d+)"', html)]

    assert numbers == list(range(100, 160))
    assert "start=40" in html
    assert "start=160" in html


def test_the_first_and_the_last_line_are_one_page_away(site: Served) -> None:
    def links(start: int) -> list[int]:
        html = site.ask(f"{MANY}?view=raw&start={start}").text
        return [int(number) for number in re.findall(r"[?;]start=(\d+)", html)]

    numbers = re.findall(r'id="line-(\d+)"', site.ask(f"{MANY}?view=raw&start={10**6}").text)
    last = int(numbers[-1])

    assert links(1) == [61]
    assert links(2) == [1, 62]
    assert links(last - 60) == [last - 120, last]
    assert links(last - 59) == [last - 119]


def test_lines_begin_where_the_reader_was(site: Served) -> None:
    html = site.ask(f"{MANY}?view=raw&at=toolu_100").text

    assert re.findall(r'id="line-(\d+)"', html)[0] == "209"


def test_one_line_is_laid_out_and_as_it_is(site: Served) -> None:
    html = site.ask(f"{MANY}?view=raw&line=5").text

    assert "Line 5, " in html
    assert "Raw text" in html


@pytest.mark.parametrize("line", [0, 10**6])
def test_a_line_that_is_not_there_is_not_laid_out(site: Served, line: int) -> None:
    answer = site.ask(f"{MANY}?view=raw&line={line}")

    assert answer.status_code == 200
    assert "Raw text" not in answer.text


def test_a_broken_line_is_said_to_be_one(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds

    assert "unreadable" in site.ask(f"{path}?view=raw&start=60").text


def test_a_broken_line_is_shown_as_it_is(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    rows = site.ask(f"{path}?view=raw&start=60").text.split("<li ")
    broken = next(re.findall(r'id="line-(\d+)"', row)[0] for row in rows if "unreadable" in row)
    html = site.ask(f"{path}?view=raw&line={broken}").text

    assert "{broken" in html
    assert "Raw text" not in html
