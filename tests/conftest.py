"""Every test gets a home of its own; the reader's home is never looked at."""

import gc
import os
import signal
import time
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from tests.examples import examples

REPOSITORY = Path(__file__).parent.parent
IN_CI = bool(os.environ.get("CI"))

# Repeatable in CI: a red build must be red again for whoever looks at it.
settings.register_profile("default", deadline=None, derandomize=IN_CI, max_examples=examples(100))
settings.register_profile("slow", deadline=None, derandomize=IN_CI, max_examples=2_000)
settings.load_profile("default")

UNSET = ("CLAUDE_CONFIG_DIR", "CLAUDE_ROOT", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


def pytest_configure(config: pytest.Config) -> None:
    """Have children begin with the usual signals, whatever nohup or a script's & has us ignore.

    An ignored signal is inherited, a handler is not; ours does nothing, so we go on ignoring it.
    """
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        return  # xdist's workers start the children, and must themselves inherit what is ignored
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make no search for garbage while all is kept, nor later among what was collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first: begun last, they would be waited for by an idle processor."""
    items.sort(key=lambda item: not any(one.kwargs for one in item.iter_markers("slow")))


def _move_in(home: Path, patch: pytest.MonkeyPatch) -> None:
    home.mkdir(parents=True)
    for name in UNSET:
        patch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        patch.setenv(name, str(home))
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        patch.setenv(f"XDG_{kind}_HOME", str(home / f"xdg-{kind.lower()}"))
    patch.setenv("UNSPOOL_HOME", str(home / "unspool"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """A PostgreSQL for this process, if a test asks for one; it ends with the tests."""
    from tests.store.postgres.cluster import CLUSTER  # noqa: PLC0415 - most tests need no psycopg

    yield
    CLUSTER.stop()


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Path]]:
    """Fresh home directories; fixtures that outlive a module live in the first of them, in UTC."""
    street = tmp_path_factory.mktemp("homes")
    fresh = (street / str(number) for number in count())
    with pytest.MonkeyPatch.context() as patch:
        _move_in(next(fresh), patch)
        patch.setenv("TZ", "UTC")
        if hasattr(time, "tzset"):
            time.tzset()
        yield fresh


@pytest.fixture(scope="module", autouse=True)
def module_home(homes: Iterator[Path]) -> Iterator[None]:
    """A home for what the tests of one module share: two modules never share an index."""
    with pytest.MonkeyPatch.context() as patch:
        _move_in(next(homes), patch)
        yield


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], module_home: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This test's own home directory, empty."""
    fresh = next(homes)
    _move_in(fresh, monkeypatch)
    return fresh


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Transcripts that others published, where this machine has them."""
    place = Path(os.environ.get("UNSPOOL_CORPUS") or REPOSITORY.parent / "shared" / "corpus")
    if not place.is_dir():
        pytest.skip(f"no corpus at {place}; set UNSPOOL_CORPUS to a directory of Claude roots")
    return place
