"""Installing and removing our hooks: settings file, script and spool directory."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Final

import msgspec
from msgspec import Struct

from unspool.errors import ConfigError, NotFound, UnspoolError
from unspool.json_depth import shallow
from unspool.model.health import EmptySettings, HookChange, HookStatus, HookSwitch, ScriptState
from unspool.private_files import private_directory
from unspool.source import hook
from unspool.source.safe_open import OpenFile
from unspool.source.settings import SCRIPT, Settings, hook_command
from unspool.source.spool import SPOOL, spool_files
from unspool.system import files as system_files
from unspool.system.locks import lock, open_for_lock

_LONGEST = 16 * 1024 * 1024
_KEPT = 5
_PATIENCE, _PAUSE = 5.0, 0.05


@contextmanager
def alone(directory: str) -> Iterator[None]:
    """Lock a directory against other unspool processes; it is created if missing."""
    private_directory(directory)
    fd = open_for_lock(directory)
    try:
        _lock(fd, directory)
        yield
    finally:
        os.close(fd)


def current(path: str) -> bytes | None:
    """A file's bytes; None if it does not exist, an error if it is not a regular file."""
    try:
        with OpenFile(path) as file:
            data = file.read(0, _LONGEST + 1)
    except NotFound:
        return None
    if len(data) > _LONGEST:
        raise ConfigError(f"{path} is too large for a settings file. Nothing was changed.")
    return data


def replace(path: str, new: bytes | None, *, was: bytes | None) -> None:
    """Replace a file atomically, or delete it if `new` is None.

    ConfigError, and the file unchanged, if another process has written it since it was read.
    """
    made = f"{path}.unspool-tmp"
    try:
        if new is not None:
            _write(made, new, like=path)
        if current(path) != was:
            raise ConfigError(f"{path} was changed by another program meanwhile. Try again.")
        if new is not None:
            system_files.replace(made, path)
        else:
            os.unlink(path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)
    system_files.sync_directory(os.path.dirname(path))


def back_up(path: str, data: bytes, stamp: str) -> str:
    """Save a copy beside a file; only the newest few copies are kept."""
    kept = f"{path}.bak-unspool-{stamp}"
    _write(kept, data, like=path)
    directory, name = os.path.split(path)
    ours = sorted(one for one in os.listdir(directory) if one.startswith(f"{name}.bak-unspool-"))
    for old in ours[:-_KEPT]:
        os.unlink(os.path.join(directory, old))
    return kept


def _write(path: str, data: bytes, *, like: str) -> None:
    """A new file, down to the disk, owned and guarded like another; what we left there goes."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(system_files.open_no_link(path, flags), "wb") as file:
        file.write(data)
        file.flush()
        with suppress(FileNotFoundError):
            system_files.copy_owner(file.fileno(), os.stat(like))
        os.fsync(file.fileno())


def _lock(fd: int, directory: str) -> None:
    for _ in range(int(_PATIENCE / _PAUSE)):
        try:
            lock(fd)
            return
        except BlockingIOError:
            sleep(_PAUSE)
        except OSError:  # some network disks know no locks; the look before the change remains
            return
    raise ConfigError(f"Another unspool process is changing {directory}. Try again later.")


_RECORD: Final = "hooks.json"
_BOM: Final = b"\xef\xbb\xbf"
_EMPTY: Final = "{}\n"


class Site(Struct, frozen=True):
    """The settings file, unspool's home, and the Python that runs our script."""

    settings: str
    home: str
    python: str

    @property
    def path(self) -> str:
        """The file itself: a link is followed, and stays a link."""
        return os.path.realpath(self.settings)

    @property
    def script(self) -> str:
        return os.path.join(self.home, SCRIPT)

    @property
    def spool(self) -> str:
        return os.path.join(self.home, SPOOL)

    @property
    def command(self) -> str:
        """The command of our entries."""
        return hook_command(self.python, self.script, self.spool)


def install(site: Site, now: int, *, dry_run: bool = False) -> HookChange:
    """Add our hooks, each once; the rest of the file stays unchanged."""
    with _alone(site, dry_run):
        data = current(site.path)
        found = _settings(site.path, data)
        after = found.installed(site.command)
        if not dry_run:
            _lay_out(site)
            if not found.has_ours():
                empty = msgspec.structs.replace(found.empty(), created=data is None)
                _remember(site, empty)
        return _changed(site, data, after, now, dry_run)


