"""Subagents: which call started each, what proves it, and the tree they form."""
