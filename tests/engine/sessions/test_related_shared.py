from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.json import decode, encode

from tests.cli.made import root, talk
from unspool.demo import Transcript
from unspool.engine.sessions.related import NoRelatedSessions, SharedRelatedSessions, read_all
from unspool.model.document import SessionLinks
from unspool.model.files import Root
from unspool.source.session_files import main_files


def copy(place: Path, session: str) -> None:
    """A session that has all lines of another one, and one more."""
    made = Transcript(
        session, cwd="/home/dev/kettle", uuid_prefix=f"{session}-", start="2026-01-02T10:00:00Z"
    )
    for line in talk().bytes().splitlines():
        made.raw(encode({**decode(line), "sessionId": session}))
    made.user("another way").save(place)


def looking(place: Path, times: Iterable[float]) -> Callable[[], SessionLinks]:
    clock = iter(times)
    related = SharedRelatedSessions(
        [Root(1, str(place), "", str(place / "projects"))], lambda: next(clock)
    )

    def look() -> SessionLinks:
        mains = main_files(Root(1, str(place), "", str(place / "projects")))
        (file,) = [file for file in mains if file.session_id == "session-one"]
        return related.links(file, read_all(file))

    return look


def test_what_is_found_quickly_is_looked_for_each_time(tmp_path: Path) -> None:
    look = looking(root(tmp_path), [0.0, 0.001, 0.002, 0.003])
    before = look()
    copy(tmp_path, "session-two")

    assert before.forks == ()
    assert [tie.session_id for tie in look().forks] == ["session-two"]


def test_what_took_long_to_find_is_good_for_a_while(tmp_path: Path) -> None:
    look = looking(root(tmp_path), [0.0, 0.51, 50.0, 51.0, 51.01])
    look()
    copy(tmp_path, "session-two")
    soon, later = look(), look()

    assert soon.forks == ()
    assert [tie.session_id for tie in later.forks] == ["session-two"]


def test_without_a_scan_there_are_no_links(tmp_path: Path) -> None:
    root(tmp_path)
    copy(tmp_path, "copy")
    place = Root(1, str(tmp_path), "", str(tmp_path / "projects"))
    files = [*main_files(place)]

    assert [NoRelatedSessions([place]).links(one, read_all(one)) for one in files] == [
        SessionLinks()
    ] * len(files)
