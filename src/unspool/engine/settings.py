"""`UNSPOOL_HOME/unspool.toml` -> settings; what cannot be used is said, and the rest holds."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from unspool.derive.alerts.rules import NOTICES, read_rules, with_notices
from unspool.model.alerts import AlertRule
from unspool.model.health import Finding
from unspool.model.shipping import MODES, ShipMode
from unspool.source.claude_code import is_name
from unspool.source.safe_open import read_whole

FILE: Final = "unspool.toml"
_LONGEST: Final = 1024 * 1024
_LONGEST_NAME: Final = 100
_AT: Final = re.compile(r"\(at line (\d+), column \d+\)")
_HUB: Final = re.compile(r"""(?m)^[ \t]*\[*[ \t]*["']?hub\b""")
TABLES: Final = ("alerts", "notify", "projects", "hub", "keep")
KEEP_KEYS: Final = ("text", "bytes", "rows")
HUB_KEYS: Final = ("exclude", "allow_reads", "takes")
NOTIFY_KEYS: Final = ("command", "timeout", "at_once", "desktop", "webhook", "ntfy", "kinds")


class Notify(Struct, frozen=True, kw_only=True):
    """Where alerts are sent, and which kinds of notices there are without a rule."""

    desktop: bool = False
    webhook: str = ""  # an address, and a secret: anyone who knows it can write there
    ntfy: str = ""
    kinds: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # its words, never a line for a shell
    timeout: int = 10  # seconds
    at_once: int = 2


class UserSettings(Struct, frozen=True, kw_only=True):
    """What the user has settled; without a file, what everybody gets."""

    rules: tuple[AlertRule, ...] = ()
    notify: Notify = Notify()
    projects: tuple[tuple[str, tuple[str, ...]], ...] = ()  # a name, and paths or globs
    private: tuple[str, ...] = ()  # directories, or globs, of which nothing goes to a hub
    keep: Mapping[str, int] = {}  # for how many days a hub keeps what; nothing: for ever
    takes: ShipMode = "raw"  # for a hub: the mode that sends the most it takes
    allow_reads: bool = False  # whether people may read raw lines through the hub
    trouble: tuple[str, ...] = ()


def settings(home: Path) -> UserSettings:
    """Read the file; it may be missing."""
    data = read_whole(home / FILE, _LONGEST)
    if data is None:
        if not (home / FILE).exists():
            return UserSettings()
        trouble = (f"{FILE} cannot be read.",)
        return UserSettings(private=("**",), takes=MODES[0], trouble=trouble)
    return decoded(data.decode("utf-8-sig", "replace"))


def decoded(text: str) -> UserSettings:
    """The settings in a text, with a sentence for each that cannot be used."""
    found, trouble = _parsed(text)
    notify = found.get("notify", {})
    if not isinstance(notify, Mapping):
        trouble.append(
            _at(text, "notify", "notify must be a table: write [notify] above its lines")
        )
        notify = {}
    trouble += (_unknown(text, name, TABLES) for name in found if name not in TABLES)
    trouble += (_unknown(text, name, NOTIFY_KEYS) for name in notify if name not in NOTIFY_KEYS)
    usable, wrong = read_rules(found)
    trouble += (_of_rule(text, one) for one in wrong)
    notify = _notify(text, notify, trouble)
    usable = with_notices(usable, notify.kinds)
    projects = tuple(_projects(text, found, trouble))
    # Of one that is left out nobody knows what it keeps here.
    hub = found.get("hub", None if _HUB.search(text) else {})
    private = _excluded(text, hub, trouble)
    allow_reads, takes = _allow_reads(text, hub, trouble), _takes(text, hub, trouble)
    keep = _keep(text, found.get("keep", {}), trouble)
    return UserSettings(
        rules=usable,
        notify=notify,
        projects=projects,
        private=private,
        keep=keep,
        allow_reads=allow_reads,
        takes=takes,
        trouble=tuple(trouble),
    )


def findings(home: Path) -> Iterator[Finding]:
    """What the doctor has to say of them."""
    found = settings(home)
    if found.trouble:
        yield Finding(
            about="settings",
            grade="wrong",
            said=f"Some of {FILE} cannot be used.",
            fix=f"$EDITOR {home / FILE}",
            details=found.trouble,
        )


def _parsed(text: str) -> tuple[dict[str, Any], list[str]]:
    """The tables of a file; where one is broken it is left out, and the others are read."""
    lines, kept, trouble = text.splitlines(), list[str](), list[str]()
    if isinstance(whole := _loaded(text), dict):
        return whole, trouble
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    for first, end in pairwise([0, *heads, len(lines)]):
        part = _loaded("\n".join(lines[first:end]))
        if isinstance(part, dict):
            kept += lines[first:end]
        else:
            trouble.append(_broken(part, first))
            kept += [""] * (end - first)
    rest = _loaded("\n".join(kept))
    return (rest, trouble) if isinstance(rest, dict) else ({}, [*trouble, _broken(rest, 0)])


def _loaded(text: str) -> dict[str, Any] | Exception:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return error


def _broken(error: Exception, first: int) -> str:
    match = _AT.search(str(error))
    number = first + (int(match[1]) if match else 1)
    reason = re.sub(r" \(at .*", "", str(error))
    return f"{FILE} line {number}: {reason}. Its table is left out."


def _at(text: str, key: str, message: str) -> str:
    """A sentence with the line it is about."""
    shown = re.compile(rf"[ \t]*(?:\[+[ \t]*)?[\"']?{re.escape(key)}\b")
    lines = enumerate(text.splitlines(), 1)
    number = next((number for number, line in lines if shown.match(line)), 1)
    return f"{FILE} line {number}: {message}."


def _unknown(text: str, name: str, known: tuple[str, ...]) -> str:
    return _at(text, name, f"unknown setting {name!r}; use one of {', '.join(known)}")


def _of_rule(text: str, message: str) -> str:
    number = re.match(r"Alert (\d+)", message)
    heads = [at for at, line in enumerate(text.splitlines(), 1) if "[[alerts]]" in line]
    if number is None or int(number[1]) > len(heads):
        return _at(text, "alerts", message.rstrip("."))
    return f"{FILE} line {heads[int(number[1]) - 1]}: {message}"


def _notify(text: str, table: Mapping[str, Any], trouble: list[str]) -> Notify:
    desktop = table.get("desktop", False)
    if not isinstance(desktop, bool):
        trouble.append(_at(text, "desktop", "desktop must be true or false"))
    webhook, ntfy = (_address(text, table, key, trouble) for key in ("webhook", "ntfy"))
    return Notify(
        desktop=desktop is True,
        webhook=webhook,
        ntfy=ntfy,
        kinds=_kinds(text, table, trouble) if desktop is True or webhook or ntfy else (),
        command=_command(text, table, trouble),
        timeout=_number(text, table, "timeout", Notify().timeout, trouble),
        at_once=_number(text, table, "at_once", Notify().at_once, trouble),
    )


def _address(text: str, table: Mapping[str, Any], key: str, trouble: list[str]) -> str:
    """An address of the web; a message never has it, as it is a secret."""
    value = table.get(key, "")
    if value == "":
        return ""
    try:
        parts = urlsplit(value if isinstance(value, str) else "")
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    else:
        is_usable = is_usable and value.isascii() and value.isprintable() and " " not in value
        is_usable = is_usable and "@" not in parts.netloc
        is_usable = is_usable and (key == "webhook" or parts.path.strip("/") != "")
    if is_usable:
        return str(value)
    example = "https://ntfy.sh/my-topic" if key == "ntfy" else "https://example.com/hook"
    trouble.append(_at(text, key, f'{key} must be an address: write {key} = "{example}"'))
    return ""


def _kinds(text: str, table: Mapping[str, Any], trouble: list[str]) -> tuple[str, ...]:
    """The kinds that are on; without a word on it, all."""
    given = table.get("kinds", list(NOTICES))
    if not isinstance(given, list):
        trouble.append(_at(text, "kinds", 'kinds must be a list: write kinds = ["waiting"]'))
        return tuple(NOTICES)
    for one in given:
        if one not in NOTICES:
            trouble.append(
                _at(text, "kinds", f"unknown kind {one!r}; use one of {', '.join(NOTICES)}")
            )
    return tuple(kind for kind in NOTICES if kind in given)


def _number(text: str, table: Mapping[str, Any], key: str, default: int, trouble: list[str]) -> int:
    value = table.get(key, default)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 2**40:
        return value
    trouble.append(_at(text, key, f"{key} must be a whole number of at least 1; using {default}"))
    return default


def _command(text: str, table: Mapping[str, Any], trouble: list[str]) -> tuple[str, ...]:
    words = table.get("command", [])
    if isinstance(words, list) and all(isinstance(one, str) and "\0" not in one for one in words):
        return tuple(words)
    message = 'command must be a list of words: write ["notify-send", "{message}"]'
    trouble.append(_at(text, "command", message))
    return ()


def _excluded(text: str, table: object, trouble: list[str]) -> tuple[str, ...]:
    """Directories that stay on this machine; a list that cannot be read keeps all of them here."""
    if not isinstance(table, Mapping):
        if table is not None:
            trouble.append(_at(text, "hub", "hub must be a table: write [hub] above its lines"))
        return ("**",)
    trouble += (_unknown(text, name, HUB_KEYS) for name in table if name not in HUB_KEYS)
    given = table.get("exclude", [])
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return tuple(one for one in given if one.strip())
    message = (
        'exclude must be a list of paths, so nothing is sent: write exclude = ["~/private/**"]'
    )
    trouble.append(_at(text, "exclude", message))
    return ("**",)


def _keep(text: str, table: object, trouble: list[str]) -> dict[str, int]:
    """Days, or nothing for what is kept for ever; what cannot be read is kept."""
    if not isinstance(table, Mapping):
        trouble.append(_at(text, "keep", "keep must be a table: write [keep] above its lines"))
        return {}
    trouble += (_unknown(text, name, KEEP_KEYS) for name in table if name not in KEEP_KEYS)
    found = {}
    for name in KEEP_KEYS:
        value = table.get(name, "ever")
        days = re.fullmatch(r"([1-9][0-9]{0,4})d", value) if isinstance(value, str) else None
        if days:
            found[name] = int(days[1])
        elif value != "ever":
            message = (
                f'{name} must be a number of days or "ever"; using "ever": write {name} = "90d"'
            )
            trouble.append(_at(text, name, message))
    return found


def _allow_reads(text: str, table: object, trouble: list[str]) -> bool:
    given = table.get("allow_reads", False) if isinstance(table, Mapping) else False
    if not isinstance(given, bool):
        trouble.append(_at(text, "allow_reads", "allow_reads must be true or false"))
    return given is True


def _takes(text: str, table: object, trouble: list[str]) -> ShipMode:
    """A mode; where it cannot be read, the one that sends the least."""
    given = table.get("takes", "raw") if isinstance(table, Mapping) else None
    found = next((mode for mode in MODES if mode == given), None)
    if found is None and given is not None:
        modes = ", ".join(MODES)
        trouble.append(_at(text, "takes", f"takes must be one of {modes}; using {MODES[0]}"))
    return found or MODES[0]


def _projects(
    text: str, found: Mapping[str, Any], trouble: list[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names of projects, each with the directories it is for."""
    table = found.get("projects", {})
    if not isinstance(table, Mapping):
        message = "projects must be a table: write [projects] above its lines"
        trouble.append(_at(text, "projects", message))
        return
    for name, paths in table.items():
        given = [paths] if isinstance(paths, str) else paths
        is_usable = isinstance(given, list) and all(isinstance(one, str) for one in given)
        if is_usable and is_name(name) and name.isprintable() and len(name) <= _LONGEST_NAME:
            yield name, tuple(one for one in given if one.strip())
        else:
            message = (
                f'project {name!r} must be a name with a list of paths: write shop = ["~/shop"]'
            )
            trouble.append(_at(text, name, message))
