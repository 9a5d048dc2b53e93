"""Private projects: by the settings or by a file, nothing of them is shipped."""

from pathlib import Path

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import LocalMachine
from unspool.demo import Transcript
from unspool.hub.collector.outputs import OutputQueue
from unspool.hub.collector.private import PrivateProjects
from unspool.hub.collector.queue import ShipQueue
from unspool.model.files import OutputFile
from unspool.model.rows import SourceRow


def test_a_directory_is_private_by_pattern_or_by_marker(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    (tmp_path / "work" / "secret" / "deep").mkdir(parents=True)
    (tmp_path / "work" / "secret" / ".unspool-private").touch()
    found = PrivateProjects(machine.store, ["~/private/**", "/tmp/x"], Path("/home/me"))

    for cwd in ("/home/me/private", "/home/me/private/a/b", "/tmp/x"):
        assert found.is_private(cwd)
    assert found.is_private(str(tmp_path / "work" / "secret" / "deep"))
    assert not found.is_private(str(tmp_path / "work"))
    assert not found.is_private("/home/me/privately")


def test_sources_of_private_projects_stay(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    for session, cwd in (("s1", "/work/open"), ("s2", "/work/closed")):
        Transcript(session, cwd=cwd).user("hello").save(machine.path)
    machine.sweep(NOW)
    private = PrivateProjects(machine.store, ["/work/closed"], Path("/home/me"))
    spool = SourceRow(source_id=1, root="/h", path="s", kind="spool", project_id="", session_id="")

    may = {row.session_id: private.may_ship(row) for row in machine.store.sources()}
    assert may == {"s1": True, "s2": False}
    assert not private.may_ship(spool)  # it tells of all projects
    everything = PrivateProjects(machine.store, [], Path("/home/me"))
    assert everything.may_ship(spool)


def test_a_source_of_a_private_project_is_never_queued(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    made = {cwd: Transcript(cwd[1:], cwd=cwd).user("hello") for cwd in ("/open", "/closed")}
    for one in made.values():
        one.save(machine.path)
    machine.sweep(NOW)
    private = PrivateProjects(machine.store, ["/closed"], Path("/home/me"))
    queue = ShipQueue(machine.store, private.may_ship)
    queue.compare([])
    at_first, after = queue.take(), queue.take()
    made["/closed"].user("again").save(machine.path)
    machine.sweep(NOW + 60_000)

    assert at_first is not None
    assert (at_first[0].row.session_id, after) == ("open", None)
    assert queue.look()
    assert queue.take() is None


def test_who_says_no_while_it_is_sent_is_heard(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    work = tmp_path / "work"
    work.mkdir()
    made = Transcript("s1", cwd=str(work)).user("hello")
    made.save(machine.path)
    machine.sweep(NOW)
    private = PrivateProjects(machine.store, [], Path("/home/me"))
    queue = ShipQueue(machine.store, private.may_ship)
    queue.compare([])
    waiting = queue.report(()).waiting_bytes
    (work / ".unspool-private").touch()

    assert waiting
    assert (queue.take(), queue.report(()).waiting_bytes) == (None, 0)
    made.user("again").save(machine.path)
    machine.sweep(NOW + 60_000)
    assert queue.look()
    assert queue.take() is None


def test_outputs_of_who_says_no_meanwhile_stay(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    file = OutputFile(machine.path.as_posix(), "a.txt", "-work", "s1", 3, 7)
    machine.store.archive_outputs([(file, b"one")])
    may = [True]
    queue = OutputQueue(machine.store, "raw", lambda _: may[0])
    queue.compare([])
    may[0] = False

    assert queue.take() is None


def test_a_source_waits_until_a_line_says_where_its_project_is(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    made = Transcript("s1", cwd="/work/open").entry("custom-title", customTitle="not yet known")
    made.save(machine.path)
    machine.sweep(NOW)
    private = PrivateProjects(machine.store, [], Path("/home/me"))
    before = [private.may_ship(row) for row in machine.store.sources()]
    made.user("hello").save(machine.path)
    machine.sweep(NOW + 60_000)

    assert before == [False]
    assert [private.may_ship(row) for row in machine.store.sources()] == [True]
