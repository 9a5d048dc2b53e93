"""`unspool cost blocks`: the windows of five hours that a plan counts usage in."""

import time
from argparse import Namespace

from unspool.cli.costs import days, screen
from unspool.derive.usage.blocks import HOUR, blocks, pace, recent
from unspool.errors import ConfigError
from unspool.model.costs import Block, Total
from unspool.show.costs_blocks import blocks_table, pace_lines
from unspool.show.costs_json import blocks_document


def run(totals: list[Total], options: Namespace) -> int:
    """Show the blocks that are asked for."""
    now = time.time_ns() // 1_000_000
    every = blocks(totals, now, int(options.session_length * HOUR))
    limit = _limit(options.token_limit, every)
    running = next((block for block in every if block.is_active), None)
    speed = pace(running, now) if running else None
    found = _asked(every, now, options)
    if options.json:
        screen.write_json(blocks_document(found, speed, limit))
        return 0
    if not found:
        screen.write(
            ["No block runs now." if options.active else "Nothing was spent in what fits."]
        )
        return 0
    screen.write(blocks_table(found, days.clock(options.timezone), width=screen.width()))
    if running in found and running is not None:
        screen.write(["", *pace_lines(running, speed, now, limit)])
    return 0


def _asked(every: list[Block], now: int, options: Namespace) -> list[Block]:
    found = recent(every, now) if options.recent else every
    if options.active:
        found = [block for block in found if block.is_active]
    return found[::-1] if options.order == "desc" else found


def _limit(said: str | None, every: list[Block]) -> int | None:
    if said is None:
        return None
    if said == "max":
        done = (block.spend.tokens for block in every if not block.is_active)
        return max(done, default=0) or None
    if not said.isdecimal() or not int(said):
        raise ConfigError(f"--token-limit takes a number of tokens or `max`, not {said!r}")
    return int(said)
