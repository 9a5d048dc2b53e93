"""Work -> its shortest time: the machine is shared, so the least disturbed run counts."""

import gc
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import NamedTuple


class Time(NamedTuple):
    """Seconds of one processor, and seconds on the wall."""

    cpu: float
    wall: float


def once(work: Callable[[], object]) -> Time:
    """Time one run."""
    gc.collect()
    cpu, wall = process_time(), perf_counter()
    kept = work()
    spent = Time(process_time() - cpu, perf_counter() - wall)
    del kept
    return spent


def interleaved(works: Mapping[str, Callable[[], object]], runs: int) -> dict[str, Time]:
    """Time several works in turn, so that what disturbs one disturbs all."""
    times: dict[str, list[Time]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            times[name].append(once(work))
    return {name: shortest(found) for name, found in times.items()}


def shortest(times: list[Time]) -> Time:
    """The best of each clock."""
    return Time(min(one.cpu for one in times), min(one.wall for one in times))
