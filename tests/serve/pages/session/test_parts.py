import re
from html import unescape

import pytest

from tests.serve.pages.session.long import ENDLESS, MANY, ids, step_ids
from tests.serve.served import TOKEN, Served
from tests.show.everything import AGENT, INNER


def part(site: Served, name: str, of: str, more: str = "") -> str:
    answer = site.ask(f"/part/{name}/{of.removeprefix('/s/')}{more}")
    assert answer.status_code == 200
    return answer.text


def articles(html: str) -> list[str]:
    return re.findall(r"<article .*?</article>", html, re.DOTALL)


def test_windows_joined_are_the_whole(site: Served) -> None:
    joined: list[str] = []
    while len(joined) < 300:
        joined += articles(part(site, "window", MANY, f"?chunk={len(joined)}"))

    assert [f"toolu_{n}" for n in range(1, 1_501)] == [id for one in joined for id in ids(one)]
    assert [int(n) for one in joined for n in ids(one, "turn")] == list(range(1, 151))


def test_a_window_is_the_same_however_it_was_reached(site: Served) -> None:
    page, alone = (
        articles(html)
        for html in (site.ask(f"{MANY}?chunk=40").text, part(site, "window", MANY, "?chunk=43"))
    )

    assert page[3:10] == alone[:7]


def test_slabs_joined_are_the_whole_answer(site: Served) -> None:
    html = site.ask(ENDLESS).text
    slabs = re.findall(r'id="slab-[^"]+-(\d+)"', html)
    joined = [ids(part(site, "window", ENDLESS, f"?chunk=1&slab={slab}")) for slab in slabs]

    assert [id for some in joined for id in some] == [f"toolu_{n}" for n in range(1, 701)]


def test_a_slab_is_the_same_on_the_page_and_alone(site: Served) -> None:
    alone = part(site, "window", ENDLESS, "?chunk=1&slab=0").strip()

    assert alone in site.ask(ENDLESS).text


def test_the_first_screen_of_a_range_is_its_beginning_and_leads_on(site: Served) -> None:
    steps = step_ids(site, MANY)
    asked = f"?from={steps[100]}&to={steps[199]}"
    whole = part(site, "range", MANY, asked)
    first = part(site, "range", MANY, f"{asked}&short=true")
    shown = len(ids(first))

    assert 10 < shown < len(ids(whole)) / 2
    assert ids(first) == ids(whole)[:shown]
    bars = [re.findall(r'<div id="range".*?</div>', html, re.DOTALL) for html in (first, whole)]
    assert len(bars[0]) == 1
    assert bars[0] == bars[1]
    (more,) = re.findall(r'href="([^"]+)" data-range>Next', first)
    assert unescape(more).endswith(f"&to={steps[199]}")
    assert ids(site.ask(unescape(more)).text)[0] == ids(whole)[shown]
    assert 'id="instruments"' not in first


def test_without_a_range_the_part_has_the_step_that_is_read_and_marks_nothing(
    site: Served,
) -> None:
    html = part(site, "range", MANY, "?at=toolu_999")

    assert "toolu_999" in ids(html)
    assert 'class="step at"' not in html
    assert ' at" id=' not in html
    assert articles(part(site, "range", MANY)) == articles(site.ask(MANY).text)


@pytest.mark.parametrize("view", ["", "?view=tools", "?from=toolu_1&to=toolu_9"])
def test_a_page_names_the_version_that_its_tail_has(site: Served, view: str) -> None:
    (version,) = re.findall(r'<live-feed [^>]*data-version="([^"]+)"', site.ask(MANY + view).text)
    path = f"/part/tail/{MANY.removeprefix('/s/')}"
    headers = {"authorization": f"Bearer {TOKEN}", "if-none-match": unescape(version)}

    assert site.ask(path, headers=headers).status_code == 304
    assert version in part(site, "tail", MANY)


