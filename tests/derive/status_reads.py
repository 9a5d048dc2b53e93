"""What a made transcript alone says about its status."""

from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.derive.status import StatusFold
from unspool.model.session import TranscriptState


def state_of(transcript: Transcript) -> TranscriptState:
    """Feed a whole file."""
    fold = StatusFold()
    for number, entries in enumerate(entries_of(transcript), 1):
        for entry in entries:
            message = read(entry, number)
            if message is None:
                fold.feed_beside(entry)
            else:
                fold.feed(message, entry)
    return fold.state
