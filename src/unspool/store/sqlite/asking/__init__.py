"""Questions about many sessions at once, each a few indexed reads."""
