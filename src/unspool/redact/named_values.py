"""Names that promise a secret, and the values beside them."""

import re
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits
from typing import Final

from unspool.redact.names import secret_kind
from unspool.redact.rules import SecretRule
from unspool.redact.spans import GAP, Runs, SecretSpan
from unspool.redact.values import LOOK, is_secret, is_varied

_QUOTE: Final = re.compile(r"\\{0,64}[\"'`]")
_PLAIN: Final = re.compile(r"[^\s\"'`<>&;,(){}\[\]\\|…]*")
_QUOTED_WORD: Final = re.compile(r"[^\s\"'`\\…]*")
_HEADER: Final = re.compile(r"[^\"'`\n\r\\]*")
_SCHEME: Final = re.compile(
    r"(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate)(?:[ \t]+|%20|\+)", re.IGNORECASE
)
_COOKIE: Final = re.compile(r"[\w.!#$%&*+^`|~-]{1,80}=[^\s;]")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=_-]*")
_BASE64_LETTERS: Final = ascii_letters + digits + "+/=_-"
_CREDENTIALS: Final = re.compile(r"[A-Za-z0-9+/=_.~:-]*")
_LONGEST: Final = 4_096
_LONGEST_HEADER: Final = 16_384
_HEADER_WORD: Final = re.compile(r"[^\s\"'`\\;,]*")
_COOKIE_TAIL: Final = 512

_QUOTES: Final = r"[\\\"'`]{0,66}"
_EQUALS: Final = rf"{_QUOTES}[ \t]{{0,8}}[:=][ \t]{{0,8}}"
# Between two fields: white space, plain or escaped, and what a listing or a diff adds to a line.
_FILL: Final = r"(?:[ \t\r\n+│|>→-]|\\{1,64}(?:[nrt]|u2192)|\d{1,6}(?=[\t→:|\\])){0,48}+"
_NOT_CODE: Final = r"(?![\s${<(\[])"
_TYPE_FIELD: Final = rf"(?:{_QUOTES}[tT]ype{_EQUALS}{_QUOTES}\w{{1,20}}{_QUOTES},?{_FILL})?"
# What follows a name: a variant of it, then what stands before its value.
_TO_VALUE: Final = (
    r"(?:[_-][A-Za-z0-9]{1,10}|\d{1,3})?(?P<end>)[\\\"'`\]]{0,66}"
    rf"(?:[ \t]{{0,8}}(?::=|=>|[=:]|%3[AaDd]|is )[ \t]{{0,8}}{_NOT_CODE}"
    # <password>x</password>
    rf"|(?:>|&gt;){_NOT_CODE}(?P<xml>)"
    # <key>Password</key> <string>x</string>
    rf"|<\\{{0,64}}/key>{_FILL}<string>(?P<plist>)"
    # "name": "PASSWORD", "value": "x"
    rf"|[,;]?{_FILL}{_TYPE_FIELD}{_QUOTES}(?:v|[A-Za-z]{{0,12}}V)alue{_EQUALS}{_NOT_CODE}(?P<pair>)"
    # PASSWORD 'x'
    rf"|[ \t]{{1,4}}(?=\\{{0,64}}[\"'])(?P<beside>)"
    # A call: define('PASSWORD', 'x')
    rf"|,[ \t]{{0,4}}(?=\\{{0,64}}[\"'])(?P<call>)"
    # "value": "x", "name": "PASSWORD"}
    rf"|{_FILL}\}}(?P<reverse>))"
)
_NAME_LETTERS: Final = ascii_letters + digits + "_.-"
_LONGEST_NAME: Final = 80
_KEY: Final = frozenset({"key", "Key", "KEY"})
_LONGEST_OWNER: Final = 21
_OPENED: Final = re.compile(r"(?:<|&lt;)(?:\w{1,20}:)?\Z")
_CLOSED: Final = re.compile(r"(?:<|&lt;)\\{0,64}/")
_ELEMENT_WORD: Final = re.compile(r"[^\s\"'`<>&\\…]*(?:&(?!lt;)[^\s\"'`<>&\\…]*)*")
_CUT: Final = re.compile(r"\Z|…|\\{0,64}\"")
_LONGEST_ELEMENT: Final = 512
_CALLED: Final = re.compile(r"\w\([ \t]{0,4}\\{0,64}[\"']\Z")
_LONGEST_CALL: Final = 72
_NAME_FIELD: Final = rf"(?:[nN]ame|NAME|[kK]ey|KEY){_EQUALS}{_QUOTES}[\w/.-]{{0,80}}\Z"
_IN_NAME_FIELD: Final = re.compile(_NAME_FIELD)
_VALUE_FIELD: Final = re.compile(
    rf"[vV]alue{_EQUALS}(\\{{0,64}}[\"'`])([^\"'`\\]{{4,4096}}+)\1,{_FILL}{_QUOTES}{_NAME_FIELD}"
)
_BACK: Final = 512
# So far before its name a value begins; it, too, may contain the word.
_VALUE_BACK: Final = 5_120
_TRIES: Final = 4


