"""The rules in docs/alerts.md, read as they stand there."""

import re
import tomllib

import pytest

from tests.conftest import REPOSITORY
from unspool.derive.alerts.rules import BUILT_IN, KINDS, read_rules

PAGE = (REPOSITORY / "docs" / "alerts.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_can_be_used_as_it_stands(example: str) -> None:
    found, troubles = read_rules(tomllib.loads(example))

    assert (len(found), troubles) == (example.count("[[alerts]]"), ())


def test_every_kind_of_rule_has_an_example() -> None:
    shown = {
        rule["when"]
        for text in EXAMPLES
        for rule in tomllib.loads(text)["alerts"]
        if "when" in rule
    }

    assert shown == set(KINDS)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_rule_is_told_of(name: str) -> None:
    assert f"| `{name}` |" in PAGE
