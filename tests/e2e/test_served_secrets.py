"""No answer of the server has a secret in it, in whatever form it lies in a transcript.

Every kind in every form, by the ways that show most; `test_exits_served.py` walks all of them.
"""

import asyncio
import json
import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.runs import here
from tests.redact.secrets import Planted, Watch, broken, escaped, is_out, planted
from tests.serve.served import Served, indexed, server_context
from unspool.demo import Transcript

PLANTED = planted(150)
WATCH = Watch(PLANTED)
PROJECT, SESSION = "-home-dev-planted", "s"
ONE = f"/api/sessions/{PROJECT}/{SESSION}"


AGENT = "a1"


def told(made: Transcript, one: Planted, chance: random.Random) -> None:
    """One secret as it is, in a string in a string, and broken: typed, called with, printed."""
    made.user(f"planted {one.text}")
    made.calls("Bash", command=f"echo planted '{one.text}'").returns(f"planted\n{one.text}\n")
    made.calls("Bash", command="cat x.json").returns(f"planted {escaped(one)}")
    made.calls("Bash", command="grep x").returns(f"planted {broken(one, chance)}")
    made.thinks(f"planted: {one.text}").says(f"planted: {one.text}")


def spilled(place: Path, made: Transcript) -> None:
    """A result that is too long for its line, with every secret in it."""
    path = place / "projects" / PROJECT / SESSION / "tool-results" / "long.txt"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(f"{one.text}\n{escaped(one)}" for one in PLANTED))
    said = f"<persisted-output>\nFull output saved to: {path}\n</persisted-output>"
    made.calls("Bash", command="cat long").returns(said)


def hooks(place: Path) -> None:
    """What hooks told of the same session."""
    path = place / "hooks" / PROJECT / f"{SESSION}.hooks.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as log:
        for number, one in enumerate(PLANTED):
            at = f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z"
            said = {"prompt": one.text, "message": escaped(one), "tool_input": {"x": one.text}}
            line = {"sessionId": SESSION, "eventType": "Notification", "timestamp": at}
            log.write(json.dumps({**line, "input": said}) + "\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A session and an agent with every secret, and sessions whose titles begin with one."""
    place, chance = tmp_path_factory.mktemp("planted"), random.Random(5)
    made = Transcript(session=SESSION, cwd="/home/dev/planted")
    agent = Transcript(session=SESSION, cwd="/home/dev/planted", agent=AGENT)
    for one in PLANTED:
        told(made, one, chance)
        told(agent, one, chance)
    spilled(place, made)
    hooks(place)
    for transcript in (made, agent):
        transcript.save(place)
    for number, one in enumerate(PLANTED[:40]):
        Transcript(session=f"t{number}", cwd="/home/dev/planted").user(one.text).save(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(place / "home"))
        indexed(place)
        with server_context(place) as found:
            yield Served(found)


@pytest.fixture(scope="module")
def events(site: Served) -> str:
    """All events of the session, as text."""
    return followed(site, f"/api/sessions/{SESSION}/events")


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
    [f"{ONE}?from=0&limit=1000", f"/api/export/{PROJECT}/{SESSION}?format=jsonl",
     f"/api/export/{PROJECT}/{SESSION}?format=html"],
)  # fmt: skip
def test_no_secret_leaves_by(site: Served, path: str) -> None:
    answer = site.ask(path)

    assert answer.status_code == 200
    assert WATCH.out(answer.text) == []


@pytest.mark.parametrize(
    "path",
    ["/api/sessions", "/api/search?q=planted", "/api/search?q=password",
     f"{ONE}/tools?agent={AGENT}"],
)  # fmt: skip
def test_no_secret_leaves_by_the_pages_of(site: Served, path: str) -> None:
    assert WATCH.out(followed(site, path)) == []


def test_no_secret_leaves_by_the_pages_of_events(events: str) -> None:
    assert WATCH.out(events) == []


def asked(site: Served, paths: list[str]) -> str:
    """Answers to many questions of one client."""

    async def every() -> list[str]:
        async with site.client() as client:
            found = [await client.get(path) for path in paths]
        assert {one.status_code for one in found} == {200}
        return [one.text for one in found]

    return "\n".join(asyncio.run(every()))


