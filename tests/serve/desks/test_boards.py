from threading import enumerate as threads

from tests.serve.served import Served


def boards() -> int:
    return sum(thread.name == "board" for thread in threads())


def test_nothing_is_watched_until_somebody_asks_and_then_once(site: Served) -> None:
    assert boards() == 0
    for _ in range(3):
        site.desk.boards.board()
    assert boards() == 1


def test_who_leaves_watches_no_more(site: Served) -> None:
    site.desk.boards.board()
    site.desk.close()

    assert boards() == 0
