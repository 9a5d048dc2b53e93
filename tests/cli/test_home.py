import pytest

from tests.cli.runs import here
from unspool.cli import home, serve


def test_alone_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def run(args: list[str]) -> int:
        given.extend(args)
        return 0

    monkeypatch.setattr(serve, "run", run)

    assert home.run(["--port", "0"]) == 0
    assert given == ["--port", "0"]


def test_alone_it_takes_what_serving_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "--port", "70000").code == 2
