"""`unspool index daemon install`: have systemd or launchd start the daemon at login."""

import os
import plistlib
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from unspool.cli import config, daemon, output
from unspool.cli.log_file import DAEMON_LOG
from unspool.errors import UnspoolError
from unspool.private_files import write_private
from unspool.show.spans import Line
from unspool.system.processes import stop_process, user_id

UNIT: Final = "unspool-index.service"
LABEL: Final = "unspool.index"
_MARK: Final = "Written by `unspool index daemon install`"
# What decides which directories are read, and where the index is.
_PASSED_ON: Final = ("UNSPOOL_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_ROOT")
_LISTS: Final = ("CLAUDE_CONFIG_DIR", "CLAUDE_ROOT")
_RETRY_SECONDS: Final = 60  # another process writes the index, `unspool serve` for one
_ANSWERS_WITHIN: Final = 60


class StartupFile(Struct, frozen=True, kw_only=True):
    """A file that has the system start the daemon, and the commands that make it do so."""

    path: Path
    text: bytes
    start: tuple[str, ...]
    stop: tuple[str, ...]
    reload: tuple[tuple[str, ...], ...] = ()  # whenever the file was changed
    is_loaded_once: bool = False  # what is loaded has to be stopped before it can be started


def run(options: Namespace) -> int:
    """Install or remove the file that starts the daemon at login."""
    file = startup_file(options.root, os.environ, sys.platform)
    act = _install if options.what == "install" else _uninstall
    act(file, options)
    return 0


def startup_file(roots: Sequence[str], env: Mapping[str, str], platform: str) -> StartupFile:
    """The file for this user; UnspoolError on a system that has neither systemd nor launchd."""
    command = daemon.command(roots)
    variables = {name: _absolute(name, env[name]) for name in _PASSED_ON if env.get(name)}
    if platform == "linux":
        return _systemd(command, variables, env)
    if platform == "darwin":
        return _launchd(command, variables)
    raise UnspoolError(
        "Starting at login is supported with systemd (Linux) and launchd (macOS). "
        f"Elsewhere, have your system run: {' '.join(command)}"
    )


def _absolute(name: str, value: str) -> str:
    """The system starts the daemon in another directory."""
    parts = value.split(",") if name in _LISTS else [value]
    return ",".join(os.path.abspath(os.path.expanduser(part.strip())) for part in parts if part)


def _systemd(
    command: Sequence[str], variables: Mapping[str, str], env: Mapping[str, str]
) -> StartupFile:
    above = env.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    # A variable is not looked for in the path of the program, only in its arguments.
    words = [_quoted(command[0]), *(_quoted(word).replace("$", "$$") for word in command[1:])]
    lines = [
        f"# {_MARK}; `unspool index daemon uninstall` removes it.",
        "[Unit]",
        "Description=unspool: index and archive the sessions of Claude Code",
        "StartLimitIntervalSec=0",
        "",
        "[Service]",
        f"ExecStart={' '.join(words)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in variables.items()),
        "Restart=on-failure",
        f"RestartSec={_RETRY_SECONDS}",
        "Nice=10",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    systemctl = ("systemctl", "--user")
    return StartupFile(
        path=Path(above, "systemd", "user", UNIT),
        text="".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"),
        start=(*systemctl, "enable", "--now", UNIT),
        stop=(*systemctl, "disable", "--now", UNIT),
        reload=((*systemctl, "daemon-reload"),),
    )


def _quoted(word: str) -> str:
    """A word of a unit: in quotes, with nothing in it that systemd would replace."""
    for sign, said in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("\n", "\\n"), ("\t", "\\t")):
        word = word.replace(sign, said)
    return f'"{word}"'


def _launchd(command: Sequence[str], variables: Mapping[str, str]) -> StartupFile:
    log = str(config.unspool_home().absolute() / DAEMON_LOG)
    content = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _RETRY_SECONDS,
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    path = Path(os.path.expanduser("~/Library/LaunchAgents"), f"{LABEL}.plist")
    head, _, rest = plistlib.dumps(content).partition(b"<plist")
    mark = f"<!-- {_MARK}; `unspool index daemon uninstall` removes it. -->\n".encode()
    domain = f"gui/{user_id()}"
    return StartupFile(
        path=path,
        text=head + mark + b"<plist" + rest,
        start=("launchctl", "bootstrap", domain, str(path)),
        stop=("launchctl", "bootout", f"{domain}/{LABEL}"),
        is_loaded_once=True,
    )


