"""Bytes -> what Claude Code wrote: total and pure."""
