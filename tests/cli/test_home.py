import pytest

from tests.cli.runs import here


def test_alone_it_serves(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys) == here(capsys, "serve")
    assert here(capsys).err.endswith("unspool --demo\n")


def test_alone_it_takes_what_serving_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "--port", "70000").code == 2
