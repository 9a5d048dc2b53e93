"""Sidechain lines of a main file -> the agents that wrote them: before 2.0 agents had no file."""

from msgspec import structs

from unspool.derive.reading.agent_ids import as_id, inline_id
from unspool.model.message import Message


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
        return inline_id(message.uuid or f"{message.line}.{message.part}")
