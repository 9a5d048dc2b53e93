import re
from pathlib import Path

import pytest

from tests.serve.pages.session.long import ENDLESS, MANY, PROJECT, ids
from tests.serve.served import TOKEN, Served, served
from tests.show.everything import AGENT, INNER, SECRET, png
from tests.show.html.hostile import Seen
from unspool.demo import Transcript


def test_a_session_begins_at_its_beginning(site: Served) -> None:
    answer = site.ask(MANY)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert ids(answer.text, "turn")[0] == "1"


def test_the_outline_has_every_turn_whatever_window_is_shown(site: Served) -> None:
    html = site.ask(f"{MANY}?chunk=100").text
    outline = html[html.index('id="outline"') : html.index('id="read"')]

    assert len(re.findall('<span class="n">', outline)) == 150
    assert ids(html, "turn")[0] == "51"


@pytest.mark.parametrize("number", [1, 377, 1_500])
def test_a_step_is_on_the_page_that_its_address_names(site: Served, number: int) -> None:
    html = site.ask(f"{MANY}?at=toolu_{number}").text

    assert f"toolu_{number}" in ids(html)
    assert f' at" id="step-toolu_{number}"' in html


@pytest.mark.parametrize("number", [1, 333, 700])
def test_any_step_of_an_endless_answer_has_an_address(site: Served, number: int) -> None:
    html = site.ask(f"{ENDLESS}?at=toolu_{number}").text

    assert f"toolu_{number}" in ids(html)
    assert len(ids(html)) < 400


def test_every_step_of_a_long_session_is_on_the_page_its_address_names(site: Served) -> None:
    every = [f"toolu_{number}" for number in range(1, 1_501, 60)]

    assert all(step in ids(site.ask(f"{MANY}?at={step}").text) for step in every)


def test_an_event_leads_to_its_step(site: Served) -> None:
    found = site.ask("/api/search?q=%2277.3%22&limit=1").json()["items"][0]
    answer = site.ask(f"/s/{found['projectId']}/{found['sessionId']}?at={found['eventId']}")

    assert answer.status_code == 303
    step = answer.headers["location"].partition("#step-")[2]
    assert step in ids(site.ask(answer.headers["location"].partition("#")[0]).text)


@pytest.mark.parametrize("view", ["turns", "context", "waterfall", "tools", "raw"])
def test_every_icon_of_a_page_is_in_its_sprite(all_kinds: tuple[Served, str], view: str) -> None:
    site, path = all_kinds
    html = site.ask(f"{path}?view={view}&level=everything").text

    assert set(re.findall('<use href="#([^"]*)"', html)) <= set(
        re.findall('<symbol id="([^"]+)"', html)
    )


