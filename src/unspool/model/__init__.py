"""Nouns: what Claude Code wrote, and what we say about it. Structs only, no logic."""
