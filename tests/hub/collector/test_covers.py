"""Covered spools: each event is whole, as long as before, and without its secret."""

import json

from tests.redact.test_cover import SECRETS
from unspool.hub.collector.covers import SpoolCover
from unspool.model.files import SpoolEvent
from unspool.source.hook import frame
from unspool.source.spool import frames

AT = 1_767_261_600_000


def test_an_event_keeps_its_place_and_gets_another_checksum() -> None:
    payloads = [json.dumps({"prompt": f"{one} is mine"}).encode() for one in (*SECRETS, "hello")]
    data = b"".join(frame(payload, AT, len(payload)) for payload in payloads)
    found = SpoolCover().covered(data)
    lines = zip(data.splitlines(), found.splitlines(), strict=True)
    events = [([*frames(before)], [*frames(after)]) for before, after in lines]

    assert len(found) == len(data)
    for (before,), (after,) in events:
        assert isinstance(before, SpoolEvent)
        assert isinstance(after, SpoolEvent)
        assert (after.offset, after.length, after.at) == (before.offset, before.length, AT)
        assert json.loads(after.payload)["prompt"].endswith(("is mine", "hello is mine"))
    assert not any(one.encode() in found for one in SECRETS)


def test_what_is_no_whole_event_is_blanked() -> None:
    secret = SECRETS[0].encode()
    whole = frame(b'{"a": 1}', AT, 8)
    torn = b"~1 00 " + secret + b"\n"
    cut = frame(secret[:20], AT, 10**9)
    found = SpoolCover().covered(torn + whole + cut + secret)

    assert found == b" " * (len(torn) - 1) + b"\n" + whole + b" " * (
        len(cut) - 1
    ) + b"\n" + b" " * len(secret)
