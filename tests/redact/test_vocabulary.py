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
