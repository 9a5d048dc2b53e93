"""The door: who may come in, with what, and what goes out with every answer."""

from unspool.serve.door.guard import Guard
from unspool.serve.door.tokens import Tokens
from unspool.serve.door.visit import Door

__all__ = ["Door", "Guard", "Tokens"]
