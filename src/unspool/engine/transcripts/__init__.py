"""Transcripts, read and folded: from files, from the archive, or made of hook events."""
