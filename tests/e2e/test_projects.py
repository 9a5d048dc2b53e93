"""One repository is one project on every surface that lists, sums or filters by project."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import unspool
from tests.e2e.cases import Files, at
from tests.e2e.cases_projects import paid_in
from tests.e2e.surface_fields import pico
from tests.e2e.workspaces import Asks, Workspace
from tests.source.repositories import repository, worktree
from unspool.show import cost_json
from unspool.source.session_files import project_slug


class Place:
    """A main checkout, three other checkouts of it, and another project."""

    def __init__(self, tmp_path: Path) -> None:
        self.space = Workspace(tmp_path / "claude", tmp_path / "unspool", at(60))
        self.main = repository(tmp_path / "shop", "git@github.com:Org/Shop.git")
        self.linked = worktree(self.main, tmp_path / "wt")
        self.clone = repository(tmp_path / "copy", "https://token@github.com/org/shop/")
        self.tree = self.main / ".claude" / "worktrees" / "x"
        self.other = tmp_path / "other"
        self.paths = self.main, self.linked, self.clone, self.tree, self.other
        files = Files(self.space)
        for number, path in enumerate(self.paths):
            files.save(paid_in(path, f"s{number}"))

    @property
    def id(self) -> str:
        return project_slug(str(self.main))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.space.index()
    return made


@pytest.fixture
def site(place: Place) -> Iterator[Asks]:
    with place.space.answering() as site:
        yield site


def sums(rows: list[Any]) -> dict[str, int]:
    """Picodollars by project of a cost report."""
    return {row["projectId"]: pico(row["totalCost"]) or 0 for row in rows}


def library_cost(place: Place, **asked: Any) -> dict[str, int]:
    with place.space.here():
        ws = unspool.open(now=place.space.now)
        report = ws.cost(by="project", **asked)
        ws.close()
    return sums(cost_json.document(report, "project")["projects"])


def test_cost_by_project_is_the_same_sum_everywhere(place: Place, site: Asks) -> None:
    space, bare = place.space, place.space.home.with_name("bare")
    sql = space.sql("SELECT project_group g, sum(usd_pico) s FROM usage GROUP BY 1")
    rows = space.sql("SELECT project_group g, sum(usd_pico) s FROM sessions GROUP BY 1")
    listed = site.ask("/api/projects").json()["items"]
    answers = {
        "cost": sums(space.json("cost", "project", "--json")["projects"]),
        "no index": sums(space.json("cost", "project", "--json", home=bare)["projects"]),
        "library": library_cost(place),
        "REST": sums(site.ask("/api/cost?by=project").json()["projects"]),
        "REST projects": {one["id"]: pico(one["metrics"]["costUsd"]) for one in listed},
        "sql usage": {row["g"]: row["s"] for row in sql},
        "sql sessions": {row["g"]: row["s"] for row in rows},
    }
    (each,) = {
        row["s"] for row in space.sql("SELECT sum(usd_pico) s FROM usage GROUP BY project_id")
    }

    right = {place.id: 4 * each, project_slug(str(place.other)): each}
    assert answers == dict.fromkeys(answers, right)


def test_each_checkout_by_itself_is_the_same_sum_everywhere(place: Place, site: Asks) -> None:
    space = place.space
    sql = space.sql("SELECT project_id g, sum(usd_pico) s FROM usage GROUP BY 1")
    listed = site.ask("/api/projects?separate=true").json()["items"]
    under = [one for p in site.ask("/api/projects").json()["items"] for one in p["checkouts"]]
    answers = {
        "cost": sums(space.json("cost", "project", "--separate", "--json")["projects"]),
        "library": library_cost(place, separate=True),
        "REST": sums(site.ask("/api/cost?by=project&separate=true").json()["projects"]),
        "REST projects": {one["id"]: pico(one["metrics"]["costUsd"]) for one in listed},
        "checkouts": {one["id"]: pico(one["metrics"]["costUsd"]) for one in under},
    }

    right = {row["g"]: row["s"] for row in sql}
    assert answers == dict.fromkeys(answers, right)
    assert len(right) == 5


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("shop", "s0 s1 s2 s3"),
        ("SHOP", "s0 s1 s2 s3"),
        ("{main_id}", "s0 s1 s2 s3"),
        ("{linked_id}", "s1"),
        ("{linked}", "s1"),
        ("{main}", "s0"),
        ("{tree}", "s3"),
        ("{other_id}", "s4"),
        ("no-such-project", ""),
    ],
)
def test_a_project_is_asked_for_alike_everywhere(
    place: Place, site: Asks, asked: str, found: str
) -> None:
    names = {name: str(getattr(place, name)) for name in ("main", "linked", "tree", "other")}
    ids = {f"{name}_id": project_slug(path) for name, path in names.items()}
    text = asked.format(**names, **ids)
    space, given = place.space, {"project": text, "limit": 200}
    with space.here():
        ws = unspool.open(now=space.now)
        rows = [row.id for row in ws.sessions(project=text)]
        hits = [one.session_id for one in ws.search("Done", project=text).items]
        ws.close()
    page = site.ask("/sessions", params={"project": text}).text
    searched = site.ask("/search", params={"q": "Done", "project": text}).text
    bare = space.home.with_name("bare")
    command = f"--project={text}"
    answers = {
        "ls": [r["session"]["id"] for r in space.json("ls", "--json", command)["items"]],
        "ls, no index": [
            r["session"]["id"] for r in space.json("ls", "--json", command, home=bare)["items"]
        ],
        "search": [
            r["sessionId"] for r in space.json("search", "Done", "--json", command)["items"]
        ],
        "cost": [
            r["sessionId"] for r in space.json("cost", "session", "--json", command)["sessions"]
        ],
        "library": rows,
        "library search": hits,
        "REST": [
            r["session"]["id"] for r in site.ask("/api/sessions", params=given).json()["items"]
        ],
        "REST search": [
            r["sessionId"]
            for r in site.ask("/api/search", params={"q": "Done", **given}).json()["items"]
        ],
        "REST cost": [
            r["sessionId"]
            for r in site.ask("/api/cost", params={"by": "session", "project": text}).json()[
                "sessions"
            ]
        ],
        "page": re.findall(r'<tr id="s-.*?href="/s/[^/"]*/([^/"]*)"', page, re.S),
        "search page": [*Counter(re.findall(r'href="/s/[^/"]*/(s\d)[?"]', searched))],
    }

    assert {name: sorted({*ids}) for name, ids in answers.items()} == dict.fromkeys(
        answers, found.split()
    )


def test_the_page_of_a_project_has_the_sessions_of_all_its_checkouts(
    place: Place, site: Asks
) -> None:
    def listed(path: str) -> list[str]:
        return sorted(
            re.findall(r'<tr id="s-.*?href="/s/[^/"]*/([^/"]*)"', site.ask(path).text, re.S)
        )

    whole, linked = place.id, project_slug(str(place.linked))

    assert listed(f"/projects/{whole}") == ["s0", "s1", "s2", "s3"]
    assert listed(f"/projects/{whole}?separate=1") == ["s0"]
    assert listed(f"/part/sessions/{whole}?separate=1") == ["s0"]
    assert listed(f"/projects/{linked}") == ["s1"]
    rows = site.ask(f"/api/projects/{whole}/sessions").json()["items"]
    assert len(rows) == 4
    (row,) = site.ask(f"/api/projects/{whole}/sessions?separate=true").json()["items"]
    assert row["session"]["id"] == "s0"
    assert {one["session"]["projectGroup"]["id"] for one in rows} == {whole}
    assert {one["session"]["projectId"] for one in rows} == {
        project_slug(str(path)) for path in place.paths[:4]
    }


def test_the_projects_page_shows_one_row_with_its_checkouts_beneath(
    place: Place, site: Asks
) -> None:
    rows = re.findall(r'<tr><td class="proj">.*?</tr>', site.ask("/projects").text, re.S)
    (mine,) = [row for row in rows if f'href="/projects/{place.id}"' in row]

    assert len(rows) == 2
    assert "4 checkouts" in mine
    for path in place.paths[:4]:
        link = f'href="/projects/{project_slug(str(path))}?separate=1">{path}</a>'
        assert link in unescape(mine)
    assert "checkout" not in rows[1 - rows.index(mine)]


def test_what_was_known_of_a_checkout_outlives_it_and_every_rebuild(place: Place) -> None:
    space = place.space
    before = sums(space.json("cost", "project", "--json")["projects"])
    for gone in (place.linked, place.clone, place.main):
        shutil.rmtree(gone)
    shutil.rmtree(space.root / "projects")
    (space.root / "projects").mkdir()
    space.index()
    assert space.run("index", "rebuild") is not None

    assert sums(space.json("cost", "project", "--json")["projects"]) == before
    (space.home / "index.db").unlink()
    assert space.run("index", "rebuild") is not None
    assert sums(space.json("cost", "project", "--json")["projects"]) == before


def test_another_directorys_transcripts_have_no_repository_of_this_machine_read(
    place: Place, tmp_path: Path
) -> None:
    copy = tmp_path / "backup"
    shutil.copytree(place.space.root, copy)

    rows = place.space.json("cost", "project", "--json", "--root", str(copy))["projects"]

    by_path = {
        project_slug(str(path)) for path in (place.main, place.linked, place.clone, place.other)
    }
    assert {row["projectId"] for row in rows} == by_path
