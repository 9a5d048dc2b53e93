"""Long sessions, served: of many turns, of one endless answer, and of every kind of step."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serve.served import Served, served
from tests.show.everything import everything
from unspool.demo import Transcript
from unspool.serve.pages.session.source import PageSource, open_source

PROJECT = "-home-dev-long"
MANY, ENDLESS = f"/s/{PROJECT}/many", f"/s/{PROJECT}/endless"


def many(turns: int = 150, calls: int = 10) -> Transcript:
    """Turns of ten calls, two steps each."""
    made = Transcript(session="many", cwd="/home/dev/long")
    for turn in range(turns):
        made.user(f"part {turn}")
        for call in range(calls):
            made.calls("Bash", command=f"echo {turn}.{call}").returns(f"out {turn}.{call}")
    return made


def endless(calls: int = 700) -> Transcript:
    """One answer of very many calls."""
    made = Transcript(session="endless", cwd="/home/dev/long").user("go")
    for call in range(calls):
        made.calls("Bash", command=f"echo {call}").returns(f"out {call}")
    return made


@contextmanager
def long(root: Path) -> Iterator[Served]:
    """Both, served."""
    many().save(root)
    endless().save(root)
    with _at_home(root), served(root) as site:
        yield site


@contextmanager
def colourful(root: Path) -> Iterator[tuple[Served, str]]:
    """The session with every kind of step, and where its page is."""
    project, session = everything(root)
    with _at_home(root), served(root) as site:
        yield site, f"/s/{project}/{session}"


@contextmanager
def _at_home(root: Path) -> Iterator[None]:
    """A site that outlives a test has a home that no other test lives in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(root.parent / "home"))
        yield


@contextmanager
def opened(site: Served, session: str = "many", agent: str | None = None) -> Iterator[PageSource]:
    """A session as its pages read it."""
    with open_source(site.context, PROJECT, session, agent) as read:
        yield read


def step_ids(site: Served, address: str) -> list[str]:
    """The ids of a session's steps, by number."""
    found = site.ask(f"/part/steps/{address.removeprefix('/s/')}").json()["id"]
    return [place.partition("-")[2] for place in found]


def ids(html: str, kind: str = "step") -> list[str]:
    """The names of elements of a kind, in the order of the page."""
    return re.findall(rf'id="{kind}-([^"]+)"', html)
