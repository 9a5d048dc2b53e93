"""The two files -> what is wrong with them, in sentences."""

from unspool.errors import StoreCorrupt, StoreError
from unspool.store.sqlite.connection import Readers


def quick(readers: Readers) -> list[str]:
    """Look at every page of a file: finds damage, in seconds."""
    return _said(readers, "PRAGMA quick_check(20)")


def thorough(readers: Readers) -> list[str]:
    """Compare indexes with tables and look into the full-text index as well."""
    return _said(readers, "PRAGMA integrity_check(20)")


def _said(readers: Readers, ask: str) -> list[str]:
    name = readers.path.name
    try:
        return [f"{name}: {said}" for (said,) in readers.every(ask) if said != "ok"]
    except StoreCorrupt as error:
        return [str(error)]
    except StoreError as error:
        return [f"{name} cannot be checked: {error}"]
