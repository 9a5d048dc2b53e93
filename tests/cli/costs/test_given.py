from pathlib import Path

from msgspec.structs import astuple

from unspool.cli import config
from unspool.cli.costs import given
from unspool.cli.costs.asked import asked


def test_roots_are_those_that_were_asked_of(root: Path) -> None:
    assert [astuple(one) for one in given.roots(asked([]))] == [
        (1, str(root), "", str(root / "projects"), None)
    ]


def test_prices_are_those_of_other_commands() -> None:
    home = config.unspool_home()
    home.mkdir(parents=True)
    (home / "prices.toml").write_text('[[models."mine"]]\ninput = 1\noutput = 2\n')

    assert given.prices() == config.prices()
    assert "mine" in given.prices().models
