import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from unspool.demo import Transcript
from unspool.derive.oddities import (
    KNOWN_ATTACHMENTS,
    KNOWN_SUBTYPES,
    KNOWN_TYPES,
    UNREAD_FIELDS,
    OddityFold,
)
from unspool.model.health import Oddity


def look(*lines: dict[str, Any] | bytes) -> list[Oddity]:
    fold = OddityFold()
    fold.begin("a.jsonl")
    for line in lines:
        fold.feed(line if isinstance(line, bytes) else json.dumps(line).encode())
    return fold.oddities()


def names(*lines: dict[str, Any] | bytes) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in look(*lines)]


def test_an_ordinary_session_holds_nothing_odd() -> None:
    talk = Transcript().user("Go").thinks("Hm").calls("Bash", command="ls").returns("a b")
    talk.compacts().system("turn_duration", durationMs=5).attachment("file", filename="a")

    assert names(*talk.bytes().splitlines()) == []


def test_an_unknown_type_is_named_and_its_fields_are_not() -> None:
    assert names({"type": "zeppelin", "altitude": 3}) == [("type", "zeppelin")]


def test_types_known_by_name_alone_are_not_odd() -> None:
    assert names({"type": "dev-mods"}, {"type": "marble-origami-fold"}) == []


def test_a_line_without_a_type_is_odd() -> None:
    assert names({"uuid": "u"}) == [("type", "(none)")]


def test_an_unknown_subtype_is_named() -> None:
    assert names({"type": "system", "subtype": "moon_phase"}) == [("subtype", "moon_phase")]


def test_an_unknown_attachment_is_named_without_its_fields() -> None:
    line = {"type": "attachment", "attachment": {"type": "tea_leaves", "reading": 1}}

    assert names(line) == [("attachment", "tea_leaves")]


def test_a_field_of_an_attachment_is_told_with_its_type() -> None:
    line = {"type": "attachment", "attachment": {"type": "file", "scent": 1}}

    assert names(line) == [("field", "attachment.file.scent")]


def test_fields_of_the_newest_versions_are_known() -> None:
    made = Transcript().user("no", userFeedback="not like that")
    made.attachment("structured_output", data={"a": 1})
    for kind in ("plan_mode", "plan_mode_exit", "plan_mode_reentry"):
        made.attachment(kind, planFilePath="/p.md")

    assert names(*made.bytes().splitlines()) == []


def test_an_unknown_block_is_named() -> None:
    line = {"type": "assistant", "message": {"content": [{"type": "hologram"}, {"type": "text"}]}}

    assert names(line) == [("block", "hologram")]


def test_fields_are_told_by_their_whole_path() -> None:
    usage = {"input_tokens": 1, "cache_creation": {"ephemeral_9d_input_tokens": 1}}
    message = {"usage": usage, "content": [{"type": "tool_use", "mood": 1}], "aura": 1}

    assert names({"type": "assistant", "message": message, "tide": 1}) == [
        ("field", "assistant.message.aura"),
        ("field", "assistant.message.usage.cache_creation.ephemeral_9d_input_tokens"),
        ("field", "assistant.tide"),
        ("field", "content.tool_use.mood"),
    ]


def test_lists_and_maps_of_objects_are_looked_into() -> None:
    hooks = {"type": "system", "hookInfos": [{"command": "a"}, {"colour": "b"}]}
    costs = {"type": "cost-state", "modelUsage": {"m": {"inputTokens": 1, "carbon": 2}}}

    assert names(hooks, costs) == [
        ("field", "cost-state.modelUsage.carbon"),
        ("field", "system.hookInfos.colour"),
    ]


def test_names_that_are_known_and_of_no_use_are_not_odd() -> None:
    assert names({"type": "user", "queuePriority": 1, "userType": "external"}) == []


def test_what_a_tool_was_given_is_nobodys_business() -> None:
    call = {"type": "tool_use", "id": "t", "name": "mcp__x", "input": {"anything": {"at": "all"}}}

    assert names({"type": "assistant", "message": {"content": [call]}}) == []


def test_the_first_place_and_the_count_are_kept() -> None:
    line = {"type": "zeppelin", "version": "2.1.9"}
    (odd,) = look({"type": "mode"}, line, line)

    assert (odd.version, odd.count, odd.path, odd.line) == ("2.1.9", 2, "a.jsonl", 2)


def test_a_line_that_names_no_version_has_that_of_the_lines_before() -> None:
    (odd,) = look({"type": "user", "version": "2.1.9"}, {"type": "zeppelin"})

    assert odd.version == "2.1.9"


def test_the_version_of_one_file_is_not_that_of_the_next() -> None:
    fold = OddityFold()
    fold.begin("a.jsonl")
    fold.feed(b'{"type":"user","version":"2.1.9"}')
    fold.begin("b.jsonl")
    fold.feed(b'{"type":"zeppelin"}')

    assert fold.oddities()[0].version == ""


def test_versions_are_sorted_as_numbers() -> None:
    lines = [{"type": "zeppelin", "version": version} for version in ("2.1.10", "2.1.9")]

    assert [one.version for one in look(*lines)] == ["2.1.9", "2.1.10"]


def test_made_up_names_do_not_fill_the_memory() -> None:
    found = look(*({"type": f"kind-{n}" + "x" * 500} for n in range(3_000)))

    assert len(found) == 2_000
    assert max(len(one.name) for one in found) == 120


def test_damaged_lines_are_passed_over() -> None:
    assert names(b'{"type":"zepp', b"", b"\0\0", b"[" * 5_000, b"[1]", b'{"type":1}') == [
        ("type", "(none)")
    ]


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["type", "message", "content", "usage", "attachment", "version"]), inner),
))  # fmt: skip
def test_any_json_gives_an_answer(value: object) -> None:
    assert isinstance(look(json.dumps(value).encode()), list)


def test_a_name_is_read_or_of_no_use_and_never_both() -> None:
    read = {kind: {one.encode_name for one in fields(kind)} for kind in UNREAD_FIELDS}

    assert all(read[kind].isdisjoint(names) for kind, names in UNREAD_FIELDS.items())


def test_lists_of_words_are_taken_apart() -> None:
    assert "api-request" in KNOWN_TYPES
    assert "compact_boundary" in KNOWN_SUBTYPES
    assert "hook_success" in KNOWN_ATTACHMENTS
