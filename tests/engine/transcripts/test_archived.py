import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from tests.engine.indexed import archive, index, roots
from tests.engine.roots import NOW, append, listed, root_sessions, saved, setting
from unspool.demo import Transcript, text_block, tool_block
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.errors import Ambiguous, NotFound
from unspool.model.document import SessionDocument
from unspool.source.session_files import find_session

ARCHIVED = "Its transcript is gone from disk: this is read from the archive."
AGENT = Transcript(agent="a1b2c3d4e5f6a7b8c", uuid_prefix="a-").user("look").says("seen", id="m9")


def talk(session: str = "gone-session") -> Transcript:
    made = Transcript(session=session).user("Fix the kettle")
    made.answers([text_block("So"), tool_block("Bash", {"command": "ls"})]).returns("a b")
    made.calls("Agent", description="see", prompt="look", id="call1")
    return made.returns("seen", result={"agentId": AGENT.agent, "status": "completed"}).says("done")


def agent(session: str = "gone-session") -> Transcript:
    return (
        Transcript(session=session, agent=AGENT.agent, uuid_prefix="a-").user("look").says("seen")
    )


@contextmanager
def remembering(root: Path) -> Iterator[RootSessions]:
    with archive(root) as made:
        found = root_sessions(root)
        found.remember(made)
        yield found


