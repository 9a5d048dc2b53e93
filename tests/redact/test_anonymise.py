import json
import re
import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.redact.secrets import planted
from unspool.json_depth import DEEPEST
from unspool.redact.anonymise import Anonymiser, NameMaker

TEXT = "Merge the wombat ledger before Thursday, says quokka@example.com"
WORDS = re.compile(r"[^\W\d_]{5,}")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def made(**fields: Any) -> Any:
    return json.loads(Anonymiser(b"k").json(json.dumps(fields).encode()))


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list):
        return [shape(one) for one in value]
    return str if isinstance(value, str) else value


@pytest.mark.parametrize(
    "place",
    ["content", "gitBranch", "cwd", "aiTitle", "slug", "lastPrompt", "prUrl", "somethingNew"],
)
def test_no_word_survives_anywhere(place: str) -> None:
    told = made(**{place: TEXT, "input": {place: TEXT, "wombats": [TEXT]}, "toolUseResult": TEXT})

    assert not {*WORDS.findall(TEXT.lower())} & {*WORDS.findall(json.dumps(told).lower())}
    assert "wombats" not in told["input"]


def test_types_times_numbers_and_models_are_kept() -> None:
    kept = {
        "type": "assistant",
        "subtype": "some_new_kind",
        "timestamp": "2026-01-01T10:00:00.000Z",
        "message": {"model": "claude-opus-5", "usage": {"output_tokens": 7}, "role": "assistant"},
        "isMeta": True,
    }

    assert made(**kept) == kept


def test_an_id_is_the_same_wherever_it_stands() -> None:
    told = made(
        uuid="a-1", parentUuid="a-1", content="<task-id>a-1</task-id>", toolUseResult={"id": "a-1"}
    )

    assert told["uuid"] == told["parentUuid"] == told["toolUseResult"]["id"] != "a-1"
    assert told["content"] == f"<task-id>{told['uuid']}</task-id>"


def test_tools_of_claude_code_keep_their_names_and_others_lose_them() -> None:
    names = ["Bash", "mcp__wombat__ledger", "WombatLedger", "PreToolUse:Bash"]
    told = [made(type="tool_use", name=name)["name"] for name in names]

    assert told[0] == "Bash"
    assert told[1].startswith("mcp__")
    assert len(told[1].split("__")) == 3
    assert "ombat" not in "".join(told)
    assert told[3] == "PreToolUse:Bash"


def test_a_question_and_its_answer_still_fit() -> None:
    told = made(questions=[{"question": "Which wombat?"}], answers={"Which wombat?": "the old one"})

    assert [told["questions"][0]["question"]] == list(told["answers"])


def test_a_picture_is_still_one_and_shows_nothing() -> None:
    data = "iVBORw0KGgo" + "Q" * 200 + "=="
    told = made(source={"type": "base64", "media_type": "image/png", "data": data})["source"]

    assert told["media_type"] == "image/png"
    assert told["data"].startswith("iVBORw0KGgo")
    assert len(told["data"]) == len(data)
    assert "QQQQQQ" not in told["data"]


@given(values)
def test_the_shape_stays(value: Any) -> None:
    data = msgspec.json.encode({"toolUseResult": value})
    told = msgspec.json.decode(Anonymiser(b"k").json(data))

    assert shape(told["toolUseResult"]) == shape(value)


KEY = next(one.secret for one in planted(60) if one.name == "stripe live")


@pytest.mark.parametrize("key", [KEY, "wombatLedger", "quokka_table", "wombat"])
@pytest.mark.parametrize(
    "line",
    [
        '{{"type":"user","{}":1}}',
        '{{"type":"zzz-unknown","payload":{{"{}":{{"text":"x"}}}}}}',
        '{{"type":"system","metadata":{{"{}":null}}}}',
        '{{"type":"user","{}":"cut o',
    ],
)
def test_a_key_that_claude_code_does_not_write_is_made_up(line: str, key: str) -> None:
    told = Anonymiser(b"k").json(line.format(key).encode()).decode()

    assert key not in told
    assert told.count('"') == line.count('"')


def test_names_of_fields_and_models_are_kept_as_keys() -> None:
    kept: dict[str, Any] = {
        "userType": None,
        "usage": {"iterations": []},
        "modelUsage": {"claude-opus-5": {}},
    }

    assert made(**kept) == kept
    assert list(made(data={"claude-wombat": 1})["data"]) != ["claude-wombat"]


def test_no_field_is_lost_where_many_keys_are_short() -> None:
    keys = "abcdefghijklmnopqrstuvwxyz"

    assert len(made(data=dict.fromkeys(keys))["data"]) == len(keys)


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"user","content":"wombat led',
        '{"a":1}{"gitBranch":"wombat"}',
        "// wombat",
        "wombat",
    ],
)
def test_a_broken_line_stays_broken_and_says_nothing(line: str) -> None:
    told = Anonymiser(b"k").json(line.encode()).decode()

    assert "wombat" not in told
    assert [told[0], len(told)] == [line[0], len(line)] or line == "wombat"


