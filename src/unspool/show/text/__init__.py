"""A session as lines of styled text, for a terminal or a pipe."""
