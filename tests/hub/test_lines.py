"""Raw lines through the hub: asked of the machine that has them, by those who may see it."""

from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.hub.made import shipment
from tests.hub.sockets import LinkedHub
from tests.hub.sockets import site as site
from tests.store.made import Source


class Asking:
    """A hub with one line of a machine, and people who ask for it."""

    def __init__(self, site: LinkedHub) -> None:
        self.site, hub = site, site.database
        owner = hub.people.by_key(hub.keys["laptop"], 0)
        assert owner is not None
        hub.accept(owner, shipment(Source(5).line("text").batch()))
        (source,) = hub.store(1).sources()
        self.event = f"{source.source_id}.0.0"
        self.tokens = {"lead": hub.person("lin", "lead"), "member": hub.person("bob", "member")}

    def ask(self, who: str = "lead", machine: str = "laptop", event: str = "") -> httpx.Response:
        return httpx.get(
            f"{self.site.url}/api/machines/{machine}/lines",
            params={"event": event or self.event},
            headers={"Authorization": f"Bearer {self.tokens.get(who, who)}"},
            timeout=60,
        )

    def answered(self, **answer: Any) -> httpx.Response:
        """What is asked is answered by the machine."""
        with self.site.machine() as laptop, ThreadPoolExecutor(1) as threads:
            asked = threads.submit(self.ask)
            read = laptop.hear("read")
            assert (read["by"], read["places"][0][:3]) == ("lin", [5, 0, 0])
            laptop.say("lines", id=read["id"], **answer)
            if answer.get("more"):
                laptop.say("lines", id=read["id"], items=[[0, b64encode(b" two").decode()]])
            return asked.result(60)


def test_a_line_is_what_the_machine_gives(site: LinkedHub) -> None:
    asking = Asking(site)
    part = [[0, b64encode(b"one").decode()]]
    answer = asking.answered(items=part, more=True)

    assert answer.json() == {"items": [{"event": asking.event, "text": "one two"}]}
    (note,) = [row for row in site.database.tables()["audit"] if "read raw" in row]
    assert asking.event in note


def test_what_the_machine_refuses_is_said(site: LinkedHub) -> None:
    answer = Asking(site).answered(refused="This machine does not allow reads.")
    assert (answer.status_code, answer.json()["detail"]) == (
        403,
        "This machine does not allow reads.",
    )


def test_a_machine_that_is_away_is_said_to_be(site: LinkedHub) -> None:
    asking = Asking(site)
    answer = asking.ask()
    assert answer.status_code == 504
    assert answer.json()["detail"] == "laptop is not connected: its lines cannot be read now."


def test_nobody_asks_for_what_they_may_not_see(site: LinkedHub) -> None:
    asking = Asking(site)
    key = site.database.keys["laptop"]
    statuses = {
        "nobody": asking.ask("wrong").status_code,
        "machine": asking.ask(key).status_code,
        "another's": asking.ask("member").status_code,
        "unknown": asking.ask(machine="nowhere").status_code,
        "not its own": asking.ask(machine="other").status_code,
        "no line": asking.ask(event=asking.event + "7").status_code,
        "no id": asking.ask(event="x").status_code,
    }
    assert statuses == {
        "nobody": 401,
        "machine": 401,
        "another's": 404,
        "unknown": 404,
        "not its own": 404,
        "no line": 404,
        "no id": 404,
    }
