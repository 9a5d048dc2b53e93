"""`unspool hub`: what it refuses before anything is served, and its export."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import answered
from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import Source
from unspool.cli import config, main
from unspool.cli.hub import make_parser
from unspool.cli.hub_server import serve
from unspool.cli.server_control import LOCK
from unspool.errors import ConfigError
from unspool.store.sqlite.lock import WriterLock


def test_a_home_that_is_served_is_not_served_again(hub: HubDatabase) -> None:
    config.unspool_home().mkdir(parents=True)
    lock = WriterLock(config.unspool_home() / LOCK)
    try:
        with pytest.raises(ConfigError, match="give the hub its own UNSPOOL_HOME"):
            serve(make_parser().parse_args(["serve"]), hub.pool)
    finally:
        lock.release()


def test_others_are_not_reached_without_tls(
    hub: HubDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hub", "serve", "--host", "192.0.2.1", "--database-url", hub.url]) == 2
    assert "--cert" in capsys.readouterr().err


def test_every_action_has_a_name() -> None:
    assert make_parser().parse_args(["person", "ada", "--role", "lead"]).role == "lead"


def test_an_export_says_what_it_wrote_and_is_noted(
    hub: HubDatabase, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    hub.accept(hub.machine(), shipment(Source(5).line().spends().calls().tells().batch()))
    lake = str(tmp_path / "lake")
    command = ["hub", "export", lake, "--database-url", hub.url]
    assert main([*command, "--json", "--table", "usage,tool_calls"]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert main([*command, "--since", "2025-10-10"]) == 0

    wrote = {"written": 1, "removed": 0, "unchanged": 0, "rows": 1}
    assert document["tables"] == {"usage": wrote, "tool_calls": wrote}
    assert (document["directory"], document["seq"], document["run"]) == (lake, 1, 1)
    said = capsysbinary.readouterr().out.decode().splitlines()
    assert said[0] == "usage: 0 written, 0 removed, 0 unchanged, 0 rows"
    assert sum("exported" in row for row in hub.tables()["audit"]) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["erase", "--yes"], "unspool hub erase NAME"),
        (["erase", "ada"], "give --yes"),
        (["export"], "unspool hub export DIR"),
        (["export", "x", "--table", "usage,people"], "'people' is not one of usage"),
        (["export", "x", "--since", "some day"], "not a time"),
    ],
)
def test_what_is_missing_or_wrong_is_named(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hub", *given]) == 2
    assert said in capsys.readouterr().err


def test_without_pyarrow_an_export_names_the_extra(
    hub: HubDatabase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.delitem(sys.modules, "unspool.hub.export", raising=False)
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["hub", "export", str(tmp_path / "x"), "--database-url", hub.url]) == 1
    assert "pip install 'unspool[lake]'" in capsys.readouterr().err


def test_pyarrow_is_loaded_by_an_export_alone() -> None:
    ask = "import sys, unspool.cli.hub, unspool.cli.hub_server; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(("word", "left"), [("yes\n", 0), ("\n", 1), ("no\n", 1)])
def test_a_person_is_erased_if_the_terminal_says_yes(
    hub: HubDatabase, word: str, left: int
) -> None:
    hub.accept(hub.machine(), shipment(Source(5).line().tells().batch()))
    code, shown = answered(word, "hub", "erase", "ada", "--database-url", hub.url)

    assert code == left
    assert b"ada: 1 machine, 1 session and their costs would be erased" in shown
    assert len(hub.people.person_rows()) == len(hub.tables()["session"]) == left


def test_nobody_is_erased_who_is_not_there(
    hub: HubDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hub", "erase", "ada", "--yes", "--database-url", hub.url]) != 0
    assert "no person called 'ada'" in capsys.readouterr().err
