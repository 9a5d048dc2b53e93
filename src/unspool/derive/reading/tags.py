"""The XML-like tags Claude Code puts into text: found, read, taken out.

Every search is a plain `find` that moves forward: hostile text with a million openings and no
closing costs one pass, where a lazy regular expression would cost a million.
"""

import hashlib
import re
from typing import Final

from msgspec import Struct

from unspool.model.message import AgentReport

HIDDEN: Final = ("system-reminder", "local-command-caveat")
INTERRUPTED: Final = "[Request interrupted by user"
SKILL: Final = "Base directory for this skill:"
_NOTIFICATIONS: Final = ("task-notification", "agent-notification")
_COMMAND: Final = ("command-name", "command-message", "command-args")
_READ_OUTPUT: Final = re.compile(r"Read the output file to retrieve the (?:full )?result:? ?\S*")
_ATTRIBUTE: Final = re.compile(r'([\w-]{1,40})="([^"]{0,2000})"')
_MENTION: Final = re.compile(r"(?<![\w@.])@([~\w][\w./~\\-]{0,1000}|\.\.?/[\w./-]{1,1000})")
_MOST_MENTIONS = 50
_MOST_TAG = 8_192


class Teammate(Struct, frozen=True):
    """A message another agent of the team sent."""

    id: str
    color: str
    summary: str
    text: str


def inner(text: str, tag: str, start: int = 0) -> str | None:
    """The text between the first `<tag>` and its closing, or to the end where it never closes."""
    opening = f"<{tag}>"
    begin = text.find(opening, start)
    if begin < 0:
        return None
    begin += len(opening)
    end = text.find(f"</{tag}>", begin)
    return text[begin:] if end < 0 else text[begin:end]


def without(text: str, tags: tuple[str, ...]) -> str:
    """The text with every whole span of these tags taken out."""
    for tag in tags:
        if f"<{tag}>" in text:
            text = _without_one(text, f"<{tag}>", f"</{tag}>")
    return text


def _without_one(text: str, opening: str, closing: str) -> str:
    kept, at = [], 0
    while (begin := text.find(opening, at)) >= 0:
        end = text.find(closing, begin)
        if end < 0:
            break
        kept.append(text[at:begin])
        at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept)


def visible(text: str) -> str:
    """What is left of a text when reminders and caveats are gone."""
    return without(text, HIDDEN).strip() if "<" in text else text.strip()


def command(text: str) -> str | None:
    """A slash command as the user typed it: "/name args"."""
    if "<command-" not in text:
        return None
    name = inner(text, "command-name")
    said = name if name is not None else inner(text, "command-message")
    if said is None:
        return None
    return f"/{said.strip().lstrip('/')} {(inner(text, 'command-args') or '').strip()}".strip()


def output(text: str) -> str | None:
    """The inside of a local command's or the shell's output."""
    for tag in ("local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"):
        if (found := inner(text, tag)) is not None and (found or tag.endswith("stderr")):
            return found
    return inner(text, "bash-input")


def sanitise(text: str) -> str:
    """The text as a person should read it."""
    if "<" not in text:
        return text.strip()
    text = visible(text)
    if text.startswith(("<local-command-std", "<bash-")):
        return (output(text) or "").strip()
    if text.startswith("<command-"):
        return command(text) or ""
    text = without(text, (*_NOTIFICATIONS, *_COMMAND))
    return _READ_OUTPUT.sub("", text).strip()


def is_teammate(text: str) -> bool:
    """Whether the text carries a team member's message, bare or under the newer preface."""
    if "<teammate-message" not in text:
        return False
    return text.startswith("<teammate-message") or (
        text.startswith("Another Claude session sent a message")
    )


def teammates(text: str) -> list[Teammate]:
    """Every teammate message in a text, whatever the order of its attributes."""
    found, at = [], 0
    while (begin := text.find("<teammate-message", at)) >= 0:
        close = text.find(">", begin, begin + _MOST_TAG)
        if close < 0:
            break
        given = dict(_ATTRIBUTE.findall(text[begin:close]))
        end = text.find("</teammate-message>", close)
        at = len(text) if end < 0 else end
        found.append(
            Teammate(
                given.get("teammate_id", ""),
                given.get("color", ""),
                given.get("summary", ""),
                text[close + 1 : at].strip(),
            )
        )
    return found


def notifications(text: str) -> list[AgentReport]:
    """What background tasks reported in a text."""
    found = []
    for tag in _NOTIFICATIONS:
        at = 0
        while (begin := text.find(f"<{tag}>", at)) >= 0:
            body = inner(text, tag, begin) or ""
            at = begin + len(body) + len(tag)
            found.append(
                AgentReport(
                    agent_id=(inner(body, "task-id") or inner(body, "agent-id") or "").strip(),
                    tool_use_id=(inner(body, "tool-use-id") or "").strip(),
                    status=(inner(body, "status") or "").strip(),
                )
            )
    return found


def is_notification(text: str) -> bool:
    """Whether a text is a background task's report."""
    return text.startswith(("<task-notification>", "<agent-notification>"))


def mentions(text: str) -> tuple[str, ...]:
    """The @paths a text names, in order, each once; an address such as me@foo.com is none."""
    if "@" not in text:
        return ()
    found: dict[str, None] = {}
    for match in _MENTION.finditer(text):
        found[match.group(1).rstrip(".,")] = None
        if len(found) >= _MOST_MENTIONS:
            break
    return tuple(found)


def digest(text: str) -> str:
    """A short stand-in for a prompt, to see later whether two were the same."""
    data = text.strip().encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=12).hexdigest() if data else ""
