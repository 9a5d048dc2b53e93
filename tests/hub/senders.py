"""A process with some machines, all of which send at once and lose answers on the way.

    python -m tests.hub.senders URL PLACE NAME=KEY ...

Each machine has its root in PLACE/NAME; what its own index shows is then in PLACE/NAME.seen.
"""

import pickle
import sys
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import LocalMachine, seen
from unspool.hub.collector import sender, shipments
from unspool.hub.collector.link import HubAnswer, HubLink
from unspool.model.shipping import Receipt

_LOST = 0.1
COMPARED = ("sources", "bytes", "lines", "hits", "totals")


class ForgetfulLink(HubLink):
    """Loses an answer now and then; what was asked for was done."""

    def __init__(self, url: str, key: str, chance: Random) -> None:
        super().__init__(url, key)
        self._chance = chance

    def send(self, body: bytes) -> Receipt | HubAnswer:
        answer = super().send(body)
        is_lost = self._chance.random() < _LOST
        return HubAnswer(0, detail="no answer") if is_lost else answer


def send(url: str, place: Path, name: str, key: str) -> None:
    """All that a machine has, until the hub has said so of everything."""
    machine = LocalMachine(place / name)
    machine.sweep(NOW)
    link = partial(ForgetfulLink, url, key, Random(name))
    machine.collector(link, in_flight=2, longest_wait=0.5).run(once=True)
    shown = seen(machine.store)
    with open(place / f"{name}.seen", "wb") as file:
        pickle.dump({what: shown[what] for what in COMPARED}, file)


def main(url: str, place: Path, machines: dict[str, str]) -> None:
    """Let all of them send at once, in many small envelopes."""
    sender._ENOUGH_BYTES = shipments._ENOUGH = 50_000  # type: ignore[misc]
    threads = [Thread(target=send, args=(url, place, *one)) for one in machines.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), dict(one.split("=", 1) for one in sys.argv[3:]))
