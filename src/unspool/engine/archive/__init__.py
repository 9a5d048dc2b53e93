"""Bytes of lines: from files, or else from the archive."""
