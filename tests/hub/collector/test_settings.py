"""What a machine keeps of its hub: for its user alone, and never an address without protection."""

from pathlib import Path

import pytest

from unspool.errors import UsageError
from unspool.hub.collector.settings import HubSettings, hub_url, read_settings, write_settings


def test_what_is_kept_is_read_again_by_nobody_else(tmp_path: Path) -> None:
    kept = HubSettings(url="https://hub.example.com", machine="laptop", key="uk_x", mode="raw")
    write_settings(tmp_path, kept)

    assert read_settings(tmp_path) == kept
    assert (tmp_path / "hub.json").stat().st_mode & 0o777 == 0o600
    for damaged in ("{", f'{{"x":{"[" * 100_000}'):
        (tmp_path / "hub.json").write_text(damaged)
        assert read_settings(tmp_path) is None


@pytest.mark.parametrize(
    "url", ["https://hub.example.com", "http://localhost:4200", "http://127.0.0.1:1/"]
)
def test_an_address_that_protects_what_is_sent_is_taken(url: str) -> None:
    assert hub_url(url) == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    ["http://hub.example.com", "http://10.0.0.1", "ftp://x", "hub", "https://a:b@hub", "", "//x",
     "https://x?y=1", "http://localhost.evil.example", "http://[::1"],
)  # fmt: skip
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        hub_url(url)
