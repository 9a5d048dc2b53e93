"""Where prices come from: our own dated table, and the user's changes to it.

In the table a row holds from its day `from` on and before its day `until`; null is open.
"""

from pathlib import Path

from unspool.source.safe_open import read_whole

_LONGEST = 1024 * 1024


def bundled() -> bytes:
    """The table this version came with."""
    return Path(__file__).with_name("prices.json").read_bytes()


def overrides(home: Path) -> bytes | None:
    """The user's `prices.toml` in unspool's own home, if there is one."""
    return read_whole(home / "prices.toml", _LONGEST)
