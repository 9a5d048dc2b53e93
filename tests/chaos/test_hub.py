"""A hub in bad surroundings: everything is there once, whatever was lost on the way."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import msgspec
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.chaos.patroni import PatroniPair, needs_patroni
from tests.chaos.watching import can
from tests.hub.collector.machine import LocalMachine, machine_with_files, seen
from tests.hub.crowd import check_exactly_once
from tests.hub.exports import DAY, Export, late
from tests.hub.failover import FailOver
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.hub.senders import COMPARED
from tests.power_cut import power_cut
from tests.store.made import START
from tests.store.postgres.debian import DebianServer, needs_postgres_15
from tests.waiting import until
from unspool.hub.collector import sender, shipments
from unspool.hub.collector.link import HubLink
from unspool.hub.export import MANIFEST, ExportManifest
from unspool.hub.maintenance import link
from unspool.store.pack import unpacked
from unspool.store.postgres.store import PostgresStore
from unspool.store.sqlite.store import SqliteStore

_LINES = int(os.environ.get("UNSPOOL_HUB_LINES", "0"))  # said by `make chaos`
needs_namespaces = pytest.mark.skipif(
    not can("unshare", "-n", "true"), reason="this machine makes no namespaces for us"
)
for_chaos = pytest.mark.skipif(not _LINES, reason="`make chaos` runs it")


@pytest.fixture
def hub(cluster: None) -> Iterator[HubDatabase]:
    made = HubDatabase()
    yield made
    made.close()


def parts(files: Path) -> dict[str, int]:
    """The files of an export, and how many rows they have."""
    return {
        str(path.relative_to(files)): pq.ParquetFile(path).metadata.num_rows
        for path in files.glob("*/*/*.parquet")
    }


def promised(files: Path) -> dict[str, int]:
    """The same, as the manifest says."""
    manifest = msgspec.json.decode((files / MANIFEST).read_bytes(), type=ExportManifest)
    return {
        f"{name}/day={day}/part-{machine}.parquet": part.rows
        for name, table in manifest.tables.items()
        for day, machines in table.days.items()
        for machine, part in machines.items()
        if part.digest != ""
    }


@pytest.mark.parametrize("names", [False, True])
def test_after_a_power_cut_an_export_has_the_files_that_its_manifest_names(
    hub: HubDatabase, tmp_path: Path, names: bool
) -> None:
    place, laptop = tmp_path / "disk", hub.machine()
    place.mkdir()
    lake = Export(hub, place / "exports" / "lake")
    late(hub, laptop, "m:1", START + DAY, 5)
    with power_cut(place) as disk:
        lake("usage")
        first = disk.left(tmp_path / "first", names=names) / "exports" / "lake"
        late(hub, laptop, "m:1", START, 6)  # the same response, earlier: its day becomes empty
        lake("usage")
        second = disk.left(tmp_path / "second", names=names) / "exports" / "lake"

    for left in (first, second):
        assert parts(left) == promised(left)
        assert list(parts(left).values()) == [1]


@pytest.fixture
def debian() -> Iterator[DebianServer]:
    needs_postgres_15()
    with DebianServer() as server:
        yield server.create()


@for_chaos
@pytest.mark.slow
def test_patroni_alone_has_the_hub_write_again_and_nothing_acknowledged_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_patroni()
    monkeypatch.setattr(sender, "_ENOUGH_BYTES", 1)
    monkeypatch.setattr(shipments, "_ENOUGH", 1_000)
    machine = machine_with_files(tmp_path / "root", 200)
    with PatroniPair() as pair:
        PostgresStore(pair.wait().url, weeks_ahead=0).close()
        hub = HubDatabase(pair.url)
        identity, failing = hub.machine(), FailOver(pair, 60)
        with HubProcess(pair.url, tmp_path / "hub") as process:
            failing.send(machine, process.start().url, hub.keys["laptop"])
            assert failing.lost == []

            assert _shown(pair.url, identity.owner) == _compared(machine)
        hub.close()
    with capsys.disabled():
        print(f"\nWriting again {failing.seconds:.1f} s after the death of the leader.")


@for_chaos
@needs_namespaces
@pytest.mark.slow
def test_lines_are_there_exactly_once_over_a_link_that_goes_down_and_up(
    hub: HubDatabase, tmp_path: Path
) -> None:
    """PostgreSQL is on the hub's side: its socket is a file."""
    with Link() as link:
        check_exactly_once(hub, tmp_path, _LINES, around=link.around)
        assert link.losses > 1


