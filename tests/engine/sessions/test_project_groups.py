import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, saved
from tests.source.repositories import repository, worktree
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.sessions.project_groups import (
    BOOK,
    ProjectGroups,
    StoredProjectGroups,
    read_book,
)
from unspool.source import checkouts
from unspool.source.checkouts import Checkout
from unspool.source.files import Project
from unspool.source.roots import find_scope
from unspool.source.session_files import project_slug
from unspool.store.memory import MemoryStore


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    """A root of the user's own."""
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    return tmp_path / "claude"


def groups(
    claude: Path, home: Path, *, explicit: bool = False, clock: Callable[[], float] = monotonic
) -> ProjectGroups:
    env = {"CLAUDE_CONFIG_DIR": str(claude if not explicit else claude.parent / "own")}
    scope = find_scope([str(claude)] if explicit else [], env, str(home), str(home))
    return ProjectGroups(scope.places, scope.home, str(home), clock=clock)


def began(claude: Path, cwd: Path) -> str:
    """A session in a directory; the id of its project."""
    Transcript("s1", str(cwd)).user("hello").save(claude)
    return project_slug(str(cwd))


def test_the_disk_is_looked_at_where_nothing_is_kept(claude: Path, tmp_path: Path) -> None:
    main = repository(tmp_path / "repo")
    linked = began(claude, worktree(main, tmp_path / "wt"))

    assert groups(claude, tmp_path / "home").current().key(linked) == project_slug(str(main))
    assert not (tmp_path / "home").exists()


def test_a_checkout_that_is_gone_stays_a_part_of_its_repository(
    claude: Path, tmp_path: Path
) -> None:
    main, home = repository(tmp_path / "repo", "git@h.com:a/b"), tmp_path / "home"
    linked = began(claude, worktree(main, tmp_path / "wt"))
    clone = began(claude, repository(tmp_path / "clone", "https://h.com/a/b.git"))
    groups(claude, home).remember()
    for gone in ("repo", "wt", "clone"):
        shutil.rmtree(tmp_path / gone)

    groups(claude, home).remember()
    made = groups(claude, home).current()

    assert made.key(linked) == made.key(clone) != linked
    shutil.rmtree(claude / "projects")
    assert groups(claude, home).current().key(linked) == made.key(linked)


def test_only_the_owner_may_read_what_is_kept_and_it_holds_no_password(
    claude: Path, tmp_path: Path
) -> None:
    began(claude, repository(tmp_path / "repo", "https://me:hunter2@h.com/a/b"))
    groups(claude, tmp_path / "home").remember()

    kept = tmp_path / "home" / BOOK
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "hunter2" not in kept.read_text()
    assert "h.com/a/b" in kept.read_text()
    assert os.listdir(kept.parent) == [BOOK]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"projects": {"-a": 1}}', "[" * 100_000])
