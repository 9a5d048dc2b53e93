"""How often a sign may stand in a text before its secret is no longer found."""

from unspool.redact.rules import RuleSet


def found_at(rules: RuleSet, text: str, sign: str, *counts: int) -> list[bool]:
    """Whether rules find anything in a text with the sign so often in place of `{}`."""
    return [bool(list(rules.spans(text.replace("{}", sign * count)))) for count in counts]
