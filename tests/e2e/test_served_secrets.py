"""No answer of the server has a secret in it, in whatever form it lies in a transcript."""

import random
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.redact.secrets import Planted, broken, escaped, is_out, planted
from tests.serve.served import Served, desk, indexed
from tests.serve.walks import ways
from unspool.demo import Transcript

PLANTED = planted(150)
PROJECT, SESSION = "-home-dev-planted", "s"
ONE = f"/api/sessions/{PROJECT}/{SESSION}"


def told(made: Transcript, one: Planted, chance: random.Random) -> None:
    """One secret as it is, in a string in a string, and broken: typed, called with, printed."""
    made.user(f"planted {one.text}")
    made.calls("Bash", command=f"echo planted '{one.text}'").returns(f"planted\n{one.text}\n")
    made.calls("Bash", command="cat x.json").returns(f"planted {escaped(one)}")
    made.calls("Bash", command="grep x").returns(f"planted {broken(one, chance)}")
    made.says(f"planted: {one.text}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A session with every secret, and one whose title begins with one."""
    made, chance = Transcript(session=SESSION, cwd="/home/dev/planted"), random.Random(5)
    for one in PLANTED:
        told(made, one, chance)
    place = tmp_path_factory.mktemp("planted")
    made.save(place)
    for number, one in enumerate(PLANTED[:40]):
        Transcript(session=f"t{number}", cwd="/home/dev/planted").user(one.text).save(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(place / "home"))
        indexed(place)
        with desk(place) as found:
            yield Served(found)


def out(said: str) -> list[str]:
    return [one.name for one in PLANTED if is_out(one, said)]


def followed(site: Served, path: str) -> str:
    """All pages of a list, as text."""
    said, cursor = "", ""
    joint = "&" if "?" in path else "?"
    while cursor is not None:
        answer = site.ask(f"{path}{joint}limit=200&cursor={cursor}")
        assert answer.status_code == 200
        said += answer.text
        cursor = answer.json()["nextCursor"]
    return said


@pytest.mark.parametrize(
    "path",
    [ONE, f"{ONE}?from=0&limit=1000", f"{ONE}/metrics", f"{ONE}/context", f"{ONE}/waterfall",
     "/api/cost?by=session", "/api/status", "/api/health", "/api/index", "/",
     f"/api/export/{PROJECT}/{SESSION}?format=json",
     f"/api/export/{PROJECT}/{SESSION}?format=jsonl"],
)  # fmt: skip
def test_no_secret_leaves_by(site: Served, path: str) -> None:
    answer = site.ask(path)

    assert answer.status_code == 200
    assert out(answer.text) == []


@pytest.mark.parametrize(
    "path",
    ["/api/sessions", f"/api/projects/{PROJECT}/sessions", "/api/projects", f"{ONE}/turns",
     f"{ONE}/tools", "/api/search?q=planted", "/api/search?q=token", "/api/search?q=password",
     f"/api/sessions/{SESSION}/events"],
)  # fmt: skip
def test_no_secret_leaves_by_the_pages_of(site: Served, path: str) -> None:
    assert out(followed(site, path)) == []


def test_no_secret_leaves_by_a_raw_line(site: Served) -> None:
    lines = site.ask(ONE).json()["diagnostics"]["lines"]
    said = (site.ask(f"{ONE}/raw/{number}").text for number in range(1, lines + 1, 3))

    assert [names for names in map(out, said) if names] == []


def test_no_secret_comes_back_to_who_searches_for_it(site: Served) -> None:
    for one in PLANTED[:30]:
        said = site.ask(f"/api/search?limit=200&q={quote(one.secret[:200])}").text
        assert out(said) == []


def test_a_title_somebody_gave_has_no_secret_in_it(site: Served) -> None:
    token = next(one for one in PLANTED if one.name == "github")
    said = site.ask(f"/api/sessions/{SESSION}", "PATCH", json={"title": token.text})

    assert said.status_code == 200
    assert out(said.text) == []


def test_a_new_route_is_thought_of_here(site: Served) -> None:
    tried = {
        "/", "/api/blob/{event_id}/{n}", "/api/cost", "/api/dashboard", "/api/enter", "/api/events",
        "/api/export/{project_id}/{session_id}", "/api/health", "/api/index", "/api/invitations",
        "/api/projects", "/api/projects/{project_id}/sessions", "/api/reveal/{event_id}",
        "/api/search", "/api/sessions", "/api/sessions/{project_id}/{session_id}",
        "/api/sessions/{session_id}", "/api/status", "/favicon.ico", "/static/enter.js", "/schema",
        "/schema/openapi.json", "/schema/{path}",
    }  # fmt: skip
    views = ("context", "metrics", "raw/{line}", "tools", "turns", "waterfall")
    tried |= {f"/api/sessions/{{project_id}}/{{session_id}}/{view}" for view in views}
    tried.add("/api/sessions/{project_id}/{session_id}/subagents/{agent_id}")
    events = "/api/sessions/{session_id}/events"
    ends = ("", "/main", "/subagent/{agent_id}", "/{event_id}/full")
    tried |= {f"{events}{end}" for end in ends}

    assert {way.path for way in ways(site.app)} <= tried
