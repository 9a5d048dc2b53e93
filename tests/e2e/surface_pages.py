"""What a page says of a session -> the field names of `surface_fields`."""

import re
from html import unescape
from typing import Final

from tests.e2e.surface_fields import (
    TOKENS,
    Facts,
    Shown,
    count,
    dollars,
    first,
    heading,
    reset_shown,
)
from unspool.show.html.components import EVIDENCE_LABELS

_STATES: Final = {
    "wait": "waiting_for_approval",
    "work": "working",
    "limit": "limited",
    "fail": "failed",
    "turn": "waiting_for_input",
    "idle": "idle",
    "ended": "ended",
}
_COUNTED: Final = {
    "input": "input_tokens",
    "cache write": "cache_creation_tokens",
    "cache read": "cache_read_tokens",
    "output": "output_tokens",
}


def of_page(html: str) -> Facts:
    """The head of a session's page, or of an export as HTML."""
    head = html.partition('<header class="shead"')[2].partition("</header>")[0]
    titles = [unescape(text) for text in re.findall(r'title="([^"]*)"', head)]
    shown = [unescape(text) for text in re.findall(r'<span class="num[^>]*>([^<]*)', head)]
    facts: Facts = {"title": heading(first(r'<h1 title="([^"]*)"', head))}
    facts["state"] = _STATES[first(r'class="st st-(\w+)"', head)]
    facts |= reset_shown(first(r'class="st st-limit"[^>]*>(.*?)</p>', head))
    facts |= _proof(titles) | _times(titles) | _spent(shown, titles)
    pending = first(r'class="askline"[^>]*data-at="([^"]*)"', head)
    # Of calls at work the head says nothing.
    facts |= {"pending": pending or None} if pending or facts["state"] != "working" else {}
    facts["models"] = Shown(first(r'<span class="num">([^<]*)', head))
    pressed = re.search(r'data-mark="pinned"[^>]*aria-pressed="(\w+)"', head)
    return facts | ({"pinned": pressed[1] == "true"} if pressed else {})


def of_list_page(row: str) -> Facts:
    """A row of the page that lists sessions."""
    cost = re.search(r'c-cost">.*?title="([^"]*)">([^<]*)', row, re.S)
    return {
        "title": heading(first(r'<a class="quiet" href="/s/[^>]*>([^<]*)', row)),
        "state": _STATES[first(r'class="st st-(\w+)"', row)],
        **reset_shown(first(r'class="st st-limit"[^>]*>(.*?)</td>', row)),
        "start": first(r'<time datetime="([^"]*)"', row) or None,
        "duration": Shown(first(r'<td class="r hide opt">([^<]*)', row).replace("0.0 s", "")),
        "usd": dollars(unescape(cost[2])) if cost else Shown(""),
        "tokens": int((cost[1] if cost else "0").partition(" token")[0].replace(",", "")),
        **count("agent_count", first(r"#i-agent[^>]*></svg>(\d+)", row)),
        **count("compactions", first(r"#i-cut[^>]*></svg>(\d+)", row)),
        "source_gone": '<span class="chip">archived' in row,
        "pinned": '"pinned"' in row and 'title="Unpin"' in row,
        "hidden": 'class="is-hidden"' in row,
    }


def _proof(titles: list[str]) -> Facts:
    sentences = {f"Status {text}.": word for word, text in EVIDENCE_LABELS.items()}
    for text in titles:
        if text in sentences:
            return {"evidence": sentences[text]}
    return {}


def _times(titles: list[str]) -> Facts:
    for text in titles:
        if found := re.fullmatch(r"From (\S+) to (\S+)\.", text):
            return {name: _time(found[at]) for at, name in ((1, "start"), (2, "end"))}
    return {}


def _time(text: str) -> str | None:
    return None if text == "None" else text


def _spent(shown: list[str], titles: list[str]) -> Facts:
    facts: Facts = {}
    for text in shown:
        if dollars(text).startswith("$") or text == "unpriced":
            facts["usd"] = dollars(text)
        elif text.endswith(" tokens"):
            facts["tokens"] = Shown(text.removesuffix(" tokens"))
    sentence = next((text for text in titles if text.startswith(("Tokens, ", "No token "))), "")
    counts = re.findall(r"([\d,]+) (input|cache write|cache read|output)",
                        sentence)  # fmt: skip
    said = {_COUNTED[kind]: int(count.replace(",", "")) for count, kind in counts}
    return facts | ({**dict.fromkeys(TOKENS, 0), **said} if sentence else {})