def sweep(root: Path, session: str = "gone-session") -> None:
    for path in root.glob(f"projects/*/{session}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def found_again(document: SessionDocument) -> SessionDocument:
    """The document without the word that its transcript is gone."""
    diagnostics = structs.replace(document.diagnostics, missing="")
    return structs.replace(document, diagnostics=diagnostics)


def test_a_swept_session_reads_as_it_did_on_disk(tmp_path: Path) -> None:
    path, *_ = saved(tmp_path, talk(), agent())
    index(tmp_path)
    with remembering(tmp_path) as there:
        before = there.open(path).document()
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        after = back.open("gone-session").document()

    assert after.diagnostics.missing == ARCHIVED
    assert found_again(after) == before


@pytest.mark.parametrize(("messages", "is_enough"), [(5, True), (32, False)])
def test_a_long_swept_session_is_begun_without_its_end(
    tmp_path: Path, messages: int, is_enough: bool
) -> None:
    made = Transcript(session="gone-session").user("first")
    for number in range(30):
        made.says(f"{number} " + "and so on " * 10_000)
    (path,) = saved(tmp_path, made)
    index(tmp_path)
    file = listed(path)
    sweep(tmp_path)
    with archive(tmp_path) as kept:
        begun = ArchivedSessions(kept, roots(tmp_path)).beginning(file, messages, 3 * 1024 * 1024)

    assert (begun is not None) == is_enough
    if begun:
        assert messages <= begun.fold.messages < 31


def test_an_agent_of_a_swept_session_opens_too(tmp_path: Path) -> None:
    saved(tmp_path, talk(), agent())
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        document = back.open("gone-session").agent(AGENT.agent or "").document()

    assert [chunk.type for chunk in document.chunks] == ["user", "ai"]


def test_what_a_sidecar_said_outlives_it(tmp_path: Path) -> None:
    saved(tmp_path, talk(), agent().meta(agentType="Explore", toolUseId="call1"))
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        (found,) = back.open("gone-session").agents

    assert (found.subagent_type, found.proof) == ("Explore", "meta")


def test_an_agent_swept_before_its_session_is_still_there(tmp_path: Path) -> None:
    path, agents = saved(tmp_path, talk(), agent())
    index(tmp_path)
    agents.unlink()
    with remembering(tmp_path) as back:
        assert [one.id for one in back.open(path).agents] == [AGENT.agent]
    assert root_sessions(tmp_path).open(path).agents == ()


def test_only_agents_whose_files_are_gone_stand_for_a_session(tmp_path: Path) -> None:
    path, agents = saved(tmp_path, talk(), agent())
    saved(tmp_path, Transcript(session="here").user("x"))
    index(tmp_path)
    places = []
    for gone in (path, agents):
        with archive(tmp_path) as made:
            places.append(
                [one.path for one in ArchivedSessions(made, roots(tmp_path)).agents_alone()]
            )
        gone.unlink()
    with archive(tmp_path) as made:
        places.append([one.path for one in ArchivedSessions(made, roots(tmp_path)).agents_alone()])

    assert places == [[], [], [str(path)]]


def test_a_beginning_of_an_id_is_enough(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        assert back.find("gone").session_id == "gone-session"
        with pytest.raises(NotFound):
            back.find("gon")


def test_a_beginning_that_fits_one_on_disk_and_one_swept_is_ambiguous(tmp_path: Path) -> None:
    saved(tmp_path, talk(), Transcript(session="gone-not").user("x"))
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back, pytest.raises(Ambiguous) as caught:
        back.find("gone-")

    assert sorted(caught.value.candidates) == ["gone-not", "gone-session"]


def test_a_path_that_is_gone_is_found_in_the_archive(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        assert back.open(path).id == "gone-session"


def test_what_is_on_disk_is_read_from_disk(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    index(tmp_path)
    path.write_bytes(Transcript(session="gone-session").user("Rewritten").bytes())
    with remembering(tmp_path) as back:
        assert back.open("gone-session").info().title == "Rewritten"


def test_a_file_swept_while_it_is_kept_is_read_from_the_archive(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    with remembering(tmp_path) as back:
        before = back.open(path).document()
        sweep(tmp_path)
        after = back.open(back.find("gone-session"))

        assert found_again(after.document()) == before
        assert after.summary().source_gone


def test_swept_sessions_are_listed_with_the_others(tmp_path: Path) -> None:
    saved(tmp_path, talk(), Transcript(session="here").user("x"))
    index(tmp_path)
    sweep(tmp_path)
    with remembering(tmp_path) as back:
        rows = {row.session.id: row.source_gone for row in back.summaries()}

    assert rows == {"gone-session": True, "here": False}


def test_hooks_of_a_swept_session_still_tell_how_it_ended(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    log = tmp_path / "hooks" / "-repo" / "gone-session.hooks.jsonl"
    log.parent.mkdir(parents=True)
    when = "2026-01-01T00:00:10.000Z"
    log.write_text(
        f'{{"sessionId":"gone-session","eventType":"SessionEnd","timestamp":"{when}"}}\n'
    )
    index(tmp_path)
    sweep(tmp_path)
    log.unlink()
    with remembering(tmp_path) as back:
        status = back.open("gone-session").info().status

    assert (status.state, status.evidence) == ("ended", "hook")


def test_a_damaged_segment_leaves_a_gap_and_no_error(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript(session="gone-session").user("one"), at=NOW)
    index(tmp_path)
    with path.open("ab") as file:
        file.write(Transcript(session="gone-session", uuid_prefix="b-").user("two").bytes())
    index(tmp_path)
    sweep(tmp_path)
    raw = tmp_path / "un" / "raw.db"
    data = raw.read_bytes()
    at = data.rindex(b"\x28\xb5\x2f\xfd")  # the beginning of what was packed last
    raw.write_bytes(data[: at + 9] + b"\0\0\0\0" + data[at + 13 :])
    with remembering(tmp_path) as back:
        assert back.open("gone-session").document().diagnostics.lines == 1


def test_another_roots_sessions_are_not_ours(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    index(tmp_path)
    sweep(tmp_path)
    with archive(tmp_path) as made:
        assert ArchivedSessions(made, roots(tmp_path / "un")).mains() == []
        assert [one.session_id for one in ArchivedSessions(made, roots(tmp_path)).mains()] == [
            "gone-session"
        ]


def test_a_session_whose_directory_is_closed_is_read_from_the_archive_and_not_gone(
    tmp_path: Path,
) -> None:
    (path,) = saved(tmp_path, talk())
    index(tmp_path)
    path.parent.rename(tmp_path / "aside")
    path.parent.symlink_to(path.parent)  # nobody can look behind it, not even root
    with remembering(tmp_path) as back:
        closed = back.open("gone-session").summary()
    path.parent.unlink()
    with remembering(tmp_path) as back:
        gone = back.open("gone-session").summary()

    assert (closed.source_gone, gone.source_gone) == (False, True)
    assert closed.session.title == gone.session.title != ""


def test_a_session_grows_from_the_archive_alone(tmp_path: Path) -> None:
    """As one does whose files are on another machine."""
    main, other = saved(tmp_path, talk(), agent())
    lines = {path: path.read_bytes().splitlines(keepends=True) for path in (main, other)}
    away = {main: tmp_path / "main", other: tmp_path / "agent"}
    for path in away.values():
        path.touch()

    def more(path: Path) -> None:
        """Have one more line of a file in the archive, and nothing on disk."""
        away[path].rename(path)
        append(path, lines[path].pop(0))
        index(tmp_path)
        path.rename(away[path])

    main.unlink()
    other.unlink()
    more(main)
    file = find_session([], str(away[main].rename(main)))
    main.rename(away[main])
    with archive(tmp_path) as made:
        live = LiveSession(file, setting(), ArchivedSessions(made, roots(tmp_path)))
        for path in (main, other, main, main, other, main):
            more(path)
            live.refresh(setting())
            anew = LiveSession(file, setting(), ArchivedSessions(made, roots(tmp_path)))

            assert live.assembler("").turns == anew.assembler("").turns
            assert live.whole.agents == anew.whole.agents
            assert live.usage().total == anew.usage().total
        assert live.generations == (0, 0)
        assert [one.fold.lines for one in (live.main, *live.agents.values())] == [5, 2]


def test_a_file_that_was_written_again_is_read_again_from_the_archive(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    index(tmp_path)
    main = next(tmp_path.glob("projects/*/gone-session.jsonl"))
    file, data = find_session([], str(main)), main.read_bytes()
    sweep(tmp_path)
    with archive(tmp_path) as made:
        live = LiveSession(file, setting(), ArchivedSessions(made, roots(tmp_path)))
        main.write_bytes(Transcript("gone-session", uuid_prefix="z-").user("Another").bytes())
        index(tmp_path)
        main.unlink()
        changed = live.refresh(setting())

    assert changed
    assert live.main.fold.lines == 1 < data.count(b"\n")
