"""Parent links -> branches: what a rewind left behind, and what a fork copied.

File order is the reading order; the links only say which messages lie on the path the
conversation is on now. A line whose parent is missing continues the line before it: a branch
is claimed where two answers or prompts share a parent, and nowhere else.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from msgspec import Struct

from unspool.model.document import SessionLink
from unspool.model.message import Message


class Threads(Struct, frozen=True):
    """The current path is branch 0; `labels` names the branch of every message off it."""

    leaf: str = ""
    branches: int = 0
    labels: dict[str, int] = {}

    def branch_of(self, uuid: str) -> int:
        """Which branch a message is on; 0 is the current path."""
        return self.labels.get(uuid, 0)


class _Labels(Struct, eq=False):
    """The labels of a file up to a leaf."""

    labels: dict[str, int]
    before: dict[str, str]  # the message that stands before another
    branches: int
    leaf: str
    left: set[str]  # responses that have lines off the path


class ThreadFold:
    """Keeps each message under its uuid; one written twice counts where it stood last.

    Labels are found once and kept while lines only go on from the last leaf; any other line, such
    as one of a rewind, makes them be found again.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Message] = {}
        self._links: dict[str, str] = {}
        self._leaf = self._last = ""
        self._may_part = False
        self._missing: set[str] = set()  # parents that nobody knows so far
        self._known: _Labels | None = None
        self._fresh: list[Message] = []  # fed since the labels were found
        self._originals: set[str] | None = None

    def feed(self, message: Message) -> None:
        """Add the next message of the file."""
        uuid = message.uuid
        if not uuid:
            return
        nodes = self._nodes
        if uuid in nodes:
            del nodes[uuid]
            self._known = self._originals = None
        self._note(uuid, message.parent_uuid or message.logical_parent_uuid)
        if self._known is not None:
            self._known.before[uuid] = next(reversed(nodes), "")
            self._fresh.append(message)
        nodes[uuid] = message
        if self._originals is not None:
            self._originals.add(canonical(message))
        if _speaks(message):
            self._leaf = uuid
            if message.parent_uuid != self._last and message.parent_uuid:
                self._may_part = True
        self._last = uuid

    def feed_link(self, uuid: str | None, parent: str | None) -> None:
        """Add a line that is no message but may be somebody's parent, such as old progress."""
        if uuid:
            self._note(uuid, "")
            known = parent in self._nodes or parent in self._links
            self._links[uuid] = parent if parent and known else self._last
            self._last = uuid

    def _note(self, uuid: str, parent: str) -> None:
        """Forget the labels if this line is one that earlier lines may hang from."""
        if uuid in self._missing or uuid in self._links:
            self._known = None
        if parent and parent not in self._nodes and parent not in self._links:
            self._missing.add(parent)

    def threads(self) -> Threads:
        """The branches as they are now."""
        if not self._may_part:
            return Threads(self._leaf)
        if self._known is None or not all(map(self._goes_on, self._fresh)):
            before = {later: earlier for earlier, later in pairwise(self._nodes)}
            labels = self._labels(self._runs(before), before)
            left = {id for uuid in labels if (id := self._nodes[uuid].message_id)}
            self._known = _Labels(labels, before, len(set(labels.values())), self._leaf, left)
        self._fresh.clear()
        return Threads(self._leaf, self._known.branches, self._known.labels)

    def _goes_on(self, message: Message) -> bool:
        """Label one more message; False if it may change the labels of others."""
        known = self._known
        if known is None:
            return False
        if not _speaks(message):
            if label := known.labels.get(self._above(message.uuid, known.before)):
                known.labels[message.uuid] = label
                known.left |= {message.message_id} - {""}
            return True
        parent = self._speaker_above(message, known)
        is_next = parent is not None and self._is_leaf(parent, known)
        known.leaf = message.uuid
        return is_next and message.message_id not in known.left

    def _speaker_above(self, message: Message, known: "_Labels") -> str | None:
        """The prompt or answer that a message hangs from, "" if none; None: it is off the path."""
        for uuid in self._upwards(message.uuid, known):
            node = self._nodes.get(uuid)
            if uuid in known.labels or (node is not None and node.message_id in known.left):
                return None
            if node is not None and _speaks(node):
                return uuid
        return ""

    def _is_leaf(self, uuid: str, known: "_Labels") -> bool:
        """Whether it is the last leaf, or a line of the same response above that."""
        if uuid == known.leaf:
            return True
        response = self._nodes[known.leaf].message_id if uuid and known.leaf else ""
        for at in self._upwards(known.leaf, known) if response else ():
            node = self._nodes.get(at)
            if node is not None and _speaks(node) and node.message_id != response:
                return False
            if at == uuid:
                return True
        return False

    def _upwards(self, uuid: str, known: "_Labels") -> Iterator[str]:
        """The lines above one, each once: links may go in a circle."""
        passed = {"", uuid}
        while (uuid := self._above(uuid, known.before)) not in passed:
            passed.add(uuid)
            yield uuid

    def originals(self) -> set[str]:
        """The uuid each message had where it was first written; the set grows with the file."""
        if self._originals is None:
            self._originals = {canonical(message) for message in self._nodes.values()}
        return self._originals

    def _runs(self, before: dict[str, str]) -> dict[str, int]:
        """From the last leaf upwards, then from each leaf that is left: uuid -> which walk."""
        nodes, links = self._nodes, self._links
        runs: dict[str, int] = {}
        seen: set[str] = set()
        spoken: dict[str, int] = {}  # lines of one response belong together, wherever they hang
        walks = 0
        for message in reversed(nodes.values()):
            uuid = message.uuid
            if uuid in seen or not _speaks(message):
                continue
            run = spoken.get(message.message_id, walks)
            walks += run == walks
            while uuid and uuid not in seen:
                seen.add(uuid)
                node = nodes.get(uuid)
                if node is None:
                    uuid = links.get(uuid, "")
                    continue
                if not _is_result(node):
                    run = spoken.setdefault(node.message_id, run) if node.message_id else run
                    runs[uuid] = run
                # As `_above` has it, which is asked too often to be called.
                parent = node.parent_uuid or node.logical_parent_uuid
                uuid = parent if parent in nodes or parent in links else before.get(uuid, "")
        return runs

    def _labels(self, runs: dict[str, int], before: dict[str, str]) -> dict[str, int]:
        """Number the walks in reading order; results and notes go with what they hang from."""
        numbers: dict[int, int] = {0: 0}
        labels: dict[str, int] = {}
        for uuid in self._nodes:
            run = runs.get(uuid)
            if run is None:
                run = runs[uuid] = runs.get(self._above(uuid, before), 0)
            if run:
                labels[uuid] = numbers.setdefault(run, len(numbers))
        return labels

    def _above(self, uuid: str, before: dict[str, str]) -> str:
        node = self._nodes.get(uuid)
        if node is None:
            return self._links.get(uuid, "")
        parent = node.parent_uuid or node.logical_parent_uuid
        known = parent in self._nodes or parent in self._links
        return parent if known else before.get(uuid, "")


