"""The page of one machine, and the audit: what is known, what an admin may do, nothing hostile."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.shipping import (
    AuditEntry,
    MachineDetail,
    MachineProject,
    MachineRow,
    QuarantineReason,
    WaitingFile,
)
from unspool.show.html.machine_page import MachinePage, audit_page, machine_page


def page(name: str = "laptop", **given: Any) -> MachinePage:
    row = MachineRow(name=name, person="ada", enrolled_at=NOW)
    may = {key: given.pop(key) for key in ("may_manage", "asks", "command") if key in given}
    return machine_page(MachineDetail(machine=row, **given), shell(), NOW, UTC, **may)


def entry(**known: Any) -> AuditEntry:
    given = {"person": None, "machine": None, "about": "", "address": None, **known}
    return AuditEntry(id=1, at=NOW - 60_000, **given)


def test_it_says_what_was_sent_and_what_was_not() -> None:
    made = page(
        projects=(MachineProject("laptop~-home-ada", 2, NOW - 120_000),),
        quarantine=(QuarantineReason("nul in text", 3, NOW),),
        waiting=(WaitingFile("projects/x/s1.jsonl", 2_000_000, NOW),),
    )
    found = seen(made)

    for text in ("-home-ada", "2 sessions", "2 min ago", "nul in text", "s1.jsonl", "2.0 MB"):
        assert text in found.text
    assert {
        "/sessions?machine=laptop",
        "/spend?machine=laptop",
        "/projects/laptop~-home-ada",
    } <= set(found.hrefs)
    assert "Revoke" not in found.text


def test_an_admin_is_asked_before_a_machine_is_revoked() -> None:
    first, asked = page(may_manage=True), page(may_manage=True, asks=True)

    assert "/machines/laptop?ask=revoke" in seen(first).hrefs
    assert "Revoke laptop?" in seen(asked).text
    assert "--code ue_x" in seen(page(command="unspool collect --code ue_x")).text


def test_the_audit_names_who_and_what() -> None:
    rows = [
        entry(what="signed in", person="ada", address="198.51.100.7"),
        entry(what="enrolled", machine="laptop", about="laptop"),
        entry(what="person closed", about="bob"),
    ]
    made = audit_page(rows, "next", shell(), NOW, UTC)

    assert [(row.who, row.about) for row in made.rows] == [
        ("ada", ""), ("a machine", "laptop"), ("the hub", "bob"),
    ]  # fmt: skip
    assert "/machines/audit?cursor=next" in seen(made).hrefs
    assert "Nothing yet" in seen(audit_page([], "", shell(), NOW, UTC)).text


def hostile_page(text: str) -> MachinePage:
    return page(
        text,
        projects=(MachineProject(f"{text}~{text}", 1, None),),
        quarantine=(QuarantineReason(text, 1, NOW),),
        waiting=(WaitingFile(text, 1, NOW),),
        may_manage=True,
        asks=True,
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    plain, hostile = (
        audit_page([entry(what="exported", about=one, person=one)], "", shell(), NOW)
        for one in ("x", text)
    )

    assert seen(hostile).shape == seen(plain).shape
    assert seen(hostile_page(text)).shape == seen(hostile_page("x")).shape
