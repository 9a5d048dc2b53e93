from collections.abc import Iterator
from pathlib import Path
from time import gmtime, monotonic, strftime
from typing import Any, Final, NamedTuple

import pytest
from markupsafe import Markup
from msgspec import structs

from tests.serve.pages.session.long import opened
from tests.serve.served import Served, served
from tests.show.everything import AGENT, INNER, SESSION
from unspool.cli import config
from unspool.demo import Transcript
from unspool.errors import NotFound
from unspool.model.api import MarksUpdate
from unspool.serve.pages.session import story
from unspool.serve.pages.session.source import PageSource, open_source
from unspool.serve.pages.session.story import PageQuery
from unspool.show.html.links import PageLinks
from unspool.show.html.session_page import SessionPage, render_below
from unspool.show.html.shell import Shell

QUERY: Final = PageQuery()


class Said(NamedTuple):
    """A session that can be written on."""

    site: Served
    made: Transcript
    path: Path


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Said]:
    made = Transcript(cwd="/home/dev/x").user("one").says("two")
    path = made.save(tmp_path)
    with served(tmp_path) as site:
        yield Said(site, made, path)


@pytest.mark.parametrize("at", [AGENT, INNER, "toolu_bad", "toolu_now"])
def test_what_was_asked_for_is_marked(read: PageSource, at: str) -> None:
    assert story.story_window(read, PageQuery(at=at)).at == at


def test_the_call_that_started_an_agent_is_shown_by_the_agent(read: PageSource) -> None:
    assert story.story_window(read, PageQuery(at="toolu_find")).at == AGENT


def test_a_step_that_is_not_shown_leads_to_the_one_before_it(read: PageSource) -> None:
    silent = next(
        step
        for chunk in read.session.document().chunks
        if chunk.steps
        for step in chunk.steps
        if step.type == "interruption" and step.id.endswith("-interruption-0")
    )
    found = story.story_window(read, PageQuery(at=silent.id))

    assert found.at


def test_steps_of_an_answer_stand_below_the_prompt_it_answers(read: PageSource) -> None:
    spans = read.session.fold.chunks.spans
    step = next(
        step
        for step in read.overview.steps
        if step.chunk and [spans[step.chunk + n].type for n in (-1, 0)] == ["user", "ai"]
    )
    found = story.story_window(read, PageQuery(ends=(step.id, step.id)))

    assert [one.block.id for one in found.passages] == [spans[step.chunk + n].id for n in (-1, 0)]
    assert [one.is_ghost for one in found.passages] == [True, False]


def test_a_range_may_name_what_another_step_shows(read: PageSource) -> None:
    """An agent stands for the call that started it."""
    exact, shown = (
        story.story_window(read, PageQuery(ends=(id, "toolu_bad"))).range
        for id in (AGENT, "toolu_find")
    )

    assert exact is not None
    assert shown == exact


@pytest.mark.parametrize(
    "ends", [("nobody", "toolu_bad"), ("toolu_bad", "nobody"), ("toolu_bad", ""), ("", "toolu_bad")]
)
def test_without_one_of_its_ends_there_is_no_range(read: PageSource, ends: tuple[str, str]) -> None:
    found = story.story_window(read, PageQuery(ends=ends))

    assert found.range is None
    assert found.passages == story.story_window(read, PageQuery()).passages


def test_a_range_may_be_turned_round(read: PageSource) -> None:
    ways = (("toolu_bad", AGENT), (AGENT, "toolu_bad"))
    back, forth = (story.story_window(read, PageQuery(ends=ends)).range for ends in ways)

    assert forth is not None
    assert back == forth


def test_the_page_of_a_range_keeps_it_in_other_views_and_levels(read: PageSource) -> None:
    page = story.page(read, Shell(title=""), PageQuery(ends=(AGENT, "toolu_bad")))

    assert (page.place["from"], page.place["to"]) == (AGENT, "toolu_bad")


@pytest.mark.parametrize(("number", "first"), [(20, 0), (1_000, 198)])
def test_a_step_is_shown_with_the_beginning_if_that_has_it(
    site: Served, number: int, first: int
) -> None:
    with opened(site) as read:
        query = PageQuery(at=f"toolu_{number}", is_start_preferred=True)
        found = story.story_window(read, query)

    assert found.plan.window.first == first
    assert found.at == f"toolu_{number}"


def test_a_chunk_can_be_asked_for(read: PageSource) -> None:
    chunk = read.session.fold.chunks.spans[-1].id

    assert story.story_window(read, PageQuery(at=chunk)).at == chunk


def test_a_step_on_a_branch_opens_the_branch(read: PageSource) -> None:
    left = next(one.id for one in read.session.document().chunks if one.branch)

    assert story.story_window(read, PageQuery(at=left)).branch == 1


def test_a_window_begins_with_the_prompt_of_what_was_asked_for(read: PageSource) -> None:
    found = story.story_window(read, PageQuery(at="toolu_bad"))

    assert found.passages[0].block.kind == "speech"


