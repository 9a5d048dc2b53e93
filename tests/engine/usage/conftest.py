"""A root with something spent in it, which the environment names."""

from pathlib import Path

import pytest

from tests.engine.usage.spending import talk


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with one session of one answer, which the environment names."""
    path = tmp_path / "claude"
    talk().save(path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(path))
    return path
