"""Subagents: the call that started each, the proof of it, and the tree they form."""
