"""Untrusted text -> Markdown that shows it and nothing more."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from markdown_it.token import Token

from unspool.show import safe
from unspool.show.markdown import PLAIN_NOTE, markdown_tokens

_TICKS: Final = re.compile("`+")
_SIGNS: Final = re.compile(r"[\\`*_\[\]<>~|&!$]")
_START: Final = re.compile(r"^([^\S\n]*)([#+=:-]|\d{1,9}(?=[.)]))", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z0-9+#_.-]{1,30}\Z")
_ADDRESS: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+\Z", re.IGNORECASE)
_LOOSE: Final = re.compile(r"[<>()\[\]\\`\"'|*_~\s]")


def fenced(text: str, language: str = "") -> str:
    """A code block; its fence is longer than any inside."""
    body = "\n".join(safe.lines(text))
    fence = "`" * max(3, _longest(body) + 1)
    tag = language if _WORD.match(language) else ""
    return f"{fence}{tag}\n{body}\n{fence}"


def inline_code(text: str) -> str:
    """Inline code."""
    content = safe.line(" ".join(text.split()))
    if not content:
        return ""
    ticks = "`" * (_longest(content) + 1)
    room = " " if content[0] == "`" or content[-1] == "`" else ""
    return f"{ticks}{room}{content}{room}{ticks}"


def escape_text(text: str) -> str:
    """Text with all Markdown escaped."""
    lines = "\n".join(safe.line(part) for part in text.split("\n"))
    return _START.sub(_held, _SIGNS.sub(r"\\\g<0>", lines))


def _held(match: re.Match[str]) -> str:
    space, sign = match.groups()
    # A backslash before a digit is a backslash: the dot after it is held instead.
    return f"{space}{sign}\\" if sign[0].isdigit() else f"{space}\\{sign}"


def escape_html(text: str) -> str:
    """Text with HTML escaped, on one line."""
    return escape(safe.brief(text), quote=True)


def safe_url(href: str) -> str:
    """A safe URL; "" if the scheme is not allowed."""
    if not _ADDRESS.match(href):
        return ""
    return _LOOSE.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), href)


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


_SPANS: Final = {"em_open": "*", "em_close": "*", "strong_open": "**", "strong_close": "**",
                 "s_open": "~~", "s_close": "~~"}  # fmt: skip


def rewrite_markdown(text: str) -> str:
    """Markdown rewritten with quotes, lists, tables, code and emphasis; everything else is text."""
    if not text.strip():
        return ""
    tokens = markdown_tokens(text)
    return "\n\n".join(_blocks(tokens)) if tokens else f"*{PLAIN_NOTE}*\n\n{fenced(text)}"


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    """Block by block, nested blocks indented."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _end(tokens, at)
        block = _block(token, tokens[at + 1 : end])
        if block:
            yield block
        at = end + 1


def _end(tokens: Sequence[Token], at: int) -> int:
    """The index of the closing token."""
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    for place in range(at + 1, len(tokens)):
        if tokens[place].nesting == -1 and tokens[place].level == level:
            return place
    return len(tokens) - 1


def _block(token: Token, inside: Sequence[Token]) -> str:
    kind = token.type
    if kind in ("fence", "code_block"):
        return fenced(token.content, token.info.strip().split(" ")[0])
    if kind == "hr":
        return "***"
    if kind == "blockquote_open":
        return quoted("\n\n".join(_blocks(inside)))
    if kind in ("bullet_list_open", "ordered_list_open"):
        return _list(token, inside)
    if kind == "table_open":
        return _table(inside)
    content = "".join(_inline(one.children or ()) for one in inside if one.type == "inline")
    # Headings of ours are larger: nothing in a text can stand beside them.
    return f"##### {' '.join(content.split())}" if kind == "heading_open" else content


def quoted(text: str) -> str:
    """A block quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _list(token: Token, inside: Sequence[Token]) -> str:
    number = int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None
    items: list[str] = []
    at = 0
    while at < len(inside):
        end = _end(inside, at)
        sign = "- " if number is None else f"{min(number + len(items), 999_999_999)}. "
        body = "\n\n".join(_blocks(inside[at + 1 : end]))
        moved = (f"{' ' * len(sign)}{line}".rstrip() for line in body.split("\n"))
        items.append(sign + "\n".join(moved).lstrip())
        at = end + 1
    return "\n".join(items)


def _table(inside: Sequence[Token]) -> str:
    rows: list[list[str]] = []
    for token in inside:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            # A cell ends at any bar that has no backslash before it, in code too.
            cell = " ".join(_inline(token.children or ()).split())
            rows[-1].append(cell.replace("\\|", "|").replace("|", "\\|"))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) if lines else ""


def _inline(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    links: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            links.append(safe_url(str(token.attrGet("href") or "")))
            parts.append("[" if links[-1] else "")
        elif token.type == "link_close":
            href = links.pop() if links else ""
            parts.append(f"](<{href}>)" if href else "")
        elif token.type == "code_inline":
            parts.append(inline_code(token.content))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append("\n" if token.type == "softbreak" else "\\\n")
        else:
            parts.append(_SPANS.get(token.type) or _text(token.content, parts))
    return "".join(parts)


def _text(text: str, before: list[str]) -> str:
    """Escaped text; line starts need more escaping than the middle of a line."""
    starts = not before or before[-1].endswith("\n")
    return escape_text(text) if starts else escape_text(f"x{text}")[1:]
