"""Ids of agents as lines have them -> ids that a URL path can hold; the tools that name agents."""

import re
from hashlib import blake2b
from typing import Final

SPAWNERS: Final = frozenset({"Task", "Agent"})
# Their calls or results may name an agent.
AGENT_TOOLS: Final = SPAWNERS | {"Workflow", "SendMessage", "Skill"}
COMPACTING: Final = "acompact"  # how the ids of agents begin that compact a context

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]{0,127}")


def as_id(agent_id: str) -> str:
    """The id as it is, or one made from it."""
    return agent_id if not agent_id or _ID.fullmatch(agent_id) else inline_id(agent_id)


def inline_id(name: str) -> str:
    """The id of an agent that has none, by the line it begins with."""
    id = f"inline-{name}"
    if _ID.fullmatch(id):
        return id
    return f"inline-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
