"""`unspool hooks`: install, uninstall, status."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import Final

import msgspec

from unspool.cli import arguments, config, output, paths
from unspool.errors import UnspoolError
from unspool.model.health import Finding, HookChange
from unspool.show.text import hooks as show
from unspool.source import installer
from unspool.source.installer import Site
from unspool.source.settings import WANTED

_MANAGED: Final = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:/Program Files/ClaudeCode",
}


def run(args: list[str]) -> int:
    """Install, uninstall or show the status."""
    options = make_parser().parse_args(args)
    site = _site(options.settings)
    if options.action == "status":
        _status(site, options)
        return 0
    act = installer.install if options.action == "install" else installer.uninstall
    change = act(site, config.now(), dry_run=options.dry_run)
    _tell(change, site, options)
    return 0


def findings() -> Iterator[Finding]:
    """Findings for `unspool doctor`: without hooks a wait for approval is only inferred."""
    try:
        found = installer.status(_site(None), _managed())
    except UnspoolError as error:
        yield Finding(about="hooks", grade="wrong", said=str(error), fix="unspool hooks status")
        return
    off = tuple(f"{switch.name} in {switch.path}" for switch in found.switches)
    if found.installed and not off:
        yield Finding(about="hooks", said="Installed: Claude Code reports events as they happen.")
    elif found.installed:
        message = "The hooks are installed, but a setting may keep them from running."
        yield Finding(
            about="hooks", grade="note", said=message, fix="unspool hooks status", details=off
        )
    else:
        message = (
            "No hooks: what waits for approval is inferred, and how long it waited is unknown."
        )
        yield Finding(about="hooks", grade="note", said=message, fix="unspool hooks install")


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "hooks", "Install hooks, so that Claude Code reports events as they happen."
    )
    actions = ("install", "uninstall", "status")
    parser.add_argument(
        "action", nargs="?", default="status", choices=actions, help="default: status"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change without making it")
    parser.add_argument(
        "--settings", metavar="FILE", help="edit this file instead of your own settings.json"
    )
    return parser


def _site(named: str | None) -> Site:
    own = Path(paths.scope().places[0].path, "settings.json")
    settings = Path(named).expanduser() if named else own
    # A venv may be deleted; the Python it is based on stays.
    python = getattr(sys, "_base_executable", "") or sys.executable
    return Site(str(settings.absolute()), str(config.unspool_home().absolute()), python)


def _status(site: Site, options: Namespace) -> None:
    found = installer.status(site, _managed())
    if options.json:
        output.write_json([msgspec.json.encode(found)])
    else:
        output.write(show.hook_status(found, config.frame(sys.stdout).width))


def _tell(change: HookChange, site: Site, options: Namespace) -> None:
    if options.json:
        output.write_json([msgspec.json.encode(_answer(change, options))])
    elif options.dry_run:
        output.write(show.patch_lines(change) if change.changed else [(("", "No change."),)])
    elif options.action == "uninstall":
        output.write(show.uninstall_lines(change))
    else:
        output.write(show.install_lines(change, len(WANTED)))
        output.write(show.warning_lines(installer.status(site, _managed()).switches))


def _answer(change: HookChange, options: Namespace) -> dict[str, object]:
    return {
        "action": options.action,
        "settings": change.settings,
        "changed": change.changed,
        "dryRun": options.dry_run,
        "backup": change.backup,
        "command": change.command,
        "diff": "\n".join(show.patch(change)),
    }


def _managed() -> list[str]:
    """Settings files of an administrator."""
    place = f"{_MANAGED.get(sys.platform, '/etc/claude-code')}/managed-settings"
    return [f"{place}.json", *sorted(glob(f"{place}.d/*.json"))]
