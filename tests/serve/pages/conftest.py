"""A generated root, indexed once and served to all tests of a module, with the truth about it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.serve.pages.generated import Generated
from tests.serve.served import served
from unspool.demo import generate


@pytest.fixture(scope="module")
def _generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    root, home = tmp_path_factory.mktemp("made") / "root", tmp_path_factory.mktemp("unspool")
    truth = generate(root, mb=1, seed=3, prices=PRICES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(home))
        with served(root) as site:
            yield Generated(site, truth, home)


@pytest.fixture
def made(_generated: Generated, home: Path, monkeypatch: pytest.MonkeyPatch) -> Generated:
    """It, for a test that only looks."""
    monkeypatch.setenv("UNSPOOL_HOME", str(_generated.home))
    return _generated
