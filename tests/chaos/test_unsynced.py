"""What was promised is there after a power cut, though the disk forgets what nobody synced."""

from collections.abc import Callable
from copy import copy
from itertools import count
from pathlib import Path

import pytest

from tests.chaos.scene import Scene
from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, root_of
from tests.power_cut import PowerCut, power_cut
from tests.source.firing import PYTHON, payloads
from tests.store.made import Source
from tests.store.stores import shown
from unspool.cli.export import to_file
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.sessions.project_groups import read_book, write_book
from unspool.hub.collector.settings import HubSettings, read_settings, write_settings
from unspool.model.api import MarksUpdate
from unspool.serve.running import ServerSecrets, read_kept
from unspool.source.checkouts import Checkout
from unspool.source.forgotten import forget, note_obeyed, obeyed, restore, tombstones
from unspool.source.installer import Site, install, uninstall
from unspool.source.spool import append, scrub
from unspool.store import Store
from unspool.store.sqlite import connection
from unspool.store.sqlite.marks import MarkStore
from unspool.store.sqlite.store import SqliteStore

SOME = [b'{"hook_event_name":"Stop","session_id":"s%d"}' % n for n in range(3)]
both = pytest.mark.parametrize("names", [False, True])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A disk on which all is safe so far."""
    made = tmp_path / "disk"
    made.mkdir()
    return made


class Moments:
    """What would be left at each moment at which somebody syncs."""

    def __init__(self, into: Path, look: Callable[[Path], object]) -> None:
        self.found: list[object] = []
        self._into, self._look, self._number = into, look, count()

    def __call__(self, disk: PowerCut) -> None:
        for names in (False, True):
            where = self._into / f"moment-{next(self._number)}"
            self.found.append(self._look(disk.left(where, names=names)))


@both
def test_an_event_that_was_accepted_is_in_the_spool(
    place: Path, tmp_path: Path, names: bool
) -> None:
    with power_cut(place) as disk:
        append(place / "home" / "spool", SOME[:2], NOW)
        first = disk.left(tmp_path / "first", names=names)
        append(place / "home" / "spool", SOME[2:], NOW)
        left = disk.left(tmp_path / "left", names=names)

    assert payloads(first / "home" / "spool") == SOME[:2]
    assert payloads(left / "home" / "spool") == SOME


@both
def test_an_event_that_was_forgotten_is_out_of_the_spool(
    place: Path, tmp_path: Path, names: bool
) -> None:
    spool = place / "home" / "spool"
    append(spool, SOME, NOW)
    (file,) = spool.iterdir()
    with power_cut(place) as disk:
        is_forgotten = scrub(file, SOME[1].__eq__)
        left = disk.left(tmp_path / "left", names=names)

    assert is_forgotten
    assert payloads(left / "home" / "spool") == [SOME[0], SOME[2]]


@both
@pytest.mark.parametrize("before", [b"", b'{"unfinished'])
def test_what_was_forgotten_stays_forgotten(
    place: Path, tmp_path: Path, before: bytes, names: bool
) -> None:
    log = place / "home" / "forgotten.jsonl"
    key = ("/root", "-home-dev-x", "s1")
    if before:
        log.parent.mkdir()
        log.write_bytes(before)
    with power_cut(place) as disk:
        forget(str(log), [key], NOW)
        left = disk.left(tmp_path / "left", names=names)

    assert [one.key for one in tombstones(str(left / "home" / "forgotten.jsonl"))] == [key]


@both
def test_what_was_restored_stays_restored(place: Path, tmp_path: Path, names: bool) -> None:
    log, key = str(place / "forgotten.jsonl"), ("/root", "-home-dev-x", "s1")
    forget(log, [key], NOW)
    with power_cut(place) as disk:
        restore(log, [key], NOW + 1)
        left = disk.left(tmp_path / "left", names=names)

    assert not tombstones(str(left / "forgotten.jsonl"))


@both
def test_how_much_was_erased_is_known_once_it_is_noted(
    place: Path, tmp_path: Path, names: bool
) -> None:
    """Whoever opens the index next would erase it again, and again."""
    with power_cut(place) as disk:
        for size in (100, 2_345):
            note_obeyed(place / "home", size)
        left = disk.left(tmp_path / "left", names=names)

    assert obeyed(left / "home") == 2_345


@both
def test_checkouts_that_are_gone_are_known_by_what_was_kept_of_them(
    place: Path, tmp_path: Path, names: bool
) -> None:
    book = {f"-home-dev-{name}": Checkout(f"/x/{name}", "/x/main", True, "") for name in "ab"}
    with power_cut(place) as disk:
        for kept in ({}, book):
            write_book(str(place / "home"), kept)
        left = disk.left(tmp_path / "left", names=names)

    assert read_book(str(left / "home")) == book


@both
def test_an_enrolled_machine_has_its_key(place: Path, tmp_path: Path, names: bool) -> None:
    """The code that it was exchanged for works once."""
    kept = HubSettings(url="https://hub.example.com", machine="laptop", key="uk_x")
    with power_cut(place) as disk:
        write_settings(place / "home", kept)
        left = disk.left(tmp_path / "left", names=names)

    assert read_settings(left / "home") == kept


def site(place: Path) -> Site:
    return Site(str(place / "claude" / "settings.json"), str(place / "home"), PYTHON)


@both
def test_hooks_are_installed_once_it_is_said_and_a_copy_of_the_settings_is_there(
    place: Path, tmp_path: Path, names: bool
) -> None:
    (place / "claude").mkdir()
    settings = place / "claude" / "settings.json"
    settings.write_text('{"model": "opus"}')
    with power_cut(place) as disk:
        install(site(place), NOW)
        left = disk.left(tmp_path / "left", names=names)
    copies = [path.read_text() for path in (left / "claude").glob("*.bak-unspool-*")]

    assert (left / "claude" / "settings.json").read_text() == settings.read_text()
    assert copies == ['{"model": "opus"}']
    assert (left / "home" / "hooks.json").read_bytes() == (place / "home/hooks.json").read_bytes()
    assert (left / "home" / "spool").is_dir()


def test_settings_are_whole_and_name_a_whole_script_at_every_moment(
    place: Path, tmp_path: Path
) -> None:
    (place / "claude").mkdir()
    (place / "claude" / "settings.json").write_text("{}")

    def look(left: Path) -> str:
        text = (left / "claude" / "settings.json").read_text()
        script = left / "home" / "hook.py"
        size = script.stat().st_size if script.exists() else 0
        return f"{len(text)} {size}" if len(text) > 2 else text

    moments = Moments(tmp_path, look)
    with power_cut(place, moments):
        install(site(place), NOW)
    done = look(place)

    assert set(moments.found) | {done} == {"{}", done}


@both
def test_settings_that_we_made_are_gone_once_it_is_said(
    place: Path, tmp_path: Path, names: bool
) -> None:
    install(site(place), NOW)
    with power_cut(place) as disk:
        uninstall(site(place), NOW + 1)
        left = disk.left(tmp_path / "left", names=names)

    assert not (left / "claude" / "settings.json").exists()


@both
def test_a_mark_is_kept_once_it_is_answered(place: Path, tmp_path: Path, names: bool) -> None:
    with power_cut(place) as disk:
        for session in ("s1", "s2"):
            MarkStore(place / "home").change("p", session, MarksUpdate(pinned=True))
        left = disk.left(tmp_path / "left", names=names)

    assert sorted(MarkStore(left / "home").all()) == [("p", "s1"), ("p", "s2")]


def test_marks_of_an_older_version_are_there_at_every_moment(place: Path, tmp_path: Path) -> None:
    one = b'{"marks":[{"projectId":"p","sessionId":"s1","pinned":true,"hidden":false,"title":""}]}'
    (place / "marks.json").write_bytes(one)
    moments = Moments(tmp_path, lambda left: list(MarkStore(left).all()))
    with power_cut(place, moments):
        MarkStore(place).all()

    assert moments.found
    assert set(map(str, moments.found)) == {"[('p', 's1')]"}


@pytest.mark.parametrize("force", [False, True])
def test_an_exported_file_is_whole_or_not_there(place: Path, tmp_path: Path, force: bool) -> None:
    with power_cut(place) as disk:
        to_file(str(place / "a"), [b"one", b"two"], force=force)
        left = disk.left(tmp_path / "left", names=True)

    assert (left / "a").read_bytes() == b"onetwo"


@both
def test_secrets_that_outlive_a_run_outlive_a_power_cut(
    place: Path, tmp_path: Path, names: bool
) -> None:
    """Hooks that post with the old one would be refused from then on."""
    with power_cut(place) as disk:
        first = ServerSecrets(place / "home", keep_token=False).kept
        second = ServerSecrets(place / "home", keep_token=True).kept
        left = disk.left(tmp_path / "left", names=names)

    assert read_kept(left / "home") == second
    assert (second.name, second.ingest_token) == (first.name, first.ingest_token)


def some_rows(store: Store) -> None:
    store.commit([Source().line("word").spends().tells().batch()])


@both
def test_a_rebuilt_index_is_the_index_once_it_is_said(
    place: Path, tmp_path: Path, names: bool
) -> None:
    SqliteStore(place / "home").close()
    with power_cut(place) as disk:
        store = SqliteStore(place / "home")
        store.rebuild_into(some_rows)
        left = disk.left(tmp_path / "left", names=names)
        expected = shown(store)
        store.close()
    again = SqliteStore(left / "home")

    assert shown(again) == expected
    assert again.check(thorough=True) == []
    again.close()


def test_an_index_that_is_being_replaced_is_whole_at_every_moment(
    place: Path, tmp_path: Path
) -> None:
    def look(left: Path) -> list[str]:
        again = SqliteStore(left / "home")
        try:
            return again.check(thorough=True)
        finally:
            again.close()

    SqliteStore(place / "home").close()
    moments = Moments(tmp_path, look)
    with power_cut(place, moments):
        store = SqliteStore(place / "home")
        store.rebuild_into(some_rows)
        store.close()

    assert len(moments.found) > 2
    assert not any(moments.found)


@both
def test_events_whose_spool_file_was_deleted_are_in_archive_and_index(
    place: Path, tmp_path: Path, names: bool
) -> None:
    spool, root = place / "home" / "spool", root_of(place / "claude")
    append(spool, SOME, NOW)
    (file,) = spool.iterdir()
    age(file, seconds=3 * 86_400)
    with power_cut(place) as disk:
        store = SqliteStore(place / "home")
        indexer = Indexer(store, [root], TABLE, spool=str(spool))
        indexer.sweep(NOW)
        indexer.tidy(NOW)
        left = disk.left(tmp_path / "left", names=names)
        store.close()
    again = SqliteStore(left / "home")
    ask = "SELECT source_id, generation, offset, length FROM lines WHERE type = 'hook'"
    rows = again.sql("SELECT count(*) FROM hook_events")[1]
    places = again.sql(ask)[1]

    assert not file.exists()
    assert rows == [(len(SOME),)]
    assert None not in [again.raw(*each) for each in places]
    again.close()


def test_whatever_the_databases_forget_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    often = connection._WRITER.replace("wal_autocheckpoint = 4000", "wal_autocheckpoint = 8")
    monkeypatch.setattr(connection, "_WRITER", often)
    scene = Scene()
    scene.store.close()

    def look(left: Path) -> None:
        again = copy(scene)
        again.home = left
        again.told = dict(scene.told)
        again.open()
        again.sweep(quiet=True)
        again.assert_sound()
        again.assert_nothing_is_lost()
        again.store.close()

    moments = Moments(tmp_path, look)
    with power_cut(scene.home, moments):
        scene.open()
        for number in range(12):
            with open(scene.path(f"s{number % 2}"), "ab") as file:
                file.write(Transcript(uuid_prefix=f"{number}-").says(f"word{number}").bytes())
            scene.sign(scene.path(f"s{number % 2}"))
            scene.sweep(quiet=True)
        scene.clean_up()

    assert len(moments.found) > 10
