"""A long session that nobody has read yet: few bytes are many here."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.pages.session.long import MANY, PROJECT, ids, many
from tests.serve.served import Served, indexed, served, server_context
from tests.show.everything import SECRET
from unspool.demo import Transcript
from unspool.engine.sessions import session_cache
from unspool.model.api import MarksUpdate

REST = MANY.replace("/s/", "/part/rest/")
BEGUN = "Loading the rest"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_cache, "_LONG", 1_000)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a long session, and in it a home with its index."""
    made = tmp_path_factory.mktemp("long")
    many(turns=60).save(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(made / "home"))
        indexed(made)
    return made


@pytest.fixture
def site(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server that has read nothing of it yet."""
    shutil.copytree(place / "home", tmp_path / "home")
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "home"))
    with server_context(place) as made:
        yield Served(made)


def articles(html: str) -> list[str]:
    return re.findall(r"<article.*?</article>", html, re.DOTALL)


def part(html: str, id: str) -> str:
    return re.split(rf'(?=<\w+[^>]* id="{id}")', html)[1]


def test_its_first_window_comes_at_once(site: Served) -> None:
    html = site.ask(MANY).text

    assert BEGUN in html
    assert articles(html) == articles(site.ask(f"{MANY}?chunk=0").text)


def test_so_does_that_of_a_deleted_session(site: Served, place: Path) -> None:
    (path,) = place.glob("projects/*/*.jsonl")
    elsewhere = path.rename(place / "elsewhere")
    html = site.ask(MANY).text
    elsewhere.rename(path)

    assert BEGUN in html
    assert articles(html) == articles(site.ask(f"{MANY}?chunk=0").text)


def test_its_figures_are_those_of_the_index(site: Served) -> None:
    begun, whole = (part(site.ask(at).text, "head") for at in (MANY, f"{MANY}?chunk=0"))
    told = [re.findall(r'<span class="num[^>]*>([^<]*)<', one) for one in (begun, whole)]

    assert set(told[0]) < set(told[1])
    assert "Loading" in begun


def test_without_scripts_a_link_leads_to_all_of_it(site: Served) -> None:
    html = site.ask(MANY).text
    (link,) = re.findall(r'unscripted">.*?href="([^"]*)"', html)

    assert BEGUN not in site.ask(link).text


def test_it_asks_for_the_rest_since_it_has_no_number(site: Served) -> None:
    (feed,) = re.findall("<live-feed[^>]*>", site.ask(MANY).text)

    assert f'data-part="{REST}"' in feed
    assert "data-seq" not in feed


def test_the_rest_has_all_that_is_on_the_whole_page(site: Served) -> None:
    rest, whole = site.ask(REST).text, site.ask(MANY).text

    assert articles(rest) == articles(whole)
    for id in ("feed", "head", "reel", "views", "outline", "instruments"):
        assert f'id="{id}"' in rest
        assert part(rest, id).split(">")[0] == part(whole, id).split(">")[0]


def test_passages_of_the_rest_take_the_place_of_their_own(site: Served) -> None:
    rest = site.ask(REST).text

    assert 'id="passages"' not in rest
    assert 'id="later"' not in rest


def test_a_session_that_was_read_is_shown_as_a_whole(site: Served) -> None:
    site.ask(REST)

    assert BEGUN not in site.ask(MANY).text


@pytest.mark.parametrize("asked", ["chunk=2", "view=tools", "at=toolu_1", "q=part"])
def test_who_asks_for_more_than_its_beginning_gets_the_whole(site: Served, asked: str) -> None:
    assert BEGUN not in site.ask(f"{MANY}?{asked}").text


def test_its_latest_window_has_an_address(site: Served) -> None:
    links = re.findall(r'href="([^"]*)#latest"', site.ask(MANY).text)
    html = site.ask(links[0]).text

    assert len(set(links)) == 1
    assert ids(html, "turn")[-1] == "60"


def test_a_short_one_is_shown_as_a_whole(tmp_path: Path) -> None:
    many(turns=5).save(tmp_path)
    with served(tmp_path) as site:
        assert BEGUN not in site.ask(MANY).text


def test_one_that_the_index_does_not_know_is_shown_as_a_whole(tmp_path: Path) -> None:
    many(turns=1).save(tmp_path)
    with served(tmp_path) as first:
        first.ask("/")
    other = Transcript("other", cwd="/home/dev/long")
    for turn in range(150):
        other.user(f"part {turn}").says("so").says("it is").says("done")
    other.save(tmp_path)
    with server_context(tmp_path) as made:
        assert BEGUN not in Served(made).ask(f"/s/{PROJECT}/other").text


def test_an_answer_that_goes_on_is_not_shown_cut(tmp_path: Path) -> None:
    made = Transcript("many", cwd="/home/dev/long").user("go")
    for call in range(700):
        made.calls("Bash", command=f"echo {call}").returns("ok")
    made.save(tmp_path)
    with served(tmp_path) as site:
        assert BEGUN not in site.ask(MANY).text


def test_a_title_of_its_reader_goes_before_its_own(site: Served) -> None:
    site.context.marks.change(PROJECT, "many", MarksUpdate(title="Ours"))

    assert '<h1 title="Ours">' in site.ask(MANY).text


def test_secrets_in_its_title_and_in_its_figures_are_taken_out(tmp_path: Path) -> None:
    talk = many().entry("custom-title", customTitle=f"The {SECRET}")
    talk.says("hello", model=SECRET).save(tmp_path)  # without a price
    with served(tmp_path) as site:
        html = site.ask(MANY).text

    assert BEGUN in html
    assert SECRET not in html
