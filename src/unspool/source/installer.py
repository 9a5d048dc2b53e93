"""Our hooks into a settings file, out of it, and how they stand there."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from unspool.errors import ConfigError, UnspoolError
from unspool.model.health import EmptySettings, HookChange, HookStatus, HookSwitch, ScriptState
from unspool.source import hook
from unspool.source.entries import SCRIPT, hook_command
from unspool.source.replace import alone, back_up, current, replace
from unspool.source.settings import Settings
from unspool.source.spool import SPOOL, spool_files

_RECORD: Final = "hooks.json"
_BOM: Final = b"\xef\xbb\xbf"
_EMPTY: Final = "{}\n"


class Site(Struct, frozen=True):
    """Which settings, where unspool lives, and the Python that runs our script."""

    settings: str
    home: str
    python: str

    @property
    def path(self) -> str:
        """The file itself: a link is followed, and stays a link."""
        return os.path.realpath(self.settings)

    @property
    def script(self) -> str:
        """Where our script lies."""
        return os.path.join(self.home, SCRIPT)

    @property
    def spool(self) -> str:
        """Where it leaves the events."""
        return os.path.join(self.home, SPOOL)

    @property
    def command(self) -> str:
        """What our entries run."""
        return hook_command(self.python, self.script, self.spool)


def install(site: Site, now: int, *, dry_run: bool = False) -> HookChange:
    """Put our hooks in, each once; the rest of the file stays as it is."""
    with _alone(site, dry_run):
        data = current(site.path)
        found = _settings(site.path, data)
        after = found.installed(site.command)
        if not dry_run:
            _lay_out(site)
            if not found.has_ours():
                husks = msgspec.structs.replace(found.husks(), created=data is None)
                _remember(site, husks)
        return _changed(site, data, after, now, dry_run)


def uninstall(site: Site, now: int, *, dry_run: bool = False) -> HookChange:
    """Take our hooks out. The script stays: a running session knows its hooks by heart."""
    if current(site.path) is None:
        return HookChange(site.settings, site.command, None, None)
    with _alone(site, dry_run):
        data = current(site.path)
        found = _settings(site.path, data)
        husks = _records(site).get(site.path, EmptySettings())
        after: str | None = found.uninstalled(husks)
        if found.has_ours() and husks.created and Settings(site.path, after or "").tree == {}:
            after = None
        change = _changed(site, data, after, now, dry_run)
        if not dry_run:
            _remember(site, None)
        return change


def status(site: Site, managed: Sequence[str] = ()) -> HookStatus:
    """How our hooks stand, and what would keep them from running."""
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
        raise ConfigError(f"{path} is not UTF-8. Nothing was changed; mend it first.") from error


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
    """Have all there is to run before anything says to run it."""
    os.makedirs(site.spool, 0o700, exist_ok=True)
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
        return msgspec.convert(json.loads(data or b"{}"), dict[str, EmptySettings])
    except (ValueError, msgspec.MsgspecError):
        return {}


def _remember(site: Site, husks: EmptySettings | None) -> None:
    records = _records(site)
    records.pop(site.path, None)
    if husks:
        records[site.path] = husks
    made = json.dumps(msgspec.to_builtins(records), indent=2)
    _put(os.path.join(site.home, _RECORD), f"{made}\n".encode())