def test_a_record_in_a_string_is_read_too() -> None:
    inner = json.dumps({"task_id": "a1", "prompt": "wombat"})
    told = made(agentId="a1", content=inner)

    assert json.loads(told["content"])["task_id"] == told["agentId"]
    assert "wombat" not in told["content"]


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1, 600, 5_000])
def test_what_is_nested_deep_keeps_its_shape_and_loses_its_words(levels: int) -> None:
    deep = b'{"wombat":' * levels + b'"quokka"' + b"}" * levels
    told = Anonymiser(b"k").json(deep)

    assert (told.count(b"{"), told.count(b"}")) == (levels, levels)
    assert b"wombat" not in told
    assert b"quokka" not in told


MADE = NameMaker(b"key")
texts = st.text(max_size=60)


def categories(text: str) -> list[str]:
    return [unicodedata.category(sign) for sign in text]


@given(texts)
def test_a_text_keeps_its_length_and_what_its_signs_are(text: str) -> None:
    assert len(MADE.text(text)) == len(text)
    assert [kind[0] for kind in categories(MADE.text(text))] == [
        kind[0] for kind in categories(text)
    ]


@given(texts.filter(lambda text: text.isprintable()))
def test_a_text_takes_as_many_bytes_as_before(text: str) -> None:
    assert len(MADE.text(text).encode()) == len(text.encode())


@pytest.mark.parametrize("word", ["Hello", "WORLD", "camelCase", "привет", "日本語", "שלום"])
def test_a_word_is_another_of_the_same_script_and_case(word: str) -> None:
    made = MADE.text(word)
    scripts = [{unicodedata.name(sign).split()[0] for sign in text} for text in (word, made)]

    assert made != word
    assert scripts[0] == scripts[1]
    assert categories(made) == categories(word)


def test_the_same_line_is_always_the_same() -> None:
    assert MADE.text("one line\nanother") == MADE.text("one line") + "\n" + MADE.text("another")


def test_the_same_word_in_two_lines_is_not() -> None:
    assert MADE.text("secret one").split()[0] != MADE.text("secret two").split()[0]


def test_another_key_makes_other_words() -> None:
    assert NameMaker(b"other").text("some words here") != MADE.text("some words here")


def test_files_of_one_directory_stay_together() -> None:
    one, two = MADE.path("/home/dev/kettle/a.py"), MADE.path("/home/dev/kettle/b.py")

    assert one.rpartition("/")[0] == two.rpartition("/")[0]
    assert one != two
    assert one.endswith(".py")


def test_names_of_claude_code_are_kept() -> None:
    assert MADE.path("~/.claude/projects").split("/") == ["~", ".claude", "projects"]
    assert MADE.path("/x/CLAUDE.md").endswith("/CLAUDE.md")


def test_a_project_fits_its_path() -> None:
    assert MADE.slug("-home-dev-kettle") == MADE.path("/home/dev/kettle").replace("/", "-")


@pytest.mark.parametrize("id", ["toolu_01AbC", "msg_x1", "3f2a1b9c-0000-4000-8000-123456789abc"])
def test_an_id_looks_as_before(id: str) -> None:
    made = MADE.id(id)

    assert made != id
    assert len(made) == len(id)
    assert made.partition("_")[1] == id.partition("_")[1]


def test_no_two_ids_become_one() -> None:
    ids = [str(number) for number in range(60)]

    assert len({MADE.id(id) for id in ids}) == len(ids)


# Where a limit is, one character on each side of it: an id and the beginning of it that is kept.
@pytest.mark.parametrize(
    ("id", "kept"),
    [("ab_c1d2e3", 3), ("a_c1d2e3", 0), (f"{'a' * 12}_c1d2e3", 13), (f"{'a' * 13}_c1d2e3", 0)],
)
def test_the_word_before_an_id_is_kept(id: str, kept: int) -> None:
    other = NameMaker(b"k").id(id)

    assert other[:kept] == id[:kept]
    assert kept or other.partition("_")[0] != id.partition("_")[0]


@pytest.mark.parametrize(
    ("ending", "is_kept"), [(".a", True), (".abcd", True), (".abcde", False), (".", True)]
)
def test_the_ending_of_a_file_is_kept_if_it_is_short(ending: str, is_kept: bool) -> None:
    assert NameMaker(b"k").segment(f"name{ending}").endswith(ending) is is_kept


@pytest.mark.parametrize(("length", "is_one"), [(64, True), (63, False)])
def test_a_picture_becomes_an_empty_one_if_it_is_long_enough(length: int, is_one: bool) -> None:
    picture = Anonymiser(b"k").string("iVBORw0KGgo" + "Q" * length, "data")

    assert (picture == "iVBORw0KGgoQQQQQ" + "A" * (length - 5)) is is_one


@pytest.mark.parametrize(("length", "is_one"), [(200, True), (201, False)])
def test_an_id_is_short(length: int, is_one: bool) -> None:
    text = "a1" * 100 + "b" * (length - 200)

    assert (Anonymiser(b"k").string(text, "id") == NameMaker(b"k").id(text)) is is_one