class InstallReport(Struct, frozen=True, kw_only=True):
    """What was done, as JSON; `run` are commands that are left to the user."""

    path: str
    changed: bool
    running: bool
    run: tuple[str, ...] = ()


def _install(file: StartupFile, options: Namespace) -> None:
    is_new = _current(file.path) != file.text
    commands = (*file.reload, file.start)
    if options.dry_run:
        _show(file, commands, options, is_new=is_new)
        return
    if is_new:
        write_private(file.path, [file.text])
    failure = _first_failure(file.reload) or _started(file, options, is_new=is_new)
    done = f"{'Wrote' if is_new else 'Already installed:'} {file.path}."
    left = _as_lines(commands) if failure else ()
    message = f"{done} The daemon is running, and starts at every login."
    if failure:
        message = f"{done} {failure} To start the daemon, run: {' && '.join(left)}"
    report = InstallReport(path=str(file.path), changed=is_new, running=not failure, run=left)
    _tell(report, [message], options)


def _started(file: StartupFile, options: Namespace, *, is_new: bool) -> str:
    """Have the system start the daemon; returns why it could not, or ""."""
    found = daemon.running(config.open_stores(options.root).home)
    if is_new and found is not None:
        stop_process(found.pid)  # one at a time: it was started by hand, or by the file of before
    if file.is_loaded_once:
        _first_failure([file.stop])
    return _first_failure([file.start])


def _uninstall(file: StartupFile, options: Namespace) -> None:
    is_there = _current(file.path) is not None
    report = InstallReport(path=str(file.path), changed=is_there, running=False)
    if not is_there:
        _tell(report, [f"Not installed: there is no {file.path}."], options)
        return
    if options.dry_run:
        _show(file, (file.stop, *file.reload), options, is_new=True)
        return
    failure = _first_failure([file.stop])
    file.path.unlink(missing_ok=True)
    _first_failure(file.reload)
    message = f"Removed {file.path}. The daemon no longer starts at login."
    if failure:
        message += f" {failure} If it still runs: unspool index daemon stop"
    _tell(report, [message], options)


def _current(path: Path) -> bytes | None:
    """What is installed; UnspoolError if somebody else wrote it."""
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    if _MARK.encode() not in found:
        raise UnspoolError(f"{path} was not written by unspool. Move it away, and try again.")
    return found


def _first_failure(commands: Sequence[Sequence[str]]) -> str:
    """Run commands up to the first that fails; returns why, or ""."""
    for command in commands:
        try:
            done = subprocess.run(  # noqa: S603 - the words are ours
                command, capture_output=True, timeout=_ANSWERS_WITHIN, check=False
            )
        except OSError as error:
            return f"{command[0]} cannot be run: {error.strerror or error}."
        except subprocess.TimeoutExpired:
            return f"{command[0]} does not answer."
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            reason = said[-1].rstrip(".") if said else f"exit code {done.returncode}"
            return f"{command[0]} reports: {reason}."
    return ""


def _as_lines(commands: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(shlex.join(command) for command in commands)


def _show(
    file: StartupFile,
    commands: Sequence[Sequence[str]],
    options: Namespace,
    *,
    is_new: bool,
) -> None:
    """What would be done."""
    left = _as_lines(commands)
    verb = "Would write" if options.what == "install" else "Would remove"
    text = file.text.decode("utf-8", "replace").splitlines() if options.what == "install" else []
    lines = [f"{verb} {file.path}", *(f"  {line}" for line in text), "and run"]
    lines += (f"  {line}" for line in left)
    _tell(
        InstallReport(path=str(file.path), changed=is_new, running=False, run=left), lines, options
    )


def _tell(report: InstallReport, lines: Sequence[str], options: Namespace) -> None:
    if options.json:
        output.write_json([msgspec.json.encode(report)])
    else:
        shown: list[Line] = [(("", line),) for line in lines]
        output.write(shown)
