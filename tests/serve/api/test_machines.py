"""Machines are a hub's: the server of one machine has no such route, page or link."""

import pytest
from msgspec.structs import replace

from tests.serve.served import Served, problem
from unspool.model.shipping import AuditEntry, MachineDetail, MachineProject, MachineRow, TeamToday

SECRET = "ghp_" + "a1B2c3" * 6
ROW = MachineRow(name="laptop", person="ada", platform=f"Linux {SECRET}", enrolled_at=0)


class SmallFleet:
    """One machine, and one thing that was done; all of it says a secret."""

    person, is_admin = "ada", True

    def machines(self) -> list[MachineRow]:
        return [ROW]

    def machine(self, name: str) -> MachineDetail:
        return MachineDetail(machine=ROW, projects=(MachineProject(f"laptop~{SECRET}", 1, 0),))

    def team(self) -> TeamToday:
        return TeamToday(machines=1, sessions=0, cost_usd=0.0)

    def revoke(self, name: str) -> None:
        raise NotImplementedError

    def rotate(self, name: str) -> str:
        raise NotImplementedError

    def audit(self, before: int | None, limit: int) -> list[AuditEntry]:
        about = f"about {SECRET}"
        return [
            AuditEntry(
                id=1,
                at=0,
                person=None,
                machine="laptop",
                what="enrolled",
                about=about,
                address=None,
            )
        ]

    def note(self, what: str, about: str, address: str) -> None:
        raise NotImplementedError


def test_a_server_of_one_machine_has_none(site: Served) -> None:
    for path in ("/machines", "/machines/laptop", "/machines/audit"):
        assert problem(site.ask(f"/api{path}".replace("machines/audit", "audit")))["status"] == 404
        assert site.ask(path).status_code == 404
    assert site.ask("/machines/revoke", "POST", data={"machine": "laptop"}).status_code == 404
    assert 'href="/machines"' not in site.ask("/sessions").text


@pytest.mark.parametrize(
    "path",
    [
        "/api/machines", "/machines", "/api/machines/laptop", "/machines/laptop", "/api/audit",
        "/machines/audit",
    ],
)  # fmt: skip
def test_no_secret_is_in_what_a_machine_says_of_itself(
    site: Served, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = replace(site.context.config, fleet=SmallFleet())
    monkeypatch.setattr(site.context, "config", hub)
    text = site.ask(path).text

    assert ("laptop" in text, "redacted: github token" in text, SECRET in text) == (
        True,
        True,
        False,
    )
