from tests.redact.secrets import planted
from tests.show.made import agent, call, chunk, document, step
from unspool.engine.export.content import (
    WordReplacer,
    cleaned_calls,
    cleaned_chunks,
    cleaned_document,
)
from unspool.redact.anonymise import Anonymiser
from unspool.redact.redactor import AuditingRedactor

SECRET = planted(1)[0].secret
MADE = document(
    chunk("user", f"use {SECRET}", id="u1"),
    chunk("ai", "", step("output", SECRET, id="o1"), step("output", "fine", id="o2"), id="a1"),
    tool_executions=(call(result=SECRET, id="t1", command=SECRET),),
    subagents=(agent("x"),),
    session={"title": SECRET},
)


def test_every_secret_has_its_place() -> None:
    noting = AuditingRedactor()
    cleaned_document(MADE, noting)

    assert {one.place: one.count for one in noting.removed} == {
        "main": 1,
        "chunk-u1": 1,
        "step-o1": 1,
        "step-t1": 2,
    }


def test_nothing_else_is_changed() -> None:
    clean = document(
        chunk("user", "hi"), chunk("ai", "", step("output", "ho")), subagents=(agent("x"),)
    )

    assert cleaned_document(clean, AuditingRedactor()) == clean


def test_whoever_wants_secrets_gets_the_very_document() -> None:
    assert cleaned_document(MADE, None) is MADE
    assert cleaned_chunks(MADE.chunks, None) == MADE.chunks
    assert cleaned_calls(MADE.tool_executions, None) == MADE.tool_executions


def test_nothing_is_left_of_any_word_by_whoever_makes_them_up() -> None:
    made = cleaned_document(MADE, WordReplacer(Anonymiser(b"k")))

    assert SECRET not in str(made)
    assert [one.type for one in made.chunks] == ["user", "ai"]
    assert made.tool_executions[0].name == "Bash"
