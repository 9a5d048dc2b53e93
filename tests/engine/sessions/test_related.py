from pathlib import Path

from msgspec.json import decode, encode

from tests.engine.roots import NOW, dated, listed, root_sessions, saved
from unspool.demo import Transcript
from unspool.engine.sessions.related import RelatedSessions, read_all
from unspool.model.document import SessionLink, SessionLinks

PLAN = "Implement the following plan:\n\n1. paint"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def planning(session: str = "plan", cwd: str = "/repo", slug: str = "calm-fox") -> Transcript:
    made = Transcript(session, cwd, slug=slug, uuid_prefix=f"{session}-", start=OLD)
    return made.user("plan it").calls("ExitPlanMode", plan="1. paint").returns("approved")


def building(session: str = "build", cwd: str = "/repo", slug: str = "calm-fox") -> Transcript:
    made = Transcript(session, cwd, slug=slug, uuid_prefix=f"{session}-", start=NEW)
    return made.user(PLAN).says("done")


def fork(made: Transcript, session: str, *more: str) -> Transcript:
    """A copy of the lines under another session's id, and what was said then."""
    copy = Transcript(session, uuid_prefix=f"{session}-", start=NEW)
    for line in made.bytes().splitlines():
        copy.raw(encode({**decode(line), "sessionId": session}))
    for text in more:
        copy.user(text)
    return copy


def links(root: Path, session: str, *made: Transcript) -> SessionLinks:
    saved(root, *made)
    return root_sessions(root).open(root_sessions(root).find(session)).document().session.links


def names(*ties: SessionLink | None) -> list[str]:
    return [tie.session_id for tie in ties if tie is not None]


def test_a_plan_and_its_implementation_know_each_other(tmp_path: Path) -> None:
    plan = links(tmp_path, "build", planning(), building()).plan
    implementation = links(tmp_path, "plan").implementation

    assert names(plan, implementation) == ["plan", "build"]


# peers 15
def test_a_plan_made_in_another_worktree_is_found(tmp_path: Path) -> None:
    found = links(tmp_path, "build", planning(cwd="/repo"), building(cwd="/repo-worktree"))

    assert names(found.plan) == ["plan"]


def test_a_plan_left_late_in_its_session_proves_as_much_from_either_side(tmp_path: Path) -> None:
    plan = Transcript("plan", slug="calm-fox", uuid_prefix="p-", start=OLD).user("plan it")
    for _ in range(80):
        plan.says("x" * 2_000)
    plan.calls("ExitPlanMode", plan="1. paint")
    found = links(tmp_path, "build", plan, building()).plan
    back = links(tmp_path, "plan").implementation

    assert found == SessionLink("plan", 0.9, "same slug, after its ExitPlanMode")
    assert back == SessionLink("build", found.confidence, found.reason)


def test_sessions_without_a_nickname_are_not_linked(tmp_path: Path) -> None:
    found = links(tmp_path, "build", planning(slug="unknown"), building(slug="unknown"))

    assert found == SessionLinks()


def test_a_copy_with_the_same_lines_is_a_fork(tmp_path: Path) -> None:
    made = Transcript("first").user("go").says("one")
    found = links(tmp_path, "second", made, fork(made, "second", "on"))

    assert names(found.forked_from) == ["first"]
    assert names(*links(tmp_path, "first").forks) == ["second"]


def test_a_fork_of_a_fork_comes_from_the_nearer_one(tmp_path: Path) -> None:
    first = Transcript("first").user("go").says("one")
    second = fork(first, "second", "on")
    third = fork(second, "third", "and on")
    found = links(tmp_path, "third", first, second, third)

    assert names(found.forked_from) == ["second"]
    assert names(*links(tmp_path, "first").forks) == ["second"]


def test_a_branch_says_itself_where_it_comes_from(tmp_path: Path) -> None:
    origin = {"sessionId": "first", "messageUuid": "u1"}
    made = Transcript("first").user("go")
    branch = Transcript("second", uuid_prefix="b-").user("go", forkedFrom=origin)
    found = links(tmp_path, "second", made, branch)

    assert found.forked_from == SessionLink("first", 1.0, "forkedFrom")
    assert names(*links(tmp_path, "first").forks) == ["second"]


def test_a_branch_of_a_session_that_is_gone_still_names_it(tmp_path: Path) -> None:
    origin = {"sessionId": "gone", "messageUuid": "u1"}
    found = links(tmp_path, "s1", Transcript().user("go", forkedFrom=origin))

    assert names(found.forked_from) == ["gone"]


def test_a_file_that_begins_with_another_sessions_lines_was_resumed(tmp_path: Path) -> None:
    made = Transcript("second").user("go", sessionId="first").user("on")

    assert names(links(tmp_path, "second", made).resumed_from) == ["first"]


def test_a_session_without_anything_in_common_has_no_links(tmp_path: Path) -> None:
    made = Transcript("one", uuid_prefix="one-").user("go")

    assert links(tmp_path, "s1", Transcript().user("go"), made) == SessionLinks()


def test_a_related_session_is_read_again_only_when_its_file_changed(tmp_path: Path) -> None:
    path, other = saved(tmp_path, planning(), building())
    related, own = RelatedSessions([]), read_all(listed(path))
    before = related.links(listed(path), own)
    other.write_bytes(b"x" * 90)
    dated(other, NOW)

    assert related.links(listed(path), own) == before
    dated(other, NOW + 1)
    assert related.links(listed(path), own) == SessionLinks()


def test_a_related_session_is_read_again_once_it_changed(tmp_path: Path) -> None:
    path, _ = saved(tmp_path, planning(), Transcript("build").user("something else"))
    related, own = RelatedSessions([]), read_all(listed(path))
    assert related.links(listed(path), own) == SessionLinks()
    dated(building().save(tmp_path), NOW + 1)

    assert names(related.links(listed(path), own).implementation) == ["build"]


def test_a_related_session_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    path, other = saved(tmp_path, planning(), building())
    own = read_all(listed(path))
    other.unlink()
    other.symlink_to(tmp_path / "missing")

    assert RelatedSessions([]).links(listed(path), own) == SessionLinks()