def _value_beside(runs: Runs, match: "re.Match[str]") -> Iterable[SecretSpan]:
    """The value that belongs to the name at a match."""
    text, last, at = runs.text, runs.value, match.end()
    # A name inside a secret adds nothing, unless its value continues on the next line.
    if last.start <= at < last.end and not GAP.match(text, last.end):
        return ()
    first, end = max(0, match.start() - _LONGEST_NAME), match.end("end")
    start = first + len(text[first:end].rstrip(_NAME_LETTERS))
    if start and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1  # the n of a \n
    name = text[start:end]
    if name in _KEY:
        name = _with_owner(text, start, name)
    if not (kind := secret_kind(name)):
        return ()
    found = list(_value(runs, match, (start, end), name, kind))
    if found:
        runs.value = found[-1]
    return found


def _with_owner(text: str, start: int, name: str) -> str:
    """The name of a key in prose: `api key` is api_key."""
    before = text[max(0, start - _LONGEST_OWNER) : start]
    owner = before[len(before[:-1].rstrip(ascii_letters)) : -1] if before[-1:] == " " else ""
    return f"{owner}_{name}" if owner else name


def _value(
    runs: Runs, match: "re.Match[str]", span: tuple[int, int], name: str, kind: str
) -> Iterator[SecretSpan]:
    text, at, (start, end) = runs.text, match.end(), span
    if match["reverse"] is not None:
        yield from _value_before(text, start, kind)
    elif match["xml"] is not None:
        yield from _element(runs, start, at, kind)
    elif match["plist"] is not None:
        yield from _judged(text, at, runs.end(at, _PLAIN), kind, is_quoted=True)
    elif match["beside"] is not None or match["call"] is not None:
        yield from _argument(runs, match, start, name, kind)
    elif match["pair"] is not None:
        if _IN_NAME_FIELD.search(text, max(0, start - _BACK), start):
            yield from _plain_value(runs, at, kind, is_env=name.isupper())
    elif text[end : end + 1] not in ("\\", '"', "'") or _QUOTE.match(text, at):
        # Environments are also written as PASSWORD: x.
        is_env = name.isupper() and (text[at - 1] == "=" or kind == "password")
        yield from _plain_value(runs, at, kind, is_env=is_env)
    # Otherwise an unquoted value of a quoted name: a number, or an identifier.


def _argument(
    runs: Runs, match: "re.Match[str]", start: int, name: str, kind: str
) -> Iterator[SecretSpan]:
    """The value in quotes after a name in quotes that is called with it, or after a bare name."""
    text, at = runs.text, match.end()
    if match["call"] is None:
        # Beside a variable, or the working directory, is another argument.
        is_name = name.lower() not in ("pass", "pwd") and text[start - 1 : start] != "$"
        is_one = kind == "password" and is_name and text[match.end("end")] in " \t"
    else:
        is_one = bool(_CALLED.search(text, max(0, start - _LONGEST_CALL), start))
    first, quote = value_start(text, at)
    end = value_end(runs, first, quote)
    value = text[first : min(end, first + LOOK)]
    if is_one and "(" not in value and not secret_kind(value):
        if kind in ("cookie", "credentials"):
            yield from _plain_value(runs, at, kind, is_env=False)
        else:
            yield from _judged(text, first, end, kind, is_quoted=name.isupper())


def _plain_value(runs: Runs, at: int, kind: str, *, is_env: bool) -> Iterator[SecretSpan]:
    start, quote = value_start(runs.text, at)
    if kind == "cookie":
        yield from _cookie(runs, start)
    elif kind == "credentials":
        yield from _credentials(runs, start)
    else:
        end = value_end(runs, start, quote)
        if not quote and runs.text.startswith("is ", at - 3):
            end = start + len(runs.text[start:end].rstrip("?!."))  # the end of the sentence
        is_env = is_env and not quote
        yield from _judged(runs.text, start, end, kind, is_quoted=bool(quote), is_env=is_env)


def _judged(
    text: str, start: int, end: int, kind: str, *, is_quoted: bool, is_env: bool = False
) -> Iterator[SecretSpan]:
    value = text[start : min(end, start + LOOK)]
    is_one = is_secret(value, kind, is_quoted=is_quoted, is_env=is_env)
    if is_one and not text.startswith("(", end):
        yield SecretSpan(start, end, "secret" if kind == "key" else kind)


def _element(runs: Runs, name: int, start: int, kind: str) -> Iterator[SecretSpan]:
    """The text of an XML element whose name starts at a position."""
    text = runs.text
    if not _OPENED.search(text, max(0, name - 25), name):
        return
    if closed := _CLOSED.search(text, start, start + _LONGEST_ELEMENT):
        end = closed.start()
    else:
        end = runs.end(start, _ELEMENT_WORD)
        is_cut = kind == "password" and _CUT.match(text, end)
        if not is_cut and not _CLOSED.match(text, end):
            return
    yield from _judged(text, start, end, kind, is_quoted=True)


