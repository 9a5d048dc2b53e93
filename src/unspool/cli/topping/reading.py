"""A session of the board -> its lines, the newest part of it as `unspool show` tells it."""

from collections.abc import Iterator, Sequence
from typing import Final

from unspool.cli import config
from unspool.cli.stores import Stores
from unspool.cli.topping.clean import Clean
from unspool.errors import UnspoolError
from unspool.model.board import BoardRow
from unspool.model.document import SessionDocument
from unspool.recall import Recall, Session
from unspool.show import safe
from unspool.show.money import plural
from unspool.show.spans import BLANK, Line
from unspool.show.text.agents import Agents, Trace, trace
from unspool.show.text.footer import footer
from unspool.show.text.frame import Frame
from unspool.show.text.header import header
from unspool.show.text.story import Teller

# Who opens a live session wants to know what happens now.
_NEWEST: Final = 200


def story(explicit: Sequence[str], row: BoardRow, width: int, clean: Clean) -> Iterator[Line]:
    """The lines of a session, or the sentence that says why there are none."""
    try:
        with Stores(explicit).recalling() as recall:
            yield from _told(_open(recall, row), Frame(width, config.now()), clean)
    except UnspoolError as error:
        for said in safe.lines(str(error)):
            yield (("bad", said),)


def _open(recall: Recall, row: BoardRow) -> Session:
    session = row.session
    return recall.open(recall.find(session.id, project=session.project_id))


def _told(session: Session, frame: Frame, clean: Clean) -> Iterator[Line]:
    first = max(0, len(session.fold.chunks.spans) - _NEWEST)
    document: SessionDocument = clean.value(session.document(first=first, limit=_NEWEST))
    agents = Agents(document.subagents, lambda id: _trace(session, id, clean), frame)
    yield from header(document, frame)
    if first:
        earlier = plural(first, "part")
        yield (("dim", f"… {earlier} before this: unspool show {session.id}"),)
        yield BLANK
    yield from Teller(document, agents, frame).tell(document)
    yield from footer(document, frame)


def _trace(session: Session, agent_id: str, clean: Clean) -> Trace:
    return trace(clean.value(session.agent(agent_id).document(bodies=False)))