def test_an_event_of_an_agent_leads_to_the_agent_s_page(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    found = site.ask("/api/search?q=%22From+the+header%22").json()["items"]
    inner = next(one for one in found if one["agentId"] == INNER)
    answer = site.ask(f"{path}?at={inner['eventId']}&q=header")

    assert answer.status_code == 303
    assert f"?agent={INNER}&at=" in answer.headers["location"]
    assert "&q=header#step-" in answer.headers["location"]


def test_an_event_before_the_first_line_is_not_found(site: Served, tmp_path: Path) -> None:
    Transcript("empty", cwd="/home/dev/long").entry("ai-title", aiTitle="Nothing").save(tmp_path)
    with served(tmp_path) as other:
        assert other.ask(f"/s/{PROJECT}/empty?at=1.0.0").status_code == 404


def test_a_step_that_is_not_there_is_not_found(site: Served) -> None:
    assert site.ask(f"{MANY}?at=nobody").status_code == 404


@pytest.mark.parametrize("asked", ["view=all", "chunk=-1", "chunk=x", "agent=../x", "line=-1"])
def test_a_wrong_parameter_is_refused(site: Served, asked: str) -> None:
    assert site.ask(f"{MANY}?{asked}").status_code == 400


@pytest.mark.parametrize("path", [f"/s/{PROJECT}/nobody", "/s/nowhere/many", f"{MANY}?agent=x"])
def test_what_is_not_there_is_not_found(site: Served, path: str) -> None:
    assert site.ask(path).status_code == 404


def test_the_same_page_is_not_sent_twice(site: Served) -> None:
    tag = site.ask(MANY).headers["etag"]
    headers = {"authorization": "Bearer right-token", "if-none-match": tag}

    assert site.ask(MANY, headers=headers).status_code == 304


def test_a_search_marks_its_hits_and_lists_them(site: Served) -> None:
    html = site.ask(f"{MANY}?q=%223.7%22").text

    assert "2 results for" in html
    assert 'class="s-hit"' in html
    assert html.count(" is-hit") == 1


def test_every_kind_of_step_is_on_the_page(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    html = site.ask(path).text
    words = "Thinking Teammate Interrupted Compacted Branch Agent Skill redacted /api/blob/ $1.25"

    assert [word for word in words.split() if word not in html] == []
    assert len(Seen(html).ids) == len(set(Seen(html).ids))


def test_no_secret_is_on_any_page(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    views = ["turns", "context", "waterfall", "tools", "raw"]
    pages = [site.ask(f"{path}?view={view}").text for view in views]

    assert not any(SECRET in page for page in [*pages, site.ask(f"{path}?q=token").text])


def test_an_agent_has_a_page_of_its_own(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    html = site.ask(f"{path}?agent={AGENT}").text

    assert "Trace tenant" in html
    assert f"/part/tail{path[2:]}?agent={AGENT}" in html


def test_a_picture_can_be_fetched_from_where_the_page_says(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    pictures = re.findall(r'src="(/api/blob/[^"]+)"', site.ask(path).text)

    assert len(pictures) == 2
    assert [site.ask(one).headers["content-type"] for one in pictures] == ["image/png"] * 2


def test_a_picture_that_is_not_indexed_yet_says_so(tmp_path: Path) -> None:
    Transcript("known", cwd="/home/dev/long").user("go").save(tmp_path)
    picture = {"type": "base64", "media_type": "image/png", "data": png()}
    with served(tmp_path) as site:
        made = Transcript("late", cwd="/home/dev/long")
        made.user([{"type": "image", "source": picture}]).save(tmp_path)

        assert "image: not indexed yet" in site.ask("/s/-home-dev-long/late").text


def test_a_reader_s_own_title_stands_on_the_page(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    site.ask("/api/sessions/everything", "PATCH", json={"title": "Mine"})

    assert '<h1 title="Mine">Mine</h1>' in site.ask(path).text


def test_a_secret_in_a_title_of_its_reader_is_taken_out(all_kinds: tuple[Served, str]) -> None:
    site, path = all_kinds
    site.ask("/api/sessions/everything", "PATCH", json={"title": f"With {SECRET}"})

    assert SECRET not in site.ask(path).text


def test_an_agent_inside_the_main_file_is_found_and_opened_like_any_other(tmp_path: Path) -> None:
    made = Transcript("old", cwd="/home/dev/long").user("go")
    made.calls("Task", {"prompt": "look"}, id="t1")
    made.user("look", parentUuid=None, isSidechain=True)
    made.calls("Bash", {"command": "ls"}, id="t2", isSidechain=True)
    made.returns("wombats", call="t2", isSidechain=True).returns("seen", call="t1").says("done")
    made.save(tmp_path)
    with served(tmp_path) as site:
        path = f"/s/{PROJECT}/old"
        (found,) = site.ask("/api/search?q=wombats").json()["items"]
        agent = found["agentId"]
        answer = site.ask(f"{path}?at={found['eventId']}")
        page = site.ask(answer.headers["location"].partition("#")[0]).text
        document = site.ask(f"/api/sessions/{PROJECT}/old/subagents/{agent}").json()
        lines = site.ask(f"{path}?agent={agent}&view=raw").text
        nested = site.ask(f"/part/step/{PROJECT}/old/{agent}").text

    assert agent == "inline-u3"
    assert "agent=inline-u3" in answer.headers["location"]
    assert "wombats" in page
    assert "wombats" in nested
    assert [one["toolUseId"] for one in document["toolExecutions"]] == ["t2"]
    assert re.findall(r'id="line-(\d+)"', lines) == ["3", "4", "5"]


@pytest.mark.parametrize("level", ["story", "normal", "everything"])
def test_a_level_is_drawn_by_the_server_and_remembered(site: Served, level: str) -> None:
    answer = site.ask(f"{MANY}?level={level}")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    again = site.ask(MANY, headers={"authorization": f"Bearer {TOKEN}", "cookie": cookie})

    for html in (answer.text, again.text):
        assert f'id="read" data-level="{level}"' in html
        assert f'data-show="{level}" aria-current="true"' in html
    assert "set-cookie" not in again.headers
    assert site.ask(f"{MANY}?level=loud").status_code == 400


def test_everything_is_open_on_the_highest_level_alone(site: Served) -> None:
    folded, unfolded = (
        re.findall(
            r"<details( open)?><summary class=\"row\"", site.ask(f"{MANY}?level={level}").text
        )
        for level in ("normal", "everything")
    )

    assert set(folded) == {""}
    assert set(unfolded) == {" open"}


def test_a_step_that_the_story_leaves_out_raises_the_level(site: Served) -> None:
    html = site.ask(f"{MANY}?at=toolu_377&level=story").text

    assert 'id="read" data-level="normal"' in html


def test_an_answer_says_all_its_calls_though_some_are_not_on_the_page(site: Served) -> None:
    (line,) = re.findall('<span class="gist">([^<]*)', site.ask(ENDLESS).text)

    assert line.startswith("700 calls: 700 ")
