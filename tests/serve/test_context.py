"""What a server has in memory goes when sessions are forgotten, or the index is another."""

import os
from pathlib import Path

import pytest

from tests.cli.made import talk
from tests.serve.served import indexed, server_context
from tests.waiting import has_open
from unspool.serve.live import Live
from unspool.source.forgotten import forget


@pytest.fixture
def place(tmp_path: Path) -> Path:
    talk("session-one").save(tmp_path / "claude")
    indexed(tmp_path / "claude")
    return tmp_path / "claude"


def test_caches_are_dropped_once_for_each_change(place: Path) -> None:
    with server_context(place) as context:
        drops: list[int] = []
        context.renewal.add(lambda: drops.append(1))
        assert [context.renewal.check(), context.renewal.check()] == [False, False]

        (root,) = context.config.roots
        forget(root.tombstones, [(root.path, "-home-dev-kettle", "session-one")], 1)
        assert [context.renewal.check(), context.renewal.check()] == [True, False]
        assert context.forgotten() == 1

        index = context.config.home / "index.db"
        os.replace(index, index.with_name("old"))
        assert [context.renewal.check(), context.renewal.check()] == [True, False]
        assert drops == [1, 1]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_a_closed_one_has_the_index_open_no_more(place: Path) -> None:
    with server_context(place) as context:
        context.store.sources()
        index = str(context.config.home / "index.db").lstrip("/")
        assert has_open(os.getpid(), index)

    assert not has_open(os.getpid(), index)


def test_what_was_rendered_and_read_is_not_kept(place: Path) -> None:
    with server_context(place) as context:
        context.rendered.put("key", b"markup")
        with context.open_sessions.session("-home-dev-kettle", "session-one"):
            pass
        (root,) = context.config.roots
        forget(root.tombstones, [(root.path, "-home-dev-kettle", "session-one")], 1)
        context.renewal.check()

        assert context.rendered.get("key") is None
        assert len(context.open_sessions._open) == 0


def test_timelines_are_closed_since_their_lines_have_other_numbers(place: Path) -> None:
    with server_context(place) as context:
        live = Live(context)
        with live.timelines.open(("-home-dev-kettle", "session-one")) as before:
            assert len(before) == 5
        index = context.config.home / "index.db"
        os.replace(index, index.with_name("old"))
        context.renewal.check()

        assert len(live.timelines._open) == 0
