"""Five hundred ways to write a path where an id belongs."""

from itertools import product
from urllib.parse import quote

_UP = (
    "..",
    "...",
    "....//",
    "..\\",
    "..;",
    "%2e%2e",
    "%252e%252e",
    ".%00.",
    "．．",
    "%c0%ae%c0%ae",
)
_SEPARATORS = ("/", "\\", "%2f", "%252f", "%5c", "//", "/./", "%c0%af")
_GOALS = ("secret.jsonl", "outside/secret", "etc/passwd", "runtime.json")
_LONE = (
    ".", "..", "", " ", "\0", "%00", "~", "~root", "$HOME", "*", "?", "-", "--", "C:",
    "C:\\Windows", "con", "nul", "file::$DATA", "file:///etc/passwd", "\\\\host\\share",
    "//host/share", "a" * 300, "a" * 5_000, "\r\n", "\x1b[31m", "session-one\0.jsonl",
    "session-one%00", "session-one.jsonl",
    "session-one/", "./session-one", "session-one/../session-one", "agent-x", "link", "linked",
    "../claude/projects", "\u202egnp", "é", "漢字", "\ud800", "latest", "sess",
)  # fmt: skip


def traversals(outside: str) -> list[str]:
    """Paths in disguise, some of them to a file that is really there."""
    climbs = (
        (up + separator) * depth + goal
        for up, separator, goal, depth in product(_UP, _SEPARATORS, _GOALS, (1, 4))
    )
    whole = [outside, f"/{outside}", f"file://{outside}", quote(outside, safe=""), f"x{outside}"]
    return [*_LONE, *whole, *climbs]
