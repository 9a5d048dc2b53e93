import pytest

from unspool.derive.oddities import UNREAD_FIELDS
from unspool.derive.reading import results, tags
from unspool.redact.vocabulary import KEYS, SIGNS, is_listed


@pytest.mark.parametrize(
    "sign",
    [
        tags.INTERRUPTED,
        tags.SKILL,
        *results._DENIED,
        results._PERSISTED,
        *results._REJECTED,
        *(f"<{tag}>" for tag in (*tags.HIDDEN, tags.MEMORY, *tags._NOTIFICATIONS, *tags._COMMAND)),
        "</task-id>",
        '<teammate-message teammate_id="',
    ],
)
def test_what_unspool_looks_for_in_a_text_is_a_sign(sign: str) -> None:
    found = SIGNS.search(f"{sign} x")

    assert found is not None
    assert found.start() == 0


def test_a_word_that_only_looks_like_a_tag_is_none() -> None:
    assert SIGNS.search("<status-of-the-merger> <results>") is None


def test_ids_in_a_text_are_told_apart() -> None:
    found = SIGNS.finditer("<task-id>a1b2</task-id> agentId: c3d4")

    assert [sign["id"] for sign in found if sign["id"]] == ["a1b2", "c3d4"]


def test_a_listed_word_stays_where_it_is_claude_codes_own() -> None:
    assert is_listed("type", "some_new_kind", free=False)
    assert is_listed("status", "completed", free=True)
    assert not is_listed("status", "acquisition", free=True)
    assert not is_listed("title", "completed", free=False)


def test_names_of_fields_come_from_the_model() -> None:
    assert {"parentUuid", "tool_use_id", "file_path", "structuredPatch", "todos"} <= KEYS


def test_fields_that_unspool_does_not_read_are_names_too() -> None:
    assert [name for names in UNREAD_FIELDS.values() for name in names - KEYS] == []


UUID = "0a1b2c3d-4e5f-4678-9a0b-1c2d3e4f5a6b"


# What is read as an id; the rest of a longer one is text, and replaced as such.
@pytest.mark.parametrize(
    ("text", "id"),
    [
        *((f"<{tag}>{'a' * 129}", "a" * 128) for tag in ("task-id", "agent-id", "tool-use-id")),
        *((f"<{tag}>a<", "a") for tag in ("task-id", "agent-id", "tool-use-id")),
        *((f"<{tag}><", None) for tag in ("task-id", "agent-id", "tool-use-id")),
        (f"agentId: {'a' * 65}", "a" * 64),
        ("agentId: a", "a"),
        ("agentId: ", None),
        (f"toolu_{'a' * 65}", f"toolu_{'a' * 64}"),
        (f"toolu_{'a' * 8}", f"toolu_{'a' * 8}"),
        (f"toolu_{'a' * 7}", None),
        (UUID, UUID),
        (f"{UUID[:7]}{UUID[8:]}", None),
        (f"0{UUID}", None),
        (UUID.replace("-4e5f", ""), None),
        (UUID.replace("-4e5f", "-4e5"), None),
        (UUID[:-1], None),
        (f"{UUID}0", None),
    ],
)
def test_an_id_has_its_length(text: str, id: str | None) -> None:
    assert next((sign["id"] for sign in SIGNS.finditer(text) if sign["id"]), None) == id


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Exit code 1", "Exit code 1"),
        ("Exit code 1234", "Exit code 123"),
        ("Exit code ", None),
    ],
)
def test_an_exit_code_has_one_to_three_digits(text: str, sign: str | None) -> None:
    assert next((found[0] for found in SIGNS.finditer(text)), None) == sign


@pytest.mark.parametrize(
    ("value", "free", "is_one"),
    [
        ("a" * 80, False, True),
        ("a" * 81, False, False),
        (f"claude-{'a' * 60}", True, True),
        (f"claude-{'a' * 61}", True, False),
        ("claude-a", True, True),
        ("claude-", True, False),
    ],
)
def test_a_listed_value_is_short(value: str, free: bool, is_one: bool) -> None:
    assert is_listed("model", value, free=free) is is_one
