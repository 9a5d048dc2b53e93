"""Scenarios: what can happen in a session, each a function that adds it."""