def test_a_call_is_there_in_full(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    step = re.findall(r'data-src="(/part/step/[^"]+)"', site.ask(path).text)
    long = [html for one in step if (html := site.ask(one).text).count("line of output") == 300]

    assert len(long) == 1


def test_an_agent_s_steps_hold_the_agent_it_started(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    outer = part(site, "step", path, f"/{AGENT}")

    assert f'data-src="/part/step/{path.removeprefix("/s/")}/{INNER}?agent={AGENT}"' in outer
    assert "From the header." in part(site, "step", path, f"/{INNER}?agent={AGENT}")


def test_a_call_of_an_agent_is_asked_of_the_agent(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    (grep, *_) = ids(part(site, "step", path, f"/{AGENT}"))[1:]

    assert "a.py:3:check" in part(site, "step", path, f"/{grep}?agent={AGENT}")


@pytest.mark.parametrize("name", ["step/nobody", "at/nobody"])
def test_a_step_that_is_not_there_is_not_found(site: Served, name: str) -> None:
    kind, step = name.split("/")

    assert site.ask(f"/part/{kind}/{MANY.removeprefix('/s/')}/{step}").status_code == 404


def test_a_passage_that_is_not_there_is_not_found(site: Served) -> None:
    answer = site.ask(f"/part/window/{ENDLESS.removeprefix('/s/')}?chunk=9&slab=0")

    assert answer.status_code == 404


def test_a_tail_has_what_is_new_and_what_stands_around(site: Served) -> None:
    html = part(site, "tail", MANY, "?chunk=296")
    top = re.findall(r'^<(?:header|div|nav|aside)[^>]* id="(\w+)"', html, re.MULTILINE)

    assert top == ["head", "reel", "over", "range", "outline", "instruments", "passages", "later"]
    assert [int(n) for n in re.findall(r'data-n="(\d+)"', html)] == [296, 297, 298, 299]


def test_a_tail_marks_on_the_strip_what_the_page_has_by_then(site: Served) -> None:
    assert 's-brush"' in part(site, "tail", MANY, "?chunk=299&begin=200")
    assert 's-brush"' not in part(site, "tail", MANY, "?chunk=299&begin=0")


def test_a_tail_of_one_passage_says_how_many_follow(site: Served) -> None:
    html = part(site, "tail", MANY, "?chunk=100&limit=1")

    assert re.findall(r'data-n="(\d+)"', html) == ["100"]
    assert "199 later entries" in html


def test_a_long_outline_is_sent_when_a_turn_is_new(site: Served) -> None:
    assert 'id="outline"' in part(site, "tail", MANY, "?chunk=297")
    assert 'id="outline"' not in part(site, "tail", MANY, "?chunk=299")


@pytest.mark.parametrize("name", ["tail", "window"])
def test_a_part_is_not_sent_again_while_nothing_is_new(site: Served, name: str) -> None:
    path = f"/part/{name}/{MANY.removeprefix('/s/')}?chunk=296"
    headers = {"authorization": f"Bearer {TOKEN}", "if-none-match": site.ask(path).headers["etag"]}

    assert site.ask(path, headers=headers).status_code == 304


def test_the_window_of_a_step_has_the_step(site: Served) -> None:
    html = part(site, "at", MANY, "/toolu_999")

    assert "toolu_999" in ids(html)
    assert 'id="earlier"' in html


def test_an_opened_call_is_cut_as_on_its_page_until_all_is_asked_for(
    all_kinds: tuple[Served, str],
) -> None:
    site, address = all_kinds
    html = site.ask(address).text
    (source, *_) = re.findall(
        r'<load-part class="cut" data-src="(/part/step/[^"?]*toolu[^"?]*)"', html
    )
    short, whole = (site.ask(f"{source}{more}").text for more in ("?short=true", ""))

    assert "lines hidden" in short
    assert ">Show all</a>" in short
    assert ">Show all</a>" not in whole
    assert len(short) < len(whole)
