from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.cli.made import root, sweep, talk
from tests.serve.served import Served, indexed, server_context
from unspool.engine.sessions import session_cache
from unspool.engine.sessions.session_cache import SessionCache
from unspool.errors import NotFound

KETTLE = "-home-dev-kettle"


def test_a_session_is_found_by_project_and_id(site: Served) -> None:
    made = site.context.open_sessions.document(KETTLE, "session-one")

    assert (made.session.id, made.session.project_id) == ("session-one", KETTLE)
    assert len(made.chunks) == 2


def test_a_window_has_only_its_chunks(site: Served) -> None:
    made = site.context.open_sessions.document(KETTLE, "session-one", first=1, limit=1)

    assert [chunk.type for chunk in made.chunks] == ["ai"]


@pytest.mark.parametrize(
    ("project", "session"),
    [
        (KETTLE, "session-three"),
        (KETTLE, "session"),
        (KETTLE, "session-one.jsonl"),
        ("elsewhere", "session-one"),
        ("", "session-one"),
        ("r2~-home-dev-kettle", "session-one"),
        (f"{KETTLE}/", "session-one"),
        (KETTLE, ""),
        (KETTLE, "latest"),
    ],
)
def test_only_its_own_names_lead_to_it(site: Served, project: str, session: str) -> None:
    with pytest.raises(NotFound):
        site.context.open_sessions.document(project, session)


def test_what_was_written_since_is_there(site: Served, place: Path) -> None:
    before = site.context.open_sessions.document(KETTLE, "session-one").diagnostics.lines
    path = next(place.glob("projects/*/session-one.jsonl"))
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[-1])

    assert (
        site.context.open_sessions.document(KETTLE, "session-one").diagnostics.lines == before + 1
    )


def test_a_session_that_was_swept_comes_from_the_archive(site: Served, place: Path) -> None:
    whole = site.context.open_sessions.document(KETTLE, "session-one")
    sweep(place, "session-one")
    kept = site.context.open_sessions.document(KETTLE, "session-one")

    assert kept.chunks == whole.chunks
    assert kept.metrics == whole.metrics


def test_a_second_roots_project_is_another(tmp_path: Path) -> None:
    one, two = root(tmp_path / "one"), root(tmp_path / "two")
    (next(two.glob("projects/*/session-one.jsonl"))).write_bytes(
        next(one.glob("projects/*/session-one.jsonl")).read_bytes().replace(b"alpha", b"beta")
    )
    indexed(one)
    with server_context(one, two) as made:
        found = made.open_sessions.document(f"r2~{KETTLE}", "session-one")

    assert found.session.title == "beta prompt of session-one"


def test_one_session_held_does_not_hold_up_another(site: Served) -> None:
    cache, free = site.context.open_sessions, Event()
    with ThreadPoolExecutor(2) as threads:

        def hold() -> None:
            with cache.session(KETTLE, "session-one"):
                free.wait(120)

        holding = threads.submit(hold)
        found = threads.submit(cache.document, KETTLE, "session-two").result(60)
        free.set()
        holding.result(60)

    assert found.session.id == "session-two"


def test_many_at_once_all_get_the_same(site: Served) -> None:
    with ThreadPoolExecutor(8) as threads:
        asked = [
            threads.submit(site.context.open_sessions.document, KETTLE, f"session-{name}")
            for name in ("one", "two") * 20
        ]
        found = [one.result() for one in asked]

    assert len({document.metrics for document in found[::2]}) == 1
    assert len({document.metrics for document in found[1::2]}) == 1


def test_what_is_open_has_a_limit(tmp_path: Path) -> None:
    made = [talk(f"session-{number}") for number in range(6)]
    place = root(tmp_path, *made)
    indexed(place)
    with server_context(place) as context:
        cache = SessionCache(context.config, budget=1)
        for number in range(6):
            cache.document(KETTLE, f"session-{number}")

        assert len(cache._open) == 1


def test_what_readers_made_of_a_session_is_kept_with_it(site: Served) -> None:
    with site.context.open_sessions.locked(KETTLE, "session-one") as held:
        held.memo["mine"] = 1
    with site.context.open_sessions.locked(KETTLE, "session-one") as held:
        assert held.memo == {"mine": 1}
    with site.context.open_sessions.locked(KETTLE, "session-two") as held:
        assert held.memo == {}


def test_a_session_read_apart_holds_up_nobody(site: Served) -> None:
    with site.context.open_sessions.session(KETTLE, "session-one") as held:
        apart = site.context.open_sessions.separate(KETTLE, "session-one")

        assert apart.document() == held.document()


def test_what_is_not_there_cannot_be_read_apart_either(site: Served) -> None:
    with pytest.raises(NotFound):
        site.context.open_sessions.separate(KETTLE, "session-three")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if few bytes were many."""
    monkeypatch.setattr(session_cache, "_LONG", 100)


def test_a_short_session_is_read_as_a_whole(site: Served) -> None:
    assert site.context.open_sessions.beginning(KETTLE, "session-one", 1) is None


@pytest.mark.usefixtures("few")
def test_a_long_session_can_be_begun(site: Served) -> None:
    found = site.context.open_sessions.beginning(KETTLE, "session-one", 1)

    assert found is not None
    assert (
        found.document().chunks == site.context.open_sessions.document(KETTLE, "session-one").chunks
    )


@pytest.mark.usefixtures("few")
def test_a_session_that_was_read_is_not_begun(site: Served) -> None:
    site.context.open_sessions.document(KETTLE, "session-one")

    assert site.context.open_sessions.beginning(KETTLE, "session-one", 1) is None


@pytest.mark.usefixtures("few")
def test_a_session_of_the_archive_can_be_begun(site: Served, place: Path) -> None:
    on_disk = site.context.open_sessions.document(KETTLE, "session-one").chunks
    site.context.open_sessions.clear()
    sweep(place, "session-one")
    found = site.context.open_sessions.beginning(KETTLE, "session-one", 1)

    assert found is not None
    assert found.document().chunks == on_disk
