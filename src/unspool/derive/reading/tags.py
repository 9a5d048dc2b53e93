"""The XML-like tags Claude Code puts into text: found, read, taken out.

Every search moves forward and none is tried again from each opening: hostile text with a
million openings and no closing costs one pass, where a lazy pattern would cost a million.
"""

import hashlib
import re
from typing import Final

from msgspec import Struct

from unspool.model.message import AgentReport

# In this order: what is escaped twice is unescaped once. (`xml.sax` would load an HTTP client.)
_ESCAPES: Final = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&amp;": "&",
}

# What the client or an editor puts beside a person's words.
HIDDEN: Final = (
    "system-reminder",
    "local-command-caveat",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
    "user-prompt-submit-hook",
    "session-start-hook",
    "post-tool-use-hook",
)
# What a program sends where a person's prompt would stand.
_EVENTS: Final = (
    "ci-monitor-event",
    "github-webhook-activity",
    "scheduled-task",
    "channel(?=\\s)",  # bare, it may be a feed that somebody pasted
    "channel-message",
    "mcp-resource-update",
    "mcp-polling-update",
)
MEMORY: Final = "user-memory-input"
INTERRUPTED: Final = "[Request interrupted by user"
SKILL: Final = "Base directory for this skill:"
_NOTIFICATIONS: Final = ("task-notification", "agent-notification")
_COMMAND: Final = ("command-name", "command-message", "command-args")
_ATTRIBUTES: Final = r'((?:\s++[\w-]{1,40}="[^"]{0,2000}")*+)\s*+>'
_OUTPUT: Final = re.compile(r"\s*+<(bash-(?:input|stdout|stderr)|local-command-std(?:out|err))>")
_READ_OUTPUT: Final = re.compile(r"Read the output file to retrieve the (?:full )?result:? ?\S*")
_ATTRIBUTE: Final = re.compile(r'([\w-]{1,40})="([^"]{0,2000})"')
_TEAMMATE: Final = re.compile(rf"<(teammate-message|cross-session-message){_ATTRIBUTES}")
_EVENT: Final = re.compile(rf"\s*+<({'|'.join(_EVENTS)}){_ATTRIBUTES}")
_FIELD: Final = re.compile(r"^[ \t]*+<([\w-]{1,40})>([^<\n]*+)</\1>[ \t]*+$", re.MULTILINE)
# The look back comes after the "@": so the search can jump from one to the next.
_MENTION: Final = re.compile(
    r'@(?<![\w@.]@)(?:"([^"\n]{1,1000})"|([~\w][\w./~\\-]{0,1000}|\.\.?/[\w./-]{1,1000}))'
)
_TEAM: Final = ("<teammate-message", "<cross-session-message")
_MOST_MENTIONS: Final = 50
_MOST_REPORTS: Final = 200
_MOST_WORD: Final = 200


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
    name = (inner(text, "command-name") or inner(text, "command-message") or "").strip()
    if not name:
        return None
    return f"/{name.lstrip('/')} {(inner(text, 'command-args') or '').strip()}".strip()


def memory(text: str) -> str | None:
    """A note for Claude's memory as the user typed it: "# always use uv"."""
    noted = inner(text, MEMORY) if text.startswith(f"<{MEMORY}>") else None
    return None if noted is None else f"# {noted.strip().removeprefix('#').lstrip()}".strip()


def event(text: str) -> str | None:
    """What a program sent: the text between its tags, fields as "name: value"; None for others."""
    opening = _EVENT.match(text)
    if opening is None:
        return None
    begin, closing = opening.end(), f"</{opening[1]}>"
    end = text.find(closing, begin)
    parts = (text[begin:],) if end < 0 else (text[begin:end], text[end + len(closing) :])
    said = (_FIELD.sub(r"\1: \2", part).strip() for part in parts)
    return "\n\n".join(filter(None, said))


def output(text: str) -> str | None:
    """What a text that begins with a command's or the shell's output says; None for others."""
    told, at = [], 0
    while opening := _OUTPUT.match(text, at):
        body = inner(text, opening[1], at) or ""
        told.append(body.strip())
        at = opening.end() + len(body) + len(f"</{opening[1]}>")
    return "\n".join(filter(None, told)) if told else None


def sanitise(text: str) -> str:
    """The text as a person should read it."""
    if "<" not in text:
        return text.strip()
    text = visible(text)
    for read in (output, memory, event):
        if (told := read(text)) is not None:
            return told
    if text.startswith("<command-") and (typed := command(text)) is not None:
        return typed
    text = without(text, (*_NOTIFICATIONS, *_COMMAND))
    return _READ_OUTPUT.sub("", text).strip()


def is_teammate(text: str) -> bool:
    """Whether the text carries a team member's message, bare or under the newer preface."""
    is_one = text.startswith((*_TEAM, "Another Claude session sent a message"))
    return is_one and any(opening in text for opening in _TEAM)


def teammates(text: str) -> list[Teammate]:
    """Every teammate message in a text, whatever the order of its attributes."""
    found, at = [], 0
    while opening := _TEAMMATE.search(text, at):
        given = dict(_ATTRIBUTE.findall(opening[2]))
        end = text.find(f"</{opening[1]}>", opening.end())
        at = len(text) if end < 0 else end
        found.append(
            Teammate(
                given.get("teammate_id") or given.get("from-name", ""),
                given.get("color", ""),
                given.get("summary", ""),
                text[opening.end() : at].strip(),
            )
        )
    return found


def notifications(text: str) -> list[AgentReport]:
    """What background tasks reported in a text."""
    found: list[AgentReport] = []
    for tag in _NOTIFICATIONS:
        at = 0
        while (begin := text.find(f"<{tag}>", at)) >= 0 and len(found) < _MOST_REPORTS:
            body = inner(text, tag, begin) or ""
            at = begin + len(body) + len(tag)
            agent = _word(body, "task-id") or _word(body, "agent-id")
            found.append(AgentReport(agent, _word(body, "tool-use-id"), _word(body, "status")))
    return found


def _word(text: str, tag: str) -> str:
    return (inner(text, tag) or "")[:_MOST_WORD].strip()


def reported(text: str) -> str:
    """A background task's report as a person should read it: its summary, and any result."""
    found = (inner(text, "summary"), inner(text, "result"))
    told = [_unescaped(one.strip()) for one in found if one and one.strip()]
    if told or (left := sanitise(text)):
        return "\n\n".join(told) or left
    words = _word(text, "task-id") or _word(text, "agent-id"), _word(text, "status")
    return ": ".join(filter(None, words))


def _unescaped(text: str) -> str:
    """Newer versions escape a report; one that still has a bracket was never escaped."""
    if "&" not in text or "<" in text or ">" in text:
        return text
    for escape, sign in _ESCAPES.items():
        text = text.replace(escape, sign)
    return text


def mentions(text: str) -> tuple[str, ...]:
    """The @paths a text names, in order, each once; an address such as me@foo.com is not one."""
    if "@" not in text:
        return ()
    found: dict[str, None] = {}
    for match in _MENTION.finditer(text):
        found[match[1] or match[2].rstrip(".")] = None
        if len(found) >= _MOST_MENTIONS:
            break
    return tuple(found)


def digest(text: str) -> str:
    """A short stand-in for a prompt, to see later whether two were the same."""
    data = text.strip().encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=12).hexdigest() if data else ""
