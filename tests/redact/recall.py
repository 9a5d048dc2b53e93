"""How many made-up secrets are found, and how many ordinary texts are taken for one.

`python -m tests.redact.recall` prints the figures by kind.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from tests.redact.ordinary_texts import ordinary
from tests.redact.secret_kinds import FORMS, evaluation
from tests.redact.secrets import is_out
from unspool.redact import redact

LEAST_RECALL: Final = 0.98
MOST_ALARMS: Final = 0.001


class Share(NamedTuple):
    """How many of some texts."""

    part: int
    of: int

    @property
    def value(self) -> float:
        """As a part of one."""
        return self.part / self.of


class Measured(NamedTuple):
    """What is found, and what is left, by kind and form; ordinary texts that changed, by sort."""

    found: dict[tuple[str, str], Share]
    left: list[str]
    changed: dict[str, Share]
    alarms: list[str]


@cache
def measured() -> Measured:
    """The figures of both sets: the same on every machine."""
    found, of, left = Counter[tuple[str, str]](), Counter[tuple[str, str]](), []
    for form, one in evaluation():
        place = (one.name, form)
        of[place] += 1
        if is_out(one, clean := redact(one.text)):
            left.append(f"{one.name}, {form}: {clean}")
        else:
            found[place] += 1
    changed, texts, alarms = Counter[str](), Counter[str](), []
    for sort, text in ordinary():
        texts[sort] += 1
        if (clean := redact(text)) != text:
            changed[sort] += 1
            alarms.append(f"{sort}: {clean}")
    return Measured(
        {place: Share(found[place], count) for place, count in of.items()},
        left,
        {sort: Share(changed[sort], count) for sort, count in texts.items()},
        alarms,
    )


def total(shares: Iterable[Share]) -> Share:
    """All of them together."""
    counts = list(shares)
    return Share(sum(one.part for one in counts), sum(one.of for one in counts))


def lines() -> list[str]:
    """The rows that docs/security.md has: for each form, and for ordinary texts."""
    found, _, changed, _ = measured()
    shown = {"line": "in a line", "file": "in a file", "nested": "in JSON inside a JSON string"}
    shares = {
        f"secrets found, {shown[form]}": total(
            share for (_, where), share in found.items() if where == form
        )
        for form in FORMS
    }
    shares["secrets found, all"] = total(found.values())
    shares["ordinary texts changed"] = total(changed.values())
    return [
        f"| {name} | {share.part:,} of {share.of:,} | {share.value:.3%} |"
        for name, share in shares.items()
    ]


def main() -> None:
    """Print all figures, and each text that has the wrong answer."""
    found, left, changed, alarms = measured()
    for name in dict.fromkeys(name for name, _ in found):
        print(f"{name:32}", *(f"{form} {found[name, form].part:2}" for form in FORMS))
    for sort, share in changed.items():
        print(f"{sort:32} {share.part}/{share.of} changed")
    print(*left, *alarms, *lines(), sep="\n")


if __name__ == "__main__":
    main()
