"""Asks what an event means: the third carrier."""

from unspool.demo.script.steps import SONNET, Story, answer, prompt, think
from unspool.demo.script.tools import ask, bash, write

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="third-carrier",
    title="Third carrier: Coastal Freight",
    model=SONNET,
    branch="coastal-freight",
    steps=[
        prompt(
            "Here it is, the third carrier: Coastal Freight. Their sample payloads are in tests/data/coastal. Add it with the new interface.",
            after=5,
        ),
        bash(
            "ls tests/data/coastal | wc -l; jq -r .event tests/data/coastal/*.json | sort | uniq -c",
            "12\n      3 ARR\n      2 DEL\n      1 HLD\n      4 MOV\n      2 OFD",
            took=0.5,
        ),
        think("HLD could be customs or a failed delivery. The sample has no text for it. Ask."),
        ask(
            "Coastal Freight sends `HLD` without an explanation. What is it for us?",
            "HLD",
            {
                "In transit": "The parcel waits somewhere, nothing is wrong",
                "Delivery failed": "The recipient has to act",
            },
            answer="In transit",
            waits=240,
        ),
        write(
            "waybill/carriers/coastal.py",
            '''
            """Coastal Freight: events by webhook only, times with an offset."""

            from collections.abc import Iterator, Mapping
            from datetime import datetime
            from typing import Any

            from waybill.events import CarrierEvent


            class Coastal:
                name = "coastal"
                pause = 0.0
                kinds = {
                    "MOV": "in_transit", "ARR": "in_transit", "HLD": "in_transit",
                    "OFD": "out_for_delivery", "DEL": "delivered",
                }

                def parse(self, payload: Mapping[str, Any]) -> CarrierEvent:
                    at = datetime.fromisoformat(payload["at"])
                    return CarrierEvent(self.kinds.get(payload["event"], "unknown"), at, raw=payload)

                def fetch(self, number: str) -> Iterator[CarrierEvent]:
                    return iter(())
        ''',
        ),
        bash("pytest -q tests/carriers --record", "59 passed in 1.20s", took=3.0),
        answer(
            "Coastal Freight is one module of 24 lines, as planned. All twelve samples are recorded."
        ),
        prompt("How long would it have taken with the old code?", after=_LATER),
        bash(
            "git show c20d7f5 --stat | tail -1",
            " 14 files changed, 402 insertions(+), 377 deletions(-)",
        ),
        answer(
            "Five files instead of one: each of the old conditions would have needed another branch."
        ),
    ],
)
