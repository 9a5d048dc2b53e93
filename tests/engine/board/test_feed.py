from pathlib import Path

import pytest

from tests.cli.lively import lively
from tests.cli.runs import here
from unspool.cli import config
from unspool.engine.board.feed import spent_since
from unspool.engine.dates import start_of_today


def test_what_ended_sessions_cost_today_comes_from_the_index(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lively("session-one").user("hello").says("hi", id="m1").save(tmp_path)
    here(capsys, "index", "build", "--root", tmp_path)
    found = spent_since(str(home / "unspool" / "index.db"), start_of_today(config.now() - 60_000))

    assert [name for name, _ in found.items()] == [("-home-dev-kettle", "session-one")]
    assert all(spend.tokens == 15 and spend.cost_usd for spend in found.values())


def test_an_index_that_cannot_be_read_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database")

    assert spent_since(str(tmp_path / "index.db"), 0) == {}
    assert spent_since(str(tmp_path / "none.db"), 0) == {}
