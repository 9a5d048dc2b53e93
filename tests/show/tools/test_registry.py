from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import texts
from tests.show.tools.test_values import JSON
from unspool.show.tools import bash, fallback, mcp, registry
from unspool.show.tools.values import Fields

NAMES = st.sampled_from([*registry.VIEWERS, "mcp__a__b", "Unheard"])
# The fields the viewers ask for, with anything at all in them.
WORDS = """command file_path old_string new_string edits content offset limit pattern todos status
questions question options label answers plan url code bytes results description name prompt taskId
numFiles numMatches structuredPatch lines file stdout tasks task result text type""".split()
INPUTS = st.dictionaries(st.sampled_from(WORDS), JSON, max_size=6)


@given(NAMES, INPUTS, JSON | INPUTS, st.booleans())
def test_no_input_and_no_result_break_a_viewer(
    name: str, input: dict[str, Any], result: Any, failed: bool
) -> None:
    viewer = registry.viewer(name)

    assert "\n" not in viewer.summary(input, result) + viewer.facts(input, result)
    for line in viewer.body(input, result, failed=failed):
        assert all("\n" not in text and "\x1b" not in text for _, text in line)


def test_a_tool_has_its_own_viewer_or_the_plain_one() -> None:
    assert registry.viewer("Bash") is bash
    assert registry.viewer("mcp__a__b") is mcp
    assert registry.viewer("Unheard") is fallback


def test_a_tool_is_called_as_a_person_calls_it() -> None:
    assert registry.label("Bash") == "Bash"
    assert registry.label("mcp__a__b") == "a · b"
    assert registry.label("\x1b[31mRead") == "Read"


class Broken:
    """A viewer that trips over everything."""

    def summary(self, input: Fields, result: object) -> str:
        raise KeyError("oh")

    def facts(self, input: Fields, result: object) -> str:
        raise RecursionError

    def body(self, input: Fields, result: object, *, failed: bool) -> Any:
        raise ZeroDivisionError


def test_a_broken_viewer_gives_way_to_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.VIEWERS, "Odd", Broken())

    assert registry.summary("Odd", {"a": "b"}, None) == "b"
    assert registry.facts("Odd", {}, None) == ""
    assert texts(registry.body("Odd", {}, "said")) == ["said"]


def test_of_a_failure_what_was_said_about_it_is_shown() -> None:
    input = {"old_string": "a", "new_string": "b"}
    said = "<tool_use_error>String not found</tool_use_error>"

    assert texts(registry.body("Edit", input, said, failed=True)) == ["String not found"]
    assert registry.facts("Edit", input, said, failed=True) == ""


def test_a_failed_command_still_tells_how_it_ended() -> None:
    assert registry.facts("Bash", {}, "Exit code 2\n", failed=True) == "exit 2"
