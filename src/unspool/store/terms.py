"""What a user typed -> terms: phrases in quotes, prefixes with a star, the rest word by word."""

import re
from typing import NamedTuple
from unicodedata import combining, normalize

LONGEST = 256

_TERM = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')


class Term(NamedTuple):
    """StringTable that stand side by side; with `is_prefix` the last may be longer."""

    text: str
    is_prefix: bool


def plain(text: str) -> str:
    """Text that can be sent anywhere: half characters are replaced."""
    return text.encode("utf-8", "replace").decode()


def terms(typed: str) -> list[Term]:
    """Every term that has a letter or a digit; operators are words like any other."""
    found = []
    for phrase, star, word in _TERM.findall(plain(typed[:LONGEST]).replace("\0", " ")):
        is_prefix = bool(star) or word.endswith("*")
        text = phrase or word.rstrip("*")
        if any(map(str.isalnum, text)):
            found.append(Term(text, is_prefix))
    return found


def found(wanted: list[Term], body: str) -> bool:
    """Whether a text has every term: the plain meaning of a search."""
    has = words(body)
    return all(_has(term, has) for term in wanted)


def _has(term: Term, has: list[str]) -> bool:
    asked = words(term.text)
    for start in range(len(has) - len(asked) + 1):
        side_by_side = has[start : start + len(asked)]
        if side_by_side == asked:
            return True
        is_longer = side_by_side[:-1] == asked[:-1] and side_by_side[-1].startswith(asked[-1])
        if term.is_prefix and is_longer:
            return True
    return False


def words(text: str) -> list[str]:
    """The words of a text: letters and digits, without case and accents."""
    plain = "".join(c for c in normalize("NFKD", text.lower()) if not combining(c))
    return "".join(c if c.isalnum() else " " for c in plain).split()
