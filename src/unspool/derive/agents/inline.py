"""Sidechain lines of a main file -> the agents that wrote them: before 2.0 agents had no file."""

import re
from hashlib import blake2b
from typing import Final

from msgspec import structs

from unspool.model.message import Message

# What a URL path can hold; a line may have any id.
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,127}")


class InlineAgents:
    """Fed every sidechain message of a main file, in order."""

    def __init__(self, last: str = "") -> None:
        self.last = last  # the agent that wrote last
        self._agents: dict[str, str] = {}  # by uuid of the line

    def add(self, uuid: str, agent: str) -> None:
        """Note the agent of an earlier line."""
        self._agents[uuid] = agent

    def name(self, message: Message) -> Message:
        """The message with the id of its agent.

        That is its `agentId`, else the agent of its parent line. A prompt, or a line without a
        parent, begins an agent, whose id is made from it. A line whose parent is missing belongs
        to the agent that wrote last.
        """
        known = self._agents
        agent = (
            as_id(message.agent_id)
            or known.get(message.uuid)
            or known.get(message.parent_uuid)
            or known.get(message.logical_parent_uuid)
            or self._begin(message)
        )
        if message.uuid:
            known[message.uuid] = agent
        self.last = agent
        return message if agent == message.agent_id else structs.replace(message, agent_id=agent)

    def _begin(self, message: Message) -> str:
        begins = message.category == "user" or not message.parent_uuid
        if self.last and not (begins and message.uuid):
            return self.last
        return _inline_id(message.uuid or f"{message.line}.{message.part}")


def as_id(agent_id: str) -> str:
    """The id as it is, or one made from it that a URL path can hold."""
    return agent_id if not agent_id or _ID.fullmatch(agent_id) else _inline_id(agent_id)


def _inline_id(name: str) -> str:
    id = f"inline-{name}"
    if _ID.fullmatch(id):
        return id
    return f"inline-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
