from pathlib import Path
from threading import enumerate as threads
from time import sleep

import pytest

from tests.serve.live.listening import save
from tests.serve.served import Served
from tests.waiting import until
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.board.board import LiveBoard


def boards() -> int:
    return sum(thread.name == "board" for thread in threads())


def test_nothing_is_watched_until_somebody_asks_and_then_once(site: Served) -> None:
    assert boards() == 0
    for _ in range(3):
        site.context.board.current()
    assert boards() == 1


def test_who_leaves_watches_no_more(site: Served) -> None:
    site.context.board.current()
    site.context.close()

    assert boards() == 0


def lately(place: Path) -> Transcript:
    """A session that is being written."""
    made = Transcript("lately", "/home/dev/kettle", start=iso(config.now()) or "").user("go")
    save(made, place)
    return made


def test_whoever_asks_is_told_of_what_has_grown(site: Served, place: Path) -> None:
    made = lately(place)
    before = [row.session.id for row in site.context.board.current().rows]
    save(made.says("all is well"), place)

    def told() -> bool:
        rows = site.context.board.current().rows
        return any("all is well" in str(row) for row in rows)

    assert before == ["lately"]
    assert until(told)


def test_while_nobody_asks_nothing_that_grows_is_read(
    site: Served, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, looks = lately(place), list[object]()
    site.context.board.current()
    monkeypatch.setattr(LiveBoard, "look", lambda _, changed, __: looks.extend(changed))
    save(made.says("all is well"), place)
    sleep(0.5)
    unread = list(looks)

    assert unread == []
    assert until(lambda: bool(site.context.board.current() and looks))


def test_when_a_process_left_the_registry_is_noted_at_once(
    site: Served, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, looks = place / "sessions" / "12.json", list[object]()
    entry.parent.mkdir()
    entry.write_text("{}")
    site.context.board.current()
    monkeypatch.setattr(LiveBoard, "look", lambda _, changed, __: looks.extend(changed))
    entry.unlink()

    assert until(lambda: bool(looks))
