from __future__ import annotations

import re
from random import Random
from uuid import UUID

from unspool.demo.generator.ids import Ids


def test_an_entry_has_a_random_uuid() -> None:
    uuid = UUID(Ids(Random(1)).uuid())

    assert uuid.version == 4
    assert uuid.variant == "specified in RFC 4122"


def test_names_do_not_repeat() -> None:
    ids = Ids(Random(1))

    assert len({ids.uuid() for _ in range(500)} | {ids.named("msg_") for _ in range(500)}) == 1_000


def test_a_hex_name_has_so_many_digits() -> None:
    ids = Ids(Random(1))

    assert all(re.fullmatch("[0-9a-f]{3}", ids.hex(3)) for _ in range(50))


def test_an_api_name_says_what_it_names() -> None:
    assert re.fullmatch("toolu_01[1-9A-Za-z]{22}", Ids(Random(1)).named("toolu_"))
