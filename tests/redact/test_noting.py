from tests.redact.secrets import planted
from unspool.model.api import RemovedSecrets
from unspool.redact.noting import Noting

ONE, TWO = (one.text for one in planted(2))


def test_what_is_taken_out_is_noted_by_place_and_kind() -> None:
    noting = Noting()
    noting.at("step 1").text(f"{ONE} {ONE}")
    noting.at("step 2").value({"said": ONE})
    kind = next(iter(noting.report))

    assert noting.taken == (RemovedSecrets("step 1", kind, 2), RemovedSecrets("step 2", kind, 1))


def test_a_place_without_secrets_is_not_noted() -> None:
    noting = Noting()
    noting.at("step 1").text("nothing to see")

    assert noting.taken == ()


def test_places_and_kinds_sum_to_the_report() -> None:
    noting = Noting()
    for number, text in enumerate((ONE, TWO, f"{ONE}\n{TWO}")):
        noting.at(str(number)).text(text)

    assert sum(noting.report.values()) == sum(one.count for one in noting.taken) == 4