def _speaks(message: Message) -> bool:
    """A prompt or a model's answer: what a branch is made of."""
    voice = message.voice
    return voice == "prompt" or (voice == "" and message.type == "assistant")


def _is_result(message: Message) -> bool:
    return message.type == "user" and message.voice == ""


def threads(messages: Iterable[Message]) -> Threads:
    """A whole session at once."""
    fold = ThreadFold()
    for message in messages:
        fold.feed(message)
    return fold.threads()


def canonical(message: Message) -> str:
    """The uuid of the line a copy was made from, else its own."""
    return (message.forked_from[1] if message.forked_from else "") or message.uuid


class Lineage(Struct, frozen=True):
    """What fork recognition asks of one session."""

    id: str
    originals: Set[str]
    forked_from: str = ""  # the session its lines name
    born: int | None = None  # a copy has the start of what it copies: then the next two decide
    began_here: bool = False
    written: int = 0  # when its file was last changed


def shared(a: Set[str], b: Set[str]) -> int:
    """How many lines two sessions have in common."""
    return len(a & b)


def forks(sessions: Sequence[Lineage]) -> dict[str, SessionLink]:
    """Session -> the one it was copied from; a line belongs to the session born first."""
    links: dict[str, SessionLink] = {}
    owners: dict[str, int] = {}
    ordered = sorted(sessions, key=_seniority)
    for number, session in enumerate(ordered):
        originals = session.originals if len(ordered) > 1 else ()
        held = [owners.setdefault(uuid, number) for uuid in originals]
        copied = [owner for owner in held if owner != number]
        if session.forked_from and session.forked_from != session.id:
            links[session.id] = SessionLink(session.forked_from, 1.0, "forkedFrom")
        elif copied:
            # Who holds a line of a fork was copied from that fork, not from where it began.
            reason = f"{len(copied)} of {len(held)} lines shared"
            confidence = 0.9 if len(copied) > 1 else 0.5
            links[session.id] = SessionLink(ordered[max(copied)].id, confidence, reason)
    return links


def _seniority(one: Lineage) -> tuple[bool, int, bool, int, str]:
    return one.born is None, one.born or 0, not one.began_here, one.written, one.id
