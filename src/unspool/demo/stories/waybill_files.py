"""Files of Waybill as the two weeks begin: read or searched in one line of a story.

They are stored as text below `waybill`. A story that comes later names what has changed since.
"""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import unified_diff
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from unspool.demo.script.steps import OPS, ScriptedCall, Story
from unspool.demo.script.tools import bash, grep, read

_SUFFIX = ".txt"  # no file of Waybill is code of ours
Change = tuple[str, str]
_OPS = """# Servers of Waybill

Backups, deployment and runbooks. No code of the application is here.

- `runbooks` say what to do, one page for each alarm; keep them short enough for three in the morning
- `deploy` has the compose files and the systemd units; staging gets every change a day earlier
- Backups are taken at 02:00 and kept for 30 days in `/backup/waybill`; a restore is tried every month
- Never run anything against production that this directory does not describe
- Logs: `journalctl --user -u waybill -u waybill-poller`
"""
_SKILLS = (
    "release: Prepare a release of Waybill: version, notes, upgrade from the last one, tag.",
    "migration: Write a migration that holds no lock for longer than five seconds, and measure it "
    "on the replica. Use it for every change of a table.",
    "carrier: Add a carrier or an event kind of one: payloads are recorded first, tests compare.",
    "replica: Figures from production, read only. Use it for counts, plans of queries and samples.",
    "recipient-text: Wording of mails and of the public page, in the three languages.",
    "weekly-updates: Dependencies of Python and of the web, one commit for each.",
)


def in_project(story: Story) -> Story:
    """The same story, with what every session in Waybill begins with."""
    memory = _OPS if story.cwd == OPS else files()["CLAUDE.md"]
    return replace(story, memory=memory, skills=_SKILLS)


def whole(path: str, *changes: Change) -> ScriptedCall:
    """Read a whole file, with what has changed in it since."""
    return read(path, changed(path, *changes))


def search(pattern: str, path: str = "") -> ScriptedCall:
    """Search the files, or those below a folder, for a pattern."""
    wanted = re.compile(pattern)
    found = (
        f"{name}:{number}:{row}"
        for name, text in files().items()
        if name.startswith(path)
        for number, row in enumerate(text.split("\n"), 1)
        if wanted.search(row)
    )
    return grep(pattern, "\n".join(found), path=path)


def show_diff(path: str, *changes: Change) -> ScriptedCall:
    """Look at what was changed in a file."""
    before, after = files()[path].split("\n"), changed(path, *changes).split("\n")
    rows = unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    return bash(f"git diff -- {path}", f"diff --git a/{path} b/{path}\n" + "\n".join(rows))


def changed(path: str, *changes: Change) -> str:
    """The text of a file after some changes, each of a text that is in it."""
    text = files()[path]
    for old, new in changes:
        if old not in text:
            raise ValueError(f"{path} has no {old!r}")
        text = text.replace(old, new)
    return text


@cache
def files() -> dict[str, str]:
    """Texts by path, in the order in which a search finds them."""
    found = _below(resources.files(__package__) / "waybill")
    return dict(sorted(found.items()))


def _below(folder: Traversable, path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for one in folder.iterdir():
        if one.is_dir():
            found |= _below(one, f"{path}{one.name}/")
        elif one.name.endswith(_SUFFIX):
            found[path + one.name.removesuffix(_SUFFIX)] = one.read_text("utf-8").rstrip("\n")
    return found
