"""Rules that find secrets, and one search for all of them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from unspool.redact.spans import Runs, SecretSpan

Reader = Callable[[Runs, "re.Match[str]"], Iterable[SecretSpan]]


class SecretRule(NamedTuple):
    """A pattern, and what reads the secret at each match.

    `sign` is literal text that most texts lack; `rest` is what follows it, as a pattern.
    """

    sign: str
    rest: str
    read: Reader


class RuleSet:
    """Rules, searched together: those with the same sign take one pass over a text."""

    def __init__(self, rules: Iterable[SecretRule]) -> None:
        self._readers: dict[str, Reader] = {}
        rests: defaultdict[str, list[str]] = defaultdict(list)
        for number, rule in enumerate(rules):
            self._readers[f"rule{number}"] = rule.read
            # An empty group at its end says which rule matched, and delays no failure.
            rests[rule.sign].append(f"{rule.rest}(?P<rule{number}>)")
        self._gates = [
            (sign, re.compile(f"{re.escape(sign)}(?:{'|'.join(some)})"))
            for sign, some in rests.items()
        ]

    def spans(self, text: str) -> set[SecretSpan]:
        """What the rules find, in any order; spans may overlap."""
        runs: Runs | None = None
        readers = self._readers
        found: set[SecretSpan] = set()
        for sign, gate in self._gates:
            if sign in text:
                for match in gate.finditer(text, text.index(sign)):
                    runs = runs or Runs(text)
                    if some := readers[match.lastgroup](runs, match):  # type: ignore[index]
                        found.update(some)
        return found
