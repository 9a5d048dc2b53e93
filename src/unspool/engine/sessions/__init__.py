"""Sessions: found, read, listed and linked."""
