"""`hub.json`: where the hub is, this machine's key, and how much leaves it."""

import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from unspool.errors import UsageError
from unspool.json_depth import shallow
from unspool.model.shipping import ShipMode
from unspool.private_files import write_private
from unspool.serve.places import is_loopback

FILE: Final = "hub.json"


class HubSettings(Struct, frozen=True, kw_only=True):
    """What a machine keeps of its hub, and nothing else: the archive is the queue."""

    url: str
    machine: str
    key: str
    mode: ShipMode = "redacted"


def read_settings(home: Path) -> HubSettings | None:
    """What was kept, if this machine is enrolled."""
    try:
        return msgspec.json.decode(shallow((home / FILE).read_bytes()), type=HubSettings)
    except (OSError, ValueError):
        return None


def write_settings(home: Path, settings: HubSettings) -> None:
    """Keep it, for nobody but the user."""
    write_private(home / FILE, [msgspec.json.encode(settings)], durable=True)
    os.chmod(home / FILE, 0o600)


def hub_url(text: str) -> str:
    """The address of a hub; UsageError where others could read what is sent there."""
    wrong = UsageError(f"--hub {text!r} is not an address such as https://hub.example.com")
    try:
        parts = urlsplit(text)
        host, is_named = parts.hostname or "", parts.port != 0
    except ValueError as error:
        raise wrong from error
    is_bare = not (parts.query or parts.fragment or "@" in parts.netloc)
    if parts.scheme not in ("http", "https") or not (host and is_named and is_bare):
        raise wrong
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(f"--hub {text} would send sessions and the key unprotected: use https://")
    return text.rstrip("/")