@pytest.mark.slow
def test_a_hub_restored_from_a_dump_is_filled_again_by_its_machines(
    debian: DebianServer, tmp_path: Path
) -> None:
    debian.execute("CREATE DATABASE hub")
    PostgresStore(f"{debian.url}/hub", weeks_ahead=0).close()
    hub, machine = HubDatabase(f"{debian.url}/hub"), machine_with_files(tmp_path / "root", 20)
    owner, key = hub.machine().owner, hub.keys["laptop"]
    _sent(machine, hub.url, tmp_path / "before", key)
    dump = debian.dump("hub")

    for number in range(10, 30):  # some go on, some are new
        machine.append(f"s{number}", machine.lines(f"s{number}", 5))
    machine.sweep()
    _sent(machine, hub.url, tmp_path / "after", key)
    hub.close()
    debian.execute("DROP DATABASE hub WITH (FORCE)", "CREATE DATABASE hub")
    debian.restore("hub", dump)
    _sent(machine, hub.url, tmp_path / "restored", key)

    assert _shown(hub.url, owner) == _compared(machine)


@pytest.mark.slow
def test_a_laptop_restored_from_a_backup_goes_on_from_there(
    hub: HubDatabase, tmp_path: Path
) -> None:
    """What it sent before stays archived; what it has now is what the hub shows."""
    first = LocalMachine(tmp_path / "root", SqliteStore(tmp_path / "home"))
    for name in ("same", "longer", "other"):
        first.append(name, first.lines(name, 5))
    first.sweep()
    owner, key = hub.machine().owner, hub.keys["laptop"]
    _sent(first, hub.url, tmp_path / "hub", key)
    first.store.close()
    for name in ("root", "home"):
        shutil.copytree(tmp_path / name, tmp_path / f"backup-{name}")

    later = LocalMachine(tmp_path / "root", SqliteStore(tmp_path / "home"))
    for name in ("longer", "other", "lost"):
        later.append(name, later.lines(name, 3, "gone with the disk"))
    later.sweep()
    _sent(later, hub.url, tmp_path / "hub", key)
    later.store.close()
    for name in ("root", "home"):
        shutil.rmtree(tmp_path / name)
        (tmp_path / f"backup-{name}").rename(tmp_path / name)

    restored = LocalMachine(tmp_path / "root", SqliteStore(tmp_path / "home"))
    restored.append("other", restored.lines("other", 8, "another way"))
    restored.sweep()
    _sent(restored, hub.url, tmp_path / "hub", key)

    store = hub.store(owner)
    raw = {path: _generations(store, id) for path, id in _sources(store)}
    store.close()
    for name in ("same", "longer", "other"):
        path = f"projects/-repo/{name}.jsonl"
        assert raw[path][-1] == (restored.path / path).read_bytes()
    restored.store.close()
    lost = [name for name in raw if b"gone with the disk" in b"".join(raw[name])]
    assert sorted(lost) == [f"projects/-repo/{name}.jsonl" for name in ("longer", "lost", "other")]


class Link:
    """A network of its own with nothing but loopback, which goes down for a while again and again.

    What was on its way is lost; connections go on, or give up.
    """

    def __enter__(self) -> "Link":
        self._holder = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])  # noqa: S607
        self.around = ("nsenter", "-t", str(self._holder.pid), "-n")
        self.losses, self._is_over = 0, Event()
        own = os.readlink("/proc/self/ns/net")
        assert until(lambda: os.readlink(f"/proc/{self._holder.pid}/ns/net") != own)
        self._set("up")
        self._thread = Thread(target=self._break)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._holder.kill()
        self._holder.wait()

    def _break(self) -> None:
        while not self._is_over.wait(20):
            self._set("down")
            self.losses += 1
            self._is_over.wait(3)
            self._set("up")

    def _set(self, state: str) -> None:
        subprocess.run([*self.around, "ip", "link", "set", "lo", state], check=True)


def _sent(machine: LocalMachine, database: str, home: Path, key: str) -> None:
    """Send all that a machine has to a hub of its own."""
    with HubProcess(database, home) as process:
        url = process.start().url
        machine.collector(lambda: HubLink(url, key), in_flight=2).run(once=True)
        shutil.rmtree(home)


def _sources(store: PostgresStore) -> Iterator[tuple[str, int]]:
    return ((row.path, row.source_id) for row in store.sources())


def _generations(store: PostgresStore, id: int) -> list[bytes]:
    """The bytes of each generation of a source, the oldest first."""
    numbers = sorted(one.generation for one in store.generations() if one.source_id == id)
    return [
        b"".join(unpacked(one) or b"" for one in store.segments(id, number)) for number in numbers
    ]


def _shown(database: str, owner: int) -> dict[str, Any]:
    store = PostgresStore(database, owner=owner, weeks_ahead=0)
    for project, session in store.unlinked():
        link(store, project, session)
    found = seen(store, "laptop")
    store.close()
    return {what: found[what] for what in COMPARED}


def _compared(machine: LocalMachine) -> dict[str, Any]:
    found = seen(machine.store)
    return {what: found[what] for what in COMPARED}
