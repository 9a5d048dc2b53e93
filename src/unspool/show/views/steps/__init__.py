"""The reading column of a session: chunks and their steps as things a page can draw."""
