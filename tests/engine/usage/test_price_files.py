from pathlib import Path

from unspool.engine.usage.price_files import PriceFiles


def test_the_version_changes_when_the_user_changes_a_price(home: Path) -> None:
    files = PriceFiles(str(home))
    before = files.version
    (home / "prices.toml").write_text("[models]\n")

    assert files.version != before
    assert files.version == PriceFiles(str(home)).version


def test_the_user_s_prices_lie_over_ours(home: Path) -> None:
    (home / "prices.toml").write_text('[[models."mine"]]\ninput = 7\noutput = 7\n')
    table = PriceFiles(str(home)).table()

    assert "mine" in table.models
    assert len(table.models) > 1


def test_a_price_file_that_cannot_be_read_is_said(home: Path) -> None:
    (home / "prices.toml").write_text("not toml")

    assert "prices.toml cannot be read" in PriceFiles(str(home)).table().trouble[0]
