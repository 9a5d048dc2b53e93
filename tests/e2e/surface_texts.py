"""What `show` and an export as Markdown say of a session -> the field names of `surface_fields`."""

import re
from typing import Final

from tests.e2e.surface_fields import Facts, Shown, dollars, first, heading
from unspool.show import labels

AT_MOST: Final = "At most: without an index"  # the note that explains the sign
_STATES: Final = {f"{sign.shape} {sign.phrase}": state for state, sign in labels.STATUSES.items()}
_RULE: Final = "\n" + "─" * 40
_BOUNDS: Final = {"at least": (True, False), "at most": (False, True), "about": (True, True)}
_KINDS: Final = {
    "in": "input_tokens",
    "out": "output_tokens",
    "cache read": "cache_read_tokens",
    "cache write": "cache_creation_tokens",
}


def of_show(text: str) -> Facts:
    """The header and the footer of `show`."""
    title, about, status, *_ = text.split("\n")
    footer = text.rpartition(_RULE)[2]
    proof = re.search(r"\((registry|hook|transcript|inferred)\)", status)
    return {
        "title": heading(title),
        "state": next(state for sign, state in _STATES.items() if status.startswith(sign)),
        "evidence": proof and proof[1],
        "capped": capped(footer),
        **_cost(about.split(" · ")[-1], footer),
        **_tokens(footer),
    }


def capped(text: str) -> int:
    """How many responses cost more than is believed of one."""
    return int(first(r"(\d+) responses? capped", text) or 0)


def _cost(above: str, footer: str) -> Facts:
    """Dollars and in what way they are a bound; they stand above and below."""
    (sign, below) = re.findall(r"^Cost +(at least|at most|about)? ?(\S+)", footer, re.M)[0]
    is_least, is_most = _BOUNDS.get(sign, (False, False))
    both = {dollars(above), Shown(below)}
    return {
        "usd": Shown(below) if len(both) == 1 else Shown(f"{above} above {below}"),
        "lower_bound": is_least,
        # Where it is neither too much nor too little, one word for both is enough.
        "at_most": AT_MOST in footer and (is_most or is_least or below == "$0.00"),
    }


def _tokens(footer: str) -> Facts:
    (counts,) = re.findall(r"^Tokens +(.*)", footer, re.M)[:1]
    shown = (part.partition(" ") for part in counts.split(" · "))
    return {_KINDS[kind]: Shown(count) for count, _, kind in shown}


def of_markdown(text: str) -> Facts:
    """The line below the title of an export."""
    facts = [part.replace("\\", "") for part in text.split("\n\n")[1].split(" · ")]
    money = [part for part in facts if dollars(part).startswith("$")]
    return _marked(money[0]) if money else {}


def _marked(money: str) -> Facts:
    """Dollars with a sign where they are a bound; nothing is nothing at most."""
    is_signed = dollars(money) != "$0.00"
    told = {"at_most": money[0] in "≤≈"} if is_signed else {}
    return {"usd": dollars(money), "lower_bound": money[0] in "≥≈", **told}
