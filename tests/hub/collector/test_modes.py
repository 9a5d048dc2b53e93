"""What leaves a machine in each mode: everything on the wire is looked at."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.engine.forgetting.planted import (
    AGENT,
    ANSWER,
    COMMAND,
    HOOK,
    JOURNAL,
    LOG,
    MARK,
    OUTPUT,
    PATH,
    PROMPT,
    RESULT,
    THOUGHT,
    TORN,
    WORDS,
    indexed,
    planted,
)  # fmt: skip
from tests.engine.indexing.roots import NOW
from tests.hub.machines import HubDatabase
from tests.hub.serving import listening
from unspool.cli import main
from unspool.demo import Transcript, tool_block
from unspool.hub.collector.link import HubLink
from unspool.hub.envelope import opened
from unspool.hub.machines import withheld
from unspool.model.rows import Segment
from unspool.model.shipping import Envelope
from unspool.store.pack import unpacked

NAMED = tuple(f"zq{one}zq" for one in "title branch slash skill tool model folder project".split())
TITLE, BRANCH, SLASH, SKILL, TOOL, MODEL, FOLDER, PROJECT = NAMED
EVERYWHERE = {MODEL, FOLDER, PROJECT}  # the id of a project is the name of its directory
TEXTS = {PROMPT, ANSWER, THOUGHT, COMMAND, RESULT, OUTPUT, AGENT, HOOK, LOG, PATH, TITLE, SLASH}
# The table in docs/hub.md. Marks are of the reader; a journal has no rows, only bytes.
LEAVES = {
    "summary": EVERYWHERE,
    "metadata": EVERYWHERE | {BRANCH, TOOL, SKILL},
    "redacted": EVERYWHERE | {BRANCH, TOOL, SKILL, JOURNAL} | TEXTS,
    "raw": EVERYWHERE | {BRANCH, TOOL, SKILL, JOURNAL, TORN} | TEXTS,
}


def named(root: Path) -> None:
    """A session that names things."""
    made = Transcript("s-named", f"/home/{FOLDER}/{PROJECT}", branch=BRANCH)
    made.entry("custom-title", customTitle=TITLE)
    command = f"<command-message>x</command-message><command-name>/{SLASH}</command-name>"
    made.user(command)
    made.says("done", model=MODEL, attributionSkill=SKILL)
    made.answers([tool_block(TOOL, {})]).returns("ok").save(root)


def words(bodies: list[bytes]) -> set[str]:
    """The planted words in all that was sent, unpacked."""
    data = b"\n".join(part for body in bodies for part in contents(body)).lower()
    return {word for word in (*WORDS, *NAMED) if word.encode() in data}


def contents(body: bytes) -> Iterator[bytes]:
    envelope = opened(body)
    assert isinstance(envelope, Envelope)
    yield msgspec.msgpack.encode(envelope)
    pieces = [piece for one in envelope.shipments for piece in one.pieces]
    pieces += [piece for one in envelope.outputs for piece in one.pieces]
    for one in pieces:
        yield unpacked(Segment(0, 0, one.begins, one.ends, one.checksum, one.packed)) or b""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every envelope that a collector sends."""
    bodies: list[bytes] = []
    send = HubLink.send

    def noting(self: HubLink, body: bytes) -> object:
        bodies.append(body)
        return send(self, body)

    monkeypatch.setattr(HubLink, "send", noting)
    return bodies


def test_each_mode_sends_what_the_table_says(
    hub: HubDatabase, home: Path, sent: list[bytes]
) -> None:
    planted(home / ".claude", home / "unspool")
    named(home / ".claude")
    indexed(home / ".claude")
    hub.person()
    code = hub.people.new_code(1, NOW)
    found, kept, why = {}, {}, {}
    with listening(hub) as url:
        assert main(["collect", "--once", "--hub", url, "--code", code, "--name", "laptop"]) == 0
        for mode in ("raw", "redacted", "metadata", "summary"):
            sent.clear()
            assert main(["collect", "--once", "--again", "--mode", mode]) == 0
            for _ in hub.store(1).merge():
                pass
            found[mode], kept[mode] = words(sent), hub.holds((*WORDS, *NAMED))
            why[mode] = withheld(hub.people, "laptop~x")
            assert main(["collect", "--once"]) == 0  # nothing is left to send

    assert found == LEAVES
    assert kept == LEAVES  # what was sent before in another mode is gone
    assert MARK not in found["raw"]
    assert {mode: text for mode, text in why.items() if text} == {
        "metadata": "This machine sends no texts: mode metadata.",
        "summary": "This machine sends only counts and costs: mode summary.",
    }
