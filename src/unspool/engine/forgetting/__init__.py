"""Forgetting sessions: which are meant, what is erased, what stays on disk."""
