"""A session -> what a person reads: text for a terminal, JSON for a program."""
