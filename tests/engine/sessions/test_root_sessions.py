from pathlib import Path

import pytest

from tests.engine.roots import NOW, PRICES, dated, listed, root_sessions, saved
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.errors import Ambiguous, NotFound, SourceError

AGENT = Transcript(agent="a1", uuid_prefix="a-").user("look").says("seen", id="m9")
MAIN = Transcript().user("go").calls("Agent", description="see", prompt="look").returns("seen")


def names(root: Path, **options: object) -> list[str]:
    return [row.session.id for row in root_sessions(root).summaries(**options)]  # type: ignore[arg-type]


def sessions(root: Path, *ids: str, **fields: str) -> list[Path]:
    """Sessions of these names, each written a second after the one before."""
    paths = []
    for n, id in enumerate(ids):
        begun = iso(NOW + 1_000 * n) or ""
        made = Transcript(id, uuid_prefix=f"{id}-", start=begun, **fields).user(id)
        paths.append(dated(made.save(root), NOW + 1_000 * n))
    return paths


@pytest.mark.parametrize("name", ["first-session", "firs", "latest"])
def test_a_session_is_found_by_its_names(tmp_path: Path, name: str) -> None:
    sessions(tmp_path, "other-session", "first-session")

    assert root_sessions(tmp_path).find(name).session_id == "first-session"


def test_the_latest_is_the_first_of_the_list(tmp_path: Path) -> None:
    copied, _ = sessions(tmp_path, "copied", "newest")
    dated(copied, NOW + 900_000)

    assert root_sessions(tmp_path).find("latest").session_id == names(tmp_path)[0] == "newest"


def test_a_name_of_two_sessions_is_ambiguous(tmp_path: Path) -> None:
    sessions(tmp_path, "first-a", "first-b")

    with pytest.raises(Ambiguous) as raised:
        root_sessions(tmp_path).find("first")
    assert raised.value.candidates == ("first-b", "first-a")


def test_a_project_decides_between_two_sessions_of_one_id(tmp_path: Path) -> None:
    saved(tmp_path, Transcript(cwd="/one").user("in one"), Transcript(cwd="/two").user("in two"))
    found = root_sessions(tmp_path).find("s1", project="-one")

    assert root_sessions(tmp_path).open(found).info().title == "in one"


def test_a_session_opens_by_its_path_outside_any_root(tmp_path: Path) -> None:
    path = Transcript().user("go").write(tmp_path / "loose.jsonl")
    reader = RootSessions([], PRICES, now=NOW)

    assert reader.open(path).info().title == "go"


def test_an_agents_file_opens_as_that_agent_of_its_session(tmp_path: Path) -> None:
    _, path = saved(tmp_path, MAIN, AGENT)
    found = root_sessions(tmp_path).open(path)

    assert (found.id, found.path) == ("a1", str(path))
    assert found.info().is_subagent


def test_an_agents_file_opens_without_its_session(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, AGENT)
    document = root_sessions(tmp_path).open(path).document()

    assert (document.session.id, document.session.is_subagent) == ("a1", True)
    assert len(document.chunks) == 2


def test_a_warm_up_can_be_read_although_no_session_shows_it(tmp_path: Path) -> None:
    warmup = Transcript(agent="w1", uuid_prefix="w-").user("Warmup").says("ready", id="m9")
    _, path = saved(tmp_path, MAIN, warmup)

    assert len(root_sessions(tmp_path).open(path).document().chunks) == 2


def test_an_empty_file_cannot_be_opened(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript())

    with pytest.raises(SourceError, match="empty"):
        root_sessions(tmp_path).open(path)


def test_a_file_that_went_away_is_not_found(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, MAIN)
    file = listed(path)
    path.unlink()

    with pytest.raises(NotFound):
        root_sessions(tmp_path).open(file)


def test_the_list_has_the_newest_activity_first(tmp_path: Path) -> None:
    sessions(tmp_path, "one", "two", "three")

    assert names(tmp_path) == ["three", "two", "one"]


def test_a_copy_that_is_younger_than_all_that_was_said_in_it_is_at_its_old_place(
    tmp_path: Path,
) -> None:
    one, two, _ = sessions(tmp_path, "one", "two", "three")
    dated(one, NOW + 900_000)
    dated(two, NOW + 800_000)

    assert names(tmp_path) == ["three", "two", "one"]


def test_no_more_files_are_read_than_rows_are_asked_for(tmp_path: Path) -> None:
    _, two, _, _ = sessions(tmp_path, "one", "two", "three", "four")
    rows = root_sessions(tmp_path).summaries()
    first = next(rows).session.id
    two.write_text("")

    assert [first, *(row.session.id for row in rows)] == ["four", "three", "one"]


# devtools 111
def test_sessions_of_the_same_moment_are_in_the_order_of_their_ids(tmp_path: Path) -> None:
    saved(tmp_path, *(Transcript(id, uuid_prefix=f"{id}-").user(id) for id in ("b", "c", "a")))

    assert names(tmp_path) == ["c", "b", "a"]


# devtools 108
def test_a_session_with_nothing_to_read_is_listed_only_when_all_are_wanted(tmp_path: Path) -> None:
    sessions(tmp_path, "talk")
    saved(tmp_path, Transcript("stub").entry("file-history-snapshot", messageId="x", snapshot={}))
    saved(tmp_path, Transcript("empty"))

    assert names(tmp_path) == ["talk"]
    # What has not begun does not open, so it is not listed either.
    assert sorted(names(tmp_path, everything=True)) == ["stub", "talk"]


# peers 16
def test_an_old_agents_file_is_not_listed_as_a_session(tmp_path: Path) -> None:
    saved(tmp_path, MAIN)
    AGENT.write(tmp_path / "projects/-repo/agent-a1.jsonl")

    assert names(tmp_path, everything=True) == ["s1"]
    assert next(root_sessions(tmp_path).summaries()).agents == 1


# peers 14
def test_a_session_is_listed_however_late_its_first_prompt_is(tmp_path: Path) -> None:
    made = Transcript().system("informational", content="x" * 1_500_000)
    for _ in range(60):
        made.system("informational", content="x")
    saved(tmp_path, made.user("at last"))

    assert [row.session.title for row in root_sessions(tmp_path).summaries()] == ["at last"]


# peers 15
def test_sessions_of_a_worktree_are_listed_under_their_own_directory(tmp_path: Path) -> None:
    work = "/repo/.claude/worktrees/side"
    saved(tmp_path, Transcript("s1").user("a"), Transcript("s2", work, uuid_prefix="b-").user("b"))
    found = {
        row.session.id: row.session.project_path for row in root_sessions(tmp_path).summaries()
    }

    assert found == {"s1": "/repo", "s2": work}


def test_a_file_that_cannot_be_read_does_not_stop_the_list(tmp_path: Path) -> None:
    one, _, _ = sessions(tmp_path, "one", "two", "three")
    reader = root_sessions(tmp_path)
    files = reader.files()
    one.unlink()
    one.symlink_to(tmp_path / "missing")

    rows = filter(None, (make() for _, make in reader._rows(files)))
    assert [row.session.id for row in rows] == ["three", "two"]


def test_the_list_can_begin_at_a_day(tmp_path: Path) -> None:
    sessions(tmp_path, "one", "two", "three")

    assert names(tmp_path, since=NOW + 1_000) == ["three", "two"]


def test_the_list_can_be_of_one_project(tmp_path: Path) -> None:
    sessions(tmp_path, "one", cwd="/home/ada/Lamp")
    sessions(tmp_path, "two", cwd="/home/ada/door")

    assert names(tmp_path, project="lamp") == ["one"]
