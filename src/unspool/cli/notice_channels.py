"""One alert -> the desktop, a webhook, ntfy, or the user's command; each says what went wrong."""

import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable
from html import escape
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final, TypeAlias
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from unspool.engine.settings import Notify
from unspool.model.alerts import Alert
from unspool.show import safe
from unspool.system.processes import NEW_GROUP, kill_group

_DESKTOP: Final = {
    "linux": ["notify-send", "--app-name=unspool", "--"],
    "darwin": [
        "osascript",
        "-e", "on run argv",
        "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
        "-e", "end run",
    ],
}  # fmt: skip


class Notice(Struct, frozen=True, kw_only=True):
    """A clean alert, and where it leads."""

    alert: Alert
    url: str = ""  # '' while no server runs

    @property
    def title(self) -> str:
        """A line to put above the message."""
        return f"unspool: {self.alert.title or self.alert.rule}"


# Sends a notice; returns what went wrong, or ''.
Send: TypeAlias = Callable[[Notice], str]


class Channel(Struct, frozen=True, kw_only=True):
    """A way to the user."""

    name: str  # as the subject of a sentence; never has a secret
    send: Send
    at_once: int = 1


def channels(notify: Notify) -> list[Channel]:
    """The ways that the settings name."""
    found = []
    if notify.command:
        name = f"The alert command {safe.brief(notify.command[0], 60)}"
        found.append(Channel(name=name, send=_to_command(notify), at_once=notify.at_once))
    if notify.desktop:
        found.append(Channel(name="The desktop notification", send=_to_desktop(notify.timeout)))
    for kind, address, request in (
        ("webhook", notify.webhook, webhook_request),
        ("ntfy address", notify.ntfy, ntfy_request),
    ):
        if address:
            name = f"The {kind} {shown_address(address)}"
            found.append(Channel(name=name, send=_to_web(address, request, notify.timeout)))
    return found


def shown_address(address: str) -> str:
    """As much of an address as may be shown: the rest lets others write there."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}/…"


def words(command: Iterable[str], alert: Alert, url: str = "") -> list[str]:
    """The words of a command, with {message} and the like filled in."""
    values = {"message": alert.message, "rule": alert.rule, "session": alert.session}
    values |= {"project": alert.project, "key": alert.key, "title": alert.title, "url": url}
    return [_word(template, values) for template in command]


def _word(template: str, values: dict[str, str]) -> str:
    # In one pass: text of a transcript may itself look like a placeholder.
    text = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), template)
    # Such text must not become an option of the command.
    return f" {text}" if text.startswith("-") and not template.startswith("-") else text


def _to_command(notify: Notify) -> Send:
    def send(notice: Notice) -> str:
        given = msgspec.json.encode(notice.alert) + b"\n"
        return _run(words(notify.command, notice.alert, notice.url), given, notify.timeout)

    return send


def _to_desktop(timeout: int) -> Send:
    def send(notice: Notice) -> str:
        return _run(desktop_command(notice, sys.platform), b"", timeout)

    return send


def desktop_command(notice: Notice, platform: str) -> list[str]:
    """The words that show a notice; no text of it is an option or a command."""
    body = "\n".join(filter(None, (notice.alert.message, notice.url)))
    if platform != "darwin":
        body = escape(body, quote=False)  # which reads it as markup
    texts = (f" {text}" if text.startswith("-") else text for text in (notice.title, body))
    return [*_DESKTOP.get(platform, _DESKTOP["linux"]), *texts]


class WebRequest(Struct, frozen=True):
    """What is posted."""

    body: bytes
    headers: dict[str, str]


def webhook_request(notice: Notice) -> WebRequest:
    """JSON, with the `text` that Slack and its like show."""
    alert = notice.alert
    lines = "\n".join(filter(None, (notice.title, alert.message, notice.url)))
    content = {
        "text": escape(lines, quote=False),  # or "<!channel>" in a transcript would call everybody
        "rule": alert.rule,
        "message": alert.message,
        "title": alert.title,
        "session": alert.session,
        "project": alert.project,
        "at": alert.at,
        "url": notice.url,
    }
    return WebRequest(msgspec.json.encode(content), {"Content-Type": "application/json"})


def ntfy_request(notice: Notice) -> WebRequest:
    """The message as it is; its title and the page it leads to as headers."""
    headers = {"Title": _header(notice.title), "Content-Type": "text/plain; charset=utf-8"}
    if notice.url:
        headers["Click"] = notice.url
    return WebRequest(notice.alert.message.encode(), headers)


def _header(text: str) -> str:
    """A header's value; what is not ASCII is encoded as mail does it, which ntfy reads."""
    if text.isascii():
        return text
    return f"=?UTF-8?B?{b64encode(text.encode()).decode()}?="


def _to_web(address: str, request: Callable[[Notice], WebRequest], timeout: int) -> Send:
    parts = urlsplit(address)

    def send(notice: Notice) -> str:
        try:
            return _post(parts, request(notice), timeout)
        except TimeoutError:
            return f"did not answer within {timeout} s."
        except (OSError, HTTPException, ValueError) as error:
            return f"cannot be reached: {getattr(error, 'strerror', None) or type(error).__name__}."

    return send


def _post(parts: SplitResult, request: WebRequest, timeout: int) -> str:
    """Post once; no other address is asked, whatever the answer says."""
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, request.body, request.headers)
        status = connection.getresponse().status
    finally:
        connection.close()
    return "" if 200 <= status < 300 else f"answered {status}."


def _run(command: list[str], given: bytes, timeout: int) -> str:
    """Run a command to its end; returns what went wrong, or ''."""
    try:
        child = subprocess.Popen(  # noqa: S603 - the user's own words, and no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
    except (OSError, ValueError) as error:
        return f"cannot be run: {getattr(error, 'strerror', None) or error}."
    try:
        child.communicate(given, timeout)
    except subprocess.TimeoutExpired:
        kill_group(child)
        child.communicate()
        return f"took more than {timeout} s and was killed."
    return f"failed with exit code {child.returncode}." if child.returncode else ""
