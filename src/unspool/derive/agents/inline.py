"""Sidechain lines of a main file -> the agents that wrote them: before 2.0 agents had no file.

Whoever reads a main file names its lines here, so that all of them find the same agents.
"""

import re
from hashlib import blake2b
from typing import Final

from msgspec import structs

from unspool.model.message import Message

# What addresses take; a line may claim any id.
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,127}")


class InlineAgents:
    """Fed every sidechain message of a main file, in order."""

    def __init__(self, agents: dict[str, str] | None = None, last: str = "") -> None:
        self.last = last  # the agent that wrote last
        self._agents = agents or {}  # by uuid of the line

    def name(self, message: Message) -> Message:
        """The message with the id of its agent.

        That is its `agentId`, else that of the line it hangs from. A prompt, and what hangs from
        nothing, begins an agent, which is called after it; where only the line is missing from
        which one hangs, it goes on with the agent that wrote last.
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
        return _made_up(message.uuid or f"{message.line}.{message.part}")


def as_id(agent_id: str) -> str:
    """What an `agentId` is called here: as it says, unless no address could hold that."""
    return agent_id if not agent_id or _ID.fullmatch(agent_id) else _made_up(agent_id)


def _made_up(name: str) -> str:
    id = f"inline-{name}"
    if _ID.fullmatch(id):
        return id
    return f"inline-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
