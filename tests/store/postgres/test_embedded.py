"""The embedded PostgreSQL: without its extra, a sentence says what to install."""

import importlib
from pathlib import Path

import pytest

from unspool.errors import ConfigError
from unspool.store.postgres.embedded import embedded_url


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ConfigError, match="hub-embedded"):
        embedded_url(tmp_path)
