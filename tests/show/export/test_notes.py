from unspool.model.api import RemovedSecrets
from unspool.show.export.notes import (
    ANONYMOUS,
    UNREDACTED,
    ExportInfo,
    closing_note,
    redacted_kinds,
    redaction_note,
)

TAKEN = (
    RemovedSecrets("step-a", "password"),
    RemovedSecrets("step-b", "token", 2),
    RemovedSecrets("main", "password"),
)


def test_all_of_it_is_one_sentence() -> None:
    assert redaction_note(TAKEN) == "Secrets are redacted in 4 places: 2 passwords, 2 tokens."


def test_nothing_found_is_said() -> None:
    assert redaction_note(()) == "No secrets were found."


def test_each_kind_has_its_places() -> None:
    found = {kind.label: [one.place for one in kind.places] for kind in redacted_kinds(TAKEN)}

    assert found == {"2 passwords": ["step-a", "main"], "2 tokens": ["step-b"]}


def test_a_file_says_of_itself_what_it_is() -> None:
    assert closing_note(ExportInfo(version="1", at="", taken=lambda: TAKEN)) == redaction_note(
        TAKEN
    )
    assert closing_note(ExportInfo(version="1", at="")) == UNREDACTED
    assert closing_note(ExportInfo(version="1", at="", taken=tuple, is_anonymous=True)) == ANONYMOUS