def test_nothing_is_at_what_nobody_knows(read: PageSource) -> None:
    with pytest.raises(NotFound):
        story.story_window(read, PageQuery(at="nobody"))


def test_an_empty_search_finds_nothing(read: PageSource) -> None:
    assert story.search(read, "  ") == ((), None)


def test_a_search_is_of_this_session_alone(read: PageSource) -> None:
    lines, _ = story.search(read, "memory")

    assert {line.session_id for line in lines} <= {SESSION}


def test_a_page_knows_where_its_reader_is(read: PageSource) -> None:
    page = story.page(read, Shell(title=""), PageQuery(at="toolu_bad"))

    assert page.place == {"at": "toolu_bad"}
    assert page.spot.at == "toolu_bad"


def _drawn(site: Served, asked: PageQuery = QUERY) -> str:
    """What had to be rendered for a page, apart from its head; "" if nothing."""
    made: list[Markup] = []

    def render(page: SessionPage, links: PageLinks) -> Markup:
        made.append(render_below(page, links))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(story, "render_below", render)
        with open_source(site.context, "-home-dev-x", "s1") as read:
            story.cached_page(read, Shell(title=""), asked)
    return "".join(made)


def test_all_but_the_head_is_drawn_once_while_nothing_changes(said: Said) -> None:
    assert _drawn(said.site)
    assert not _drawn(said.site)


def test_a_page_is_the_same_once_it_was_kept(said: Said) -> None:
    first, again = (said.site.ask("/s/-home-dev-x/s1").text for _ in range(2))

    assert first == again


def test_a_large_page_is_kept_whatever_letters_it_has(said: Said) -> None:
    for number in range(5):
        said.made.user(f"and {number}").says("\N{CAT FACE} " + "\n\n".join(["word " * 200] * 150))
    said.path.write_bytes(said.made.bytes())

    assert len(_drawn(said.site)) > 500_000
    assert not _drawn(said.site)


def test_another_place_is_drawn_apart(said: Said) -> None:
    _drawn(said.site)

    assert _drawn(said.site, PageQuery(first=1))


def test_what_is_written_is_drawn(said: Said) -> None:
    _drawn(said.site)
    said.path.write_bytes(said.made.says("and the last word").bytes())

    assert "and the last word" in _drawn(said.site)


def test_what_was_said_of_the_whole_a_moment_ago_is_not_kept(said: Said) -> None:
    with open_source(said.site.context, "-home-dev-x", "s1") as read:
        assert read.overview
        held = read.held.memo
    held["whole", ""] = structs.replace(held["whole", ""], until=monotonic() + 1_000)
    said.path.write_bytes(said.made.user("another turn").bytes())
    assert _drawn(said.site)
    assert _drawn(said.site)
    held["whole", ""] = structs.replace(held["whole", ""], until=0.0)

    assert _drawn(said.site).count("another turn") == 2  # in the column and in the outline


def test_what_is_found_is_not_kept(said: Said) -> None:
    assert _drawn(said.site, PageQuery(words="two"))
    assert _drawn(said.site, PageQuery(words="two"))


def test_a_title_that_a_reader_gives_is_on_the_next_page(said: Said) -> None:
    _drawn(said.site)
    said.site.context.marks.change("-home-dev-x", "s1", MarksUpdate(title="Ours", pinned=True))

    html = said.site.ask("/s/-home-dev-x/s1").text
    assert '<h1 title="Ours">' in html
    assert 'aria-pressed="true"' in html


@pytest.mark.parametrize("minutes", [0, 1])
def test_how_long_a_session_waits_is_drawn_every_minute(tmp_path: Path, minutes: int) -> None:
    begun = strftime("%FT%TZ", gmtime(config.now() / 1_000 - 60))
    Transcript(cwd="/home/dev/x", start=begun).user("go").calls("Bash", command="rm").save(tmp_path)
    with served(tmp_path) as site:
        now = config.now() // 60_000 * 60_000
        first, later = (_drawn_at(site, at) for at in (now, now + minutes * 60_000))

        assert "Waiting for your approval, requested" in first
        assert bool(later) is bool(minutes)


def _drawn_at(site: Served, now: int) -> str:
    site.context.now = lambda: now
    return _drawn(site)


def test_an_agent_that_has_fallen_silent_is_not_shown_at_work(tmp_path: Path) -> None:
    now = config.now()
    begun: dict[str, Any] = {"cwd": "/home/dev/x", "start": strftime("%FT%TZ", gmtime(now / 1_000))}
    Transcript(**begun).user("go").calls("Agent", id="c1", prompt="look").save(tmp_path)
    agent = Transcript(agent="a1", uuid_prefix="a-", **begun).user("look")
    agent.calls("Bash", command="make").save(tmp_path)
    with served(tmp_path) as site:
        first, tag = _agents_page(site)
        site.context.now = lambda: now + 3_600_000
        later, same = _agents_page(site)

    assert tag == same
    assert first != later


def _agents_page(site: Served) -> tuple[object, str]:
    with open_source(site.context, "-home-dev-x", "s1", "a1") as read:
        return story.cached_page(read, Shell(title=""), QUERY).below, read.tag
