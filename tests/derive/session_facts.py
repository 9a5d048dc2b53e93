"""The facts of a made transcript, through the real decode and reading."""

from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.derive.session_facts import SessionFacts, SessionFactsFold


def session_facts_of(
    transcript: Transcript | bytes, session: str = "s1", agent: str = ""
) -> SessionFacts:
    """What a whole file says about its session."""
    fold = SessionFactsFold(session, agent)
    uuids = set()
    for number, entries in enumerate(entries_of(transcript), 1):
        for part, entry in enumerate(entries):
            message = read(entry, number, part)
            fold.feed(entry, message)
            uuids.add(message.uuid if message else "")
    return fold.facts(uuids)
