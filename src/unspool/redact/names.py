"""Names that promise a secret, and the value that stands beside them."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.redact.spans import GAP, Found, Runs
from unspool.redact.values import after, flagged

# What may follow a name, then what separates it from its value, quotes and their escapes between.
_TO_VALUE: Final = (
    r"(?:[_-][A-Za-z0-9]{1,10}|\d{1,3})?"
    r"[\\\"'`\]]{0,66}[ \t]{0,8}(?::=|=>|[=:]|%3[AaDd]|is )[ \t]{0,8}(?![\s${<(\[])"
)
# Each begins with one letter, the rarest of the word: between two of those it costs little.
_GATES: Final = {
    "k": re.compile(r"k(?<=[A-Za-z_-]k)(?:e[yn]|ie)" + _TO_VALUE),  # key, token, cookie
    "K": re.compile(r"K(?:E[YN]|IE|ey)" + _TO_VALUE),
    "w": re.compile(r"w(?<=[sp]w)(?:or)?d" + _TO_VALUE),  # password, passwd, pwd
    "W": re.compile(r"W(?:OR)?D" + _TO_VALUE),
    "ass": re.compile(r"ass(?<=[pP]ass)(?:[pP]hrase|(?<=pass)(?<![A-Za-z]pass))" + _TO_VALUE),
    "S": re.compile(r"S(?<=PAS)S(?:PHRASE|(?<=_PASS))" + _TO_VALUE),
    "ecret": re.compile(r"ecret" + _TO_VALUE),
    "C": re.compile(r"C(?<=SEC)RET" + _TO_VALUE),
    "z": re.compile(r"z(?<=oriz)ation" + _TO_VALUE),  # authorization
}
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,80}\Z")
_ESCAPED: Final = re.compile(r"\\+[nrt]\Z")
_END: Final = re.compile(r"[A-Za-z0-9_-]*")
_OPTION: Final = re.compile(
    r"-(?:(?<=--)(?:[a-z]{1,20}-){0,4}(password|passwd|passphrase|pass|token|secret|key)"
    r"(?:[ \t]{1,4}|[\\\"']{1,65},[ \t]{0,4}(?=[\\\"']))"
    r"|(?:(?<= -)u|(?<=--)user|(?<=sshpass -)(p)) ?=? ?[\\\"']{0,65})"
)
_PAIR: Final = re.compile(r"([A-Za-z0-9_.@+-]{1,64}):(?!\[redacted)([^\s\"'\\:/]{4,128})")


def named(runs: Runs) -> Iterator[Found]:
    """Values of names such as password, api_key and Authorization, however they are written."""
    text = runs.text
    for needle, gate in _GATES.items():
        if needle in text:
            last = 0
            for match in gate.finditer(text):
                # A name inside a secret says nothing new, unless its value goes on in a next line.
                if match.end() >= last or GAP.match(text, last):
                    for one in _beside(runs, match):
                        last = one.end
                        yield one


def options(runs: Runs) -> Iterator[Found]:
    """Values of options on a command line: --password x, -u name:password."""
    text = runs.text
    if "-" not in text:
        return
    for match in _OPTION.finditer(text):
        word = match[1] or (match[2] and "password")
        if word:
            yield from flagged(runs, match.end(), word)
        elif (pair := _PAIR.match(text, match.end())) and not pair[2].isdecimal():
            yield Found(*pair.span(2), "password")


def _beside(runs: Runs, match: "re.Match[str]") -> Iterator[Found]:
    """The whole name that ends at a match, and its value after it."""
    text, at = runs.text, match.start()
    end = runs.end(at, _END)
    begun = _NAME.search(text, max(0, at - 80), end)
    name = begun[0] if begun else ""
    if begun and _ESCAPED.search(text, max(0, begun.start() - 9), begun.start() + 1):
        name = name[1:]  # the n of a \n
    is_tight, is_quoted = text[match.end() - 1] == "=", text[end : end + 1] in ("\\", '"', "'")
    yield from after(runs, match.end(), name, is_tight=is_tight, is_quoted=is_quoted)