def test_what_somebody_broke_is_made_again(claude: Path, tmp_path: Path, text: str) -> None:
    id = began(claude, repository(tmp_path / "repo"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / BOOK).write_text(text)

    assert groups(claude, tmp_path / "home").current().key(id) == id
    groups(claude, tmp_path / "home").remember()
    assert json.loads((tmp_path / "home" / BOOK).read_text())["projects"].keys() == {id}


def test_the_part_that_somebody_broke_is_left_out(tmp_path: Path) -> None:
    whole = {"path": "/w/a", "main": "/w/b", "is_git": True, "origin": "h/b", "later": 1}
    broken = {"-b": {}, "-c": 3, "-d": {"path": "/d", "main": 3}, "-e": {**whole, "origin": []}}
    (tmp_path / BOOK).write_text(json.dumps({"projects": {"-a": whole, **broken}}))

    assert read_book(str(tmp_path)) == {
        "-a": Checkout("/w/a", "/w/b", True, "h/b"),
        "-e": Checkout("/w/a", "/w/b", True, ""),
    }


def test_repositories_that_others_name_are_not_read(claude: Path, tmp_path: Path) -> None:
    main = repository(tmp_path / "repo")
    linked = began(claude, worktree(main, tmp_path / "wt"))
    by_path = began(claude, main / ".claude" / "worktrees" / "x")

    made = groups(claude, tmp_path / "home", explicit=True).current()

    assert (made.key(linked), made.key(by_path)) == (linked, project_slug(str(main)))


def test_a_new_project_is_kept_at_once_and_a_known_one_costs_nothing(
    claude: Path, tmp_path: Path
) -> None:
    writer = groups(claude, tmp_path / "home")
    first = began(claude, repository(tmp_path / "one"))
    writer.remember()
    second = began(claude, repository(tmp_path / "two"))
    writer.remember({second})

    assert read_book(str(tmp_path / "home")).keys() == {first, second}
    (tmp_path / "home" / BOOK).unlink()
    writer.remember({first, second})
    assert not (tmp_path / "home" / BOOK).exists()


def test_settings_and_new_projects_are_seen_by_whoever_reads_on(
    claude: Path, tmp_path: Path
) -> None:
    home, made = tmp_path / "home", groups(claude, tmp_path / "home")
    home.mkdir()
    id = began(claude, tmp_path / "a")
    assert made.current().key(id) == id
    (home / "unspool.toml").write_text(f'[projects]\nmine = "{tmp_path}/*"\n')
    assert made.current().key(id) == "mine"
    other = began(claude, tmp_path / "b")

    assert made.current().key(other) == "mine"
    assert made.current() is made.current()


def test_a_project_that_does_not_say_yet_where_it_is_is_looked_at_again(
    claude: Path, tmp_path: Path
) -> None:
    linked = worktree(repository(tmp_path / "repo"), tmp_path / "wt")
    id = project_slug(str(linked))
    place = claude / "projects" / id
    place.mkdir()
    (place / "s1.jsonl").write_text('{"type":"summary","summary":"s"}\n')
    clock = iter([0.0, 0.9, 1.0]).__next__
    writer, reader = (groups(claude, tmp_path / "home", clock=clock) for _ in range(2))
    writer.remember({id})
    assert reader.current().key(id) == id
    (place / "s1.jsonl").write_bytes(Transcript("s1", str(linked)).user("hello").bytes())
    writer.remember({id})
    assert reader.current().key(id) == id
    writer.remember({id})

    assert reader.current().key(id) == project_slug(str(tmp_path / "repo"))


def test_projects_that_never_say_where_they_are_are_looked_at_one_by_one_and_ever_more_rarely(
    claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {f"-p{number}" for number in range(3)}
    for id in ids:
        (claude / "projects" / id).mkdir()
        Transcript("s1", "/elsewhere").user("hello").write(claude / "projects" / id / "s1.jsonl")
    times = [0.0, *(1.0 + number for number in range(63))]
    writer = groups(claude, tmp_path / "home", clock=iter(times).__next__)
    looked: list[str] = []

    def project_path(project: Project) -> str:
        looked.append(project.id)
        return checkouts.project_path(project)

    monkeypatch.setattr("unspool.engine.sessions.project_groups.project_path", project_path)
    writer.remember()
    assert set(looked) == ids
    looked.clear()
    for _ in times[1:]:
        writer.remember({"-p1"})

    assert looked == ["-p1"] * 6  # after 1, 3, 7, 15, 31 and 63 seconds


def test_published_worktrees_are_of_the_project_they_were_made_in(
    corpus: Path, tmp_path: Path
) -> None:
    found = [place for place in corpus.glob("*/projects/*--claude-worktrees-*") if place.is_dir()]
    for place in found:
        root = place.parent.parent
        made = groups(root, tmp_path / "home", explicit=True).current()
        group = made.of(place.name)

        assert group is not None
        assert group.id == place.name.partition("--claude-worktrees-")[0]
        assert made.of(group.id) == group
        assert group.path.endswith(group.name)
    assert found


def test_projects_that_come_into_an_empty_store_are_grouped(tmp_path: Path) -> None:
    store = MemoryStore()
    made = StoredProjectGroups(store)
    linked = tmp_path / "repo" / ".claude" / "worktrees" / "x"
    id = project_slug(str(linked))
    before = made.current().of(id)
    root = saved(tmp_path / "root", Transcript("s1", str(linked)).user("hello"))
    Indexer(store, [root], TABLE).sweep(NOW)

    after = made.current().of(id)

    assert before is not None
    assert after is not None
    assert (before.name, after.name) == (project_slug(str(tmp_path / "repo")), "repo")