def uninstall(site: Site, now: int, *, dry_run: bool = False) -> HookChange:
    """Remove our hooks. The script stays: running sessions still call it."""
    if current(site.path) is None:
        return HookChange(site.settings, site.command, None, None)
    with _alone(site, dry_run):
        data = current(site.path)
        found = _settings(site.path, data)
        empty = _records(site).get(site.path, EmptySettings())
        after: str | None = found.uninstalled(empty)
        if found.has_ours() and empty.created and Settings(site.path, after or "").tree == {}:
            after = None
        change = _changed(site, data, after, now, dry_run)
        if not dry_run:
            _remember(site, None)
        return change


def status(site: Site, managed: Sequence[str] = ()) -> HookStatus:
    """The state of our hooks, and the settings that would stop them."""
    data = current(site.path)
    found = _settings(site.path, data)
    states = found.states(site.command)
    files = spool_files(site.spool)
    return HookStatus(
        settings=site.settings,
        exists=data is not None,
        installed=all(one.state in ("installed", "avoided") for one in states),
        command=site.command,
        script=_script_state(site),
        spool=site.spool,
        spool_files=len(files),
        spool_bytes=sum(file.size for file in files),
        switches=tuple(_switches(found, managed)),
        events=states,
    )


@contextmanager
def _alone(site: Site, dry_run: bool) -> Iterator[None]:
    places = {os.path.realpath(site.home), os.path.dirname(site.path)}
    with ExitStack() as held:
        for directory in () if dry_run else sorted(places):
            held.enter_context(alone(directory))
        yield


def _settings(path: str, data: bytes | None) -> Settings:
    try:
        return Settings(path, _EMPTY if data is None else data.removeprefix(_BOM).decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8. Nothing was changed; fix it first.") from error


def _changed(
    site: Site, data: bytes | None, after: str | None, now: int, dry_run: bool
) -> HookChange:
    before = None if data is None else data.removeprefix(_BOM).decode()
    backup = None
    if before != after and not dry_run:
        if data is not None:
            backup = back_up(site.path, data, _stamp(now))
        mark = _BOM if data and data.startswith(_BOM) else b""
        replace(site.path, None if after is None else mark + after.encode(), was=data)
    return HookChange(site.settings, site.command, before, after, backup)


def _stamp(now: int) -> str:
    return f"{datetime.fromtimestamp(now // 1000, UTC):%Y%m%dT%H%M%S}.{now % 1000:03}"


def _bundled() -> bytes:
    return Path(hook.__file__).read_bytes()


def _lay_out(site: Site) -> None:
    """Create script and spool before the settings refer to them."""
    private_directory(site.spool)
    _put(site.script, _bundled())


def _put(path: str, new: bytes) -> None:
    was = current(path)
    if was != new:
        replace(path, new, was=was)


def _script_state(site: Site) -> ScriptState:
    found = current(site.script)
    if found is None:
        return "missing"
    return "current" if found == _bundled() else "outdated"


def _switches(found: Settings, managed: Sequence[str]) -> Iterator[HookSwitch]:
    yield from (HookSwitch(found.path, name) for name in found.switches())
    for path in managed:
        try:
            data = current(path)
            names = _settings(path, data).switches()
        except UnspoolError:  # not ours to mend
            continue
        yield from (HookSwitch(path, name) for name in names)


def _records(site: Site) -> dict[str, EmptySettings]:
    data = current(os.path.join(site.home, _RECORD))
    try:
        return msgspec.convert(json.loads(shallow(data or b"{}")), dict[str, EmptySettings])
    except (ValueError, msgspec.MsgspecError):
        return {}


def _remember(site: Site, empty: EmptySettings | None) -> None:
    records = _records(site)
    records.pop(site.path, None)
    if empty:
        records[site.path] = empty
    made = json.dumps(msgspec.to_builtins(records), indent=2)
    _put(os.path.join(site.home, _RECORD), f"{made}\n".encode())
