"""Transcripts as the derivations meet them: through the real decode and reading."""

from typing import Any

from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.model.message import Message
from unspool.model.transcript import Entry


def entries_of(transcript: Transcript | bytes) -> list[tuple[Entry, ...]]:
    """The entries of each line."""
    data = transcript if isinstance(transcript, bytes) else transcript.bytes()
    return [decode(line) for line in data.split(b"\n") if line.strip()]


def messages_of(transcript: Transcript | bytes) -> list[Message]:
    """The messages of a whole file."""
    made = (
        read(entry, number, part)
        for number, entries in enumerate(entries_of(transcript), 1)
        for part, entry in enumerate(entries)
    )
    return [message for message in made if message is not None]


def last_of(transcript: Transcript) -> Message:
    """The last message of a file."""
    return messages_of(transcript)[-1]


def heard(content: Any, **fields: Any) -> Message:
    """The message of one user line."""
    return last_of(Transcript().user(content, **fields))


def placed(content: Any, **fields: Any) -> tuple[str, str]:
    """The category and the voice of one user line."""
    message = heard(content, **fields)
    return message.category, message.voice
