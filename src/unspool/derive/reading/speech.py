"""A message and its text -> the message with what the text says: aloud, in tokens, by name."""

from typing import Final

from msgspec import structs

from unspool.derive.reading import estimate, tags
from unspool.derive.reading.classify import classify
from unspool.derive.reading.heads import beginning
from unspool.model.message import Message, Piece, Voice

HEAD: Final = 500  # characters a message keeps of its text
_NAMES_FILES: Final = ("prompt", "command", "meta")


def aloud(text: str, voice: Voice) -> str:
    """The text as a person should read it."""
    if voice == "teammate" and (sent := tags.teammates(text)):
        return "\n\n".join(one.text for one in sent)
    return tags.reported(text) if voice == "notification" else tags.sanitise(text)


def heard(text: str) -> str:
    """A prompt that only a hook tells of, as a person should read it."""
    return aloud(text, classify(text)[1])


def spoken(message: Message, text: str) -> Message:
    """Note what the text of a message says; its voice is known by now."""
    voice, pieces = message.voice, message.pieces
    clean = aloud(text, voice)
    weight = _team_tokens(text, clean) if voice == "teammate" else estimate.tokens(clean)
    if clean and all(piece.kind != "text" for piece in pieces):
        pieces = (Piece(0, "text", weight), *pieces)
    # A summary names what the conversation had named before.
    names_files = voice in _NAMES_FILES and message.category != "compact"
    return structs.replace(
        message,
        pieces=pieces,
        head=beginning(clean, HEAD),
        text_tokens=weight,
        mentions=tags.mentions(clean) if names_files else (),
        reports=tuple(tags.notifications(text)) if voice == "notification" else (),
    )


def _team_tokens(text: str, clean: str) -> int:
    """Each message of a team is weighed by itself."""
    sent = tags.teammates(text)
    return sum(estimate.tokens(one.text) for one in sent) if sent else estimate.tokens(clean)