SOME_OR_ALL = pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])


@SOME_OR_ALL
@pytest.mark.parametrize("whose", ["", f"?agent={AGENT}"])
def test_no_secret_leaves_by_a_raw_line(site: Served, whose: str, step: int) -> None:
    path = ONE if not whose else f"{ONE}/subagents/{AGENT}"
    lines = site.ask(path).json()["diagnostics"]["lines"]
    said = asked(site, [f"{ONE}/raw/{number}{whose}" for number in range(1, lines + 1, step)])

    assert lines >= 9 * len(PLANTED)
    assert WATCH.out(said) == []


@SOME_OR_ALL
def test_no_secret_leaves_by_an_event_in_full(site: Served, events: str, step: int) -> None:
    path, ids = f"/api/sessions/{SESSION}/events", re.findall(r'"eventId":"([^"]+)"', events)
    said = asked(site, [f"{path}/{one}/full" for one in ids[::step]])

    assert len(ids) >= 19 * len(PLANTED)
    assert said.count('"hooks":[{') >= len(PLANTED) // (2 * step)
    assert WATCH.out(said) == []


def test_no_secret_leaves_by_a_result_in_a_file_of_its_own(site: Served) -> None:
    lines = site.ask(ONE).json()["diagnostics"]["lines"]
    event = site.ask(f"{ONE}/raw/{lines}").json()["eventId"]
    answer = site.ask(f"/api/blob/{event}/0")

    assert (answer.status_code, len(answer.text) > 10_000) == (200, True)
    assert WATCH.out(answer.text) == []


def patched(place: Path) -> Planted:
    """An edit of a private key: a patch has its lines one by one."""
    key = next(one for one in PLANTED if one.name == "RSA key block")
    lines = [f"+{line}" for line in key.text.split("\n")]
    patch = [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": len(lines), "lines": lines}]
    made = Transcript(session=SESSION, cwd="/home/dev/planted").user("write it")
    made.calls("Edit", file_path="/x/id", old_string="", new_string=key.text)
    made.returns("done", result={"filePath": "/x/id", "structuredPatch": patch}).save(place)
    return key


def test_no_key_leaves_by_the_lines_of_a_patch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = patched(tmp_path)
    indexed(tmp_path)
    with server_context(tmp_path) as found:
        site = Served(found)
        event = site.ask(f"{ONE}/raw/3").json()["eventId"]
        paths = [
            f"{ONE}/raw/3", f"/api/sessions/{SESSION}/events/{event}/full",
            f"/s/{PROJECT}/{SESSION}?view=raw&line=3",
            f"/api/export/{PROJECT}/{SESSION}?format=jsonl",
        ]  # fmt: skip
        said = {path: unescape(site.ask(path).text) for path in paths}
    said["export"] = here(capsys, "export", "latest", "--format", "jsonl", "--root", tmp_path).out

    assert [path for path, text in said.items() if "redacted: private key" not in text] == []
    assert [path for path, text in said.items() if is_out(key, text)] == []


def test_no_secret_comes_back_to_who_hands_it_in(site: Served) -> None:
    one = next(one for one in PLANTED if one.name == "github")
    event = {"hook_event_name": "PreToolUse", "session_id": "x", "tool_name": one.secret}
    answer = site.ask("/api/events", "POST", json=event)

    assert answer.status_code == 201
    assert WATCH.out(answer.text) == []


def test_no_secret_comes_back_to_who_searches_for_it(site: Served) -> None:
    for one in PLANTED[:30]:
        said = site.ask(f"/api/search?limit=200&q={quote(one.secret[:200])}").text
        assert WATCH.out(said) == []


def test_a_title_somebody_gave_has_no_secret_in_it(site: Served) -> None:
    token = next(one for one in PLANTED if one.name == "github")
    said = site.ask(f"/api/sessions/{SESSION}", "PATCH", json={"title": token.text})

    assert said.status_code == 200
    assert WATCH.out(said.text) == []
