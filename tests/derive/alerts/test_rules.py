import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.alerts.rules import BUILT_IN, KINDS, NOTICES, read_rules, with_notices
from unspool.model.alerts import (
    CostRule,
    EditingRule,
    ErrorRule,
    FailingRule,
    InputRule,
    TokensRule,
    WaitingRule,
)

SMALLEST: dict[str, dict[str, Any]] = {
    "waiting": {"seconds": 60},
    "question": {},
    "finished": {},
    "limited": {},
    "failed": {},
    "quota": {"above": 80},
    "failing": {"times": 3},
    "editing": {"times": 5},
    "error": {},
    "input": {"matches": "x"},
    "tokens": {"above": 8_000},
    "cost": {"above": 5},
}


def trouble(**fields: Any) -> str:
    found, troubles = read_rules({"alerts": [fields]})
    assert not found
    (said,) = troubles
    return said


def test_rules_come_from_toml() -> None:
    text = """
        [[alerts]]
        when = "waiting"
        seconds = 90
        [[alerts]]
        name = "no force"
        when = "input"
        tool = "Bash"
        field = "command"
        matches = 'push.*--force'
        [[alerts]]
        when = "cost"
        above = 2.5
        of = "day"
    """

    assert read_rules(tomllib.loads(text)) == (
        (
            WaitingRule(name="waiting", seconds=90),
            InputRule(name="no force", matches="push.*--force", tool="Bash", field="command"),
            CostRule(name="cost", above=2_500_000_000_000, of="day"),
        ),
        (),
    )


def test_without_a_section_there_are_no_rules() -> None:
    assert read_rules({}) == ((), ())


def test_no_built_in_rule_is_in_use_by_itself() -> None:
    assert read_rules({"alerts": []}) == ((), ())


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_rule_is_used_by_its_name(name: str) -> None:
    found, troubles = read_rules({"alerts": [{"use": name}]})

    assert ([rule.name for rule in found], troubles) == ([name], ())


def test_a_built_in_rule_can_be_changed() -> None:
    found, _ = read_rules({"alerts": [{"use": "high-tokens", "above": 20_000, "name": "big"}]})

    assert found == (TokensRule(name="big", above=20_000),)


def test_a_rule_can_be_switched_off() -> None:
    assert read_rules({"alerts": [{"use": "tool-error", "enabled": False}]}) == ((), ())


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("waiting", WaitingRule),
        ("failing", FailingRule),
        ("editing", EditingRule),
        ("error", ErrorRule),
        ("input", InputRule),
        ("tokens", TokensRule),
        ("cost", CostRule),
    ],
)
def test_each_kind_makes_its_rule(kind: str, made: type) -> None:
    found, troubles = read_rules({"alerts": [{"when": kind, **SMALLEST[kind]}]})

    assert ([type(rule) for rule in found], troubles) == ([made], ())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if SMALLEST[kind]])
def test_a_rule_that_lacks_what_it_needs_is_left_out(kind: str) -> None:
    assert f"lacks {next(iter(SMALLEST[kind]))}" in trouble(when=kind)


# devtools 123
@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)", "x" * 101, "(a", ""])
def test_a_pattern_that_cannot_be_used_is_left_out(pattern: str) -> None:
    assert "cannot be used: " in trouble(when="input", matches=pattern)
    assert "cannot be used: " in trouble(when="error", ignore=[pattern])


def test_a_pattern_may_repeat_what_repeats() -> None:
    assert read_rules({"alerts": [{"when": "input", "matches": "(a+|b)+$"}]})[1] == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"when": "waiting", "seconds": 0},
        {"when": "waiting", "seconds": "60"},
        {"when": "failing", "times": True},
        {"when": "editing", "times": 1.5},
        {"when": "tokens", "above": 1.5},
        {"when": "tokens", "above": -1},
        {"when": "tokens", "above": 1, "of": "week"},
        {"when": "tokens", "above": 1, "share": "half"},
        {"when": "cost", "above": float("nan")},
        {"when": "cost", "above": 1, "of": "call"},
        {"when": "input", "matches": "x", "tool": 7},
        {"when": "error", "ignore": "x"},
        {"when": "error", "name": "a\nb"},
    ],
)
def test_a_field_that_cannot_be_is_named(fields: dict[str, Any]) -> None:
    assert next(reversed(fields)) in trouble(**fields)


def test_a_misspelt_field_is_named_with_those_there_are() -> None:
    said = trouble(when="waiting", secnds=60)

    assert '"secnds"' in said
    assert "seconds" in said


@pytest.mark.parametrize("fields", [{}, {"when": "sometimes"}, {"when": ["error"]}])
def test_an_unknown_kind_is_told_with_those_there_are(fields: dict[str, Any]) -> None:
    assert ", ".join(KINDS) in trouble(**fields)


@pytest.mark.parametrize("name", ["nothing", 7, ["tool-error"]])
def test_an_unknown_built_in_rule_is_told_with_those_there_are(name: Any) -> None:
    assert "long-wait" in trouble(use=name)


def test_a_field_that_cannot_even_be_written_down_is_told() -> None:
    assert "something odd" in trouble(when="waiting", seconds=object())


def test_a_day_is_of_all_projects() -> None:
    assert "all projects" in trouble(when="cost", above=1, of="day", project="x")


def test_only_a_call_has_a_tool() -> None:
    assert "of a call" in trouble(when="tokens", above=1, of="session", tool="Bash")


def test_a_rule_that_is_wrong_does_not_cost_the_others() -> None:
    found, troubles = read_rules({"alerts": [{"when": "waiting"}, 7, {"when": "error"}]})

    assert ([rule.name for rule in found], len(troubles)) == (["error"], 2)


def test_rules_of_one_name_are_told_apart() -> None:
    found, _ = read_rules({"alerts": [{"when": "error"}] * 3})

    assert [rule.name for rule in found] == ["error", "error 2", "error 3"]


@pytest.mark.parametrize("section", [7, "x", {"when": "error"}, None])
def test_a_section_that_is_no_list_is_told(section: Any) -> None:
    found, (said,) = read_rules({"alerts": section})

    assert not found
    assert "[[alerts]]" in said


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
fields = st.dictionaries(
    st.sampled_from(
        ["use", "when", "name", "seconds", "times", "above", "of", "share", "ignore", "matches"]
    ),
    anything | st.sampled_from([*KINDS, *BUILT_IN]),
)


@given(st.lists(anything | fields) | anything)
def test_nonsense_gives_rules_or_troubles(section: Any) -> None:
    found, troubles = read_rules({"alerts": section})

    given = section if isinstance(section, list) else [section]
    assert len(found) + len(troubles) <= max(1, len(given))


def test_kinds_of_notices_are_rules_like_any_other() -> None:
    found = with_notices((), ["question", "quota"])

    assert [(type(one).__name__, one.name) for one in found] == [
        ("QuestionRule", "question"), ("QuotaRule", "quota"),
    ]  # fmt: skip


def test_a_rule_of_the_user_stands_for_the_notice_of_its_kind() -> None:
    mine, _ = read_rules({"alerts": [{"when": "waiting", "seconds": 300}]})

    assert with_notices(mine, list(NOTICES))[: 1 + len(NOTICES)].count(mine[0]) == 1
    assert sum(isinstance(one, WaitingRule) for one in with_notices(mine, list(NOTICES))) == 1


def test_a_rule_of_one_project_leaves_the_notice_for_the_others() -> None:
    mine, _ = read_rules({"alerts": [{"when": "limited", "project": "kettle"}]})
    found = with_notices(mine, ["limited"])

    assert [one.name for one in found] == ["limited", "limited 2"]
