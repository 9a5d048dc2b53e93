"""Calls and responses of many sessions -> what they have in common."""