def _value_before(text: str, name: int, kind: str) -> Iterator[SecretSpan]:
    """The value of a pair that has its name last."""
    first, at = max(0, name - _VALUE_BACK), name
    for _ in range(_TRIES):
        if (at := text.rfind("alue", first, at)) <= 0:
            return
        if pair := _VALUE_FIELD.match(text, at - 1, name):
            yield from _judged(text, *pair.span(2), kind, is_quoted=True)
            return


def value_start(text: str, at: int) -> tuple[int, str]:
    """Where a value begins, and the quote it is in."""
    quote = _QUOTE.match(text, at)
    return (quote.end(), quote[0]) if quote else (at, "")


def value_end(runs: Runs, start: int, quote: str) -> int:
    """Where a value ends: with its quotes, or with its word."""
    if quote:
        return _quote_end(runs, start, quote)
    end = runs.end(start, _PLAIN)
    # A value of only these characters may continue on the next line.
    if end - start >= 16 and runs.end(start, _BASE64) == end:
        value = runs.text[start : min(end, start + LOOK)]
        return runs.body_end(start, _BASE64, 0) if is_varied(value) else end
    return end


def _quote_end(runs: Runs, start: int, quote: str) -> int:
    """Where a quoted value ends: at a quote with no more escapes than the opening one."""
    text = runs.text
    at = text.find(quote[-1], start, start + _LONGEST)
    while at >= 0:
        escapes = at
        while escapes > start and text[escapes - 1] == "\\":
            escapes -= 1
        if at - escapes < len(quote):
            return escapes
        at = text.find(quote[-1], at + 1, start + _LONGEST)
    # It was cut off: its first word is all there is. Or it is longer than that.
    return runs.end(start, _PLAIN if len(text) <= start + _LONGEST else _QUOTED_WORD)


def _credentials(runs: Runs, at: int) -> Iterator[SecretSpan]:
    text = runs.text
    scheme = _SCHEME.match(text, at)
    start = scheme.end() if scheme else at
    is_signed = text.startswith("AWS4-", start)
    end = _line_end(runs, start) if is_signed else runs.body_end(start, _CREDENTIALS, 0)
    value = text[start : min(end, start + LOOK)]
    if (
        len(value) >= 8 - 4 * bool(scheme)
        and value[:1] not in "${<["
        and (is_varied(value) or text[end - 1] == "=")
    ):
        yield SecretSpan(start, end, "credentials")


def _cookie(runs: Runs, start: int) -> Iterator[SecretSpan]:
    """The cookies of a header, to the end of its line."""
    if _COOKIE.match(runs.text, start):
        end = _line_end(runs, start)
        tail = runs.text[max(start, end - _COOKIE_TAIL) : end]
        last = len(tail) - len(tail.rstrip(_BASE64_LETTERS))
        yield SecretSpan(start, runs.body_end(end - last, _BASE64, 0) if last else end, "cookie")


def cookie_in(runs: Runs, at: int) -> Iterator[SecretSpan]:
    """The cookies of an argument: to the end of its quotes, or of its word."""
    start, quote = value_start(runs.text, at)
    if _COOKIE.match(runs.text, start):
        yield SecretSpan(start, value_end(runs, start, quote), "cookie")


def _line_end(runs: Runs, start: int) -> int:
    end = runs.end(start, _HEADER)
    longest = start + _LONGEST_HEADER
    return end if end <= longest else runs.end(longest, _HEADER_WORD)


# Each begins with the rarest letter of its word. A set of letters next, look-behinds last: that
# fails soonest.
_WORDS: Final = {
    "k": r"[ei](?:y(?<=[A-Za-z_ -]key)|n(?<=[A-Za-z_-]ken)|e(?<=[A-Za-z_-]kie))",
    "K": r"[EIe](?:Y|N|E(?<=KIE)|y)",
    "p": (
        r"[awhs](?:ss(?:w(?:or)?d|[pP]hrase|(?<![A-Za-z]pass))|d(?<=pwd)|rase(?<=Passphrase)"
        r"|k(?<![A-Za-z]psk))"
    ),
    "P": (
        r"[AaWwh](?:SS(?:W(?:OR)?D|PHRASE|(?<=_PASS))|ss[wW](?:or)?d|D|d(?<=Pwd)"
        r"|rase(?<=PassPhrase))"
    ),
    "ecret": "",
    "C": r"RET(?<=SECRET)",
    "z": r"ation(?<=orization)",
}
RULES: Final = [SecretRule(sign, rest + _TO_VALUE, _value_beside) for sign, rest in _WORDS.items()]
