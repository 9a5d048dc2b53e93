"""Timelines: the events of a session, in order, by page and as they come."""
