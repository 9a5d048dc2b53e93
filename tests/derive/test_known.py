from msgspec.structs import fields

from unspool.derive.known import ATTACHMENTS, FIELDS, SUBTYPES, TYPES


def test_a_name_is_read_or_of_no_use_and_never_both() -> None:
    read = {kind: {one.encode_name for one in fields(kind)} for kind in FIELDS}

    assert all(read[kind].isdisjoint(names) for kind, names in FIELDS.items())


def test_lists_of_words_are_taken_apart() -> None:
    assert "api-request" in TYPES
    assert "compact_boundary" in SUBTYPES
    assert "hook_success" in ATTACHMENTS
