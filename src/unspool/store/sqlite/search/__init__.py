"""Full-text search: terms -> lines, newest or best first.

`hits` runs a search: it walks over `candidates`, which read `postings` of the full-text indexes
in `ranges` of line numbers and keep what passes the `filters`; `matching` turns terms into
expressions of the indexes and checks phrases that an index cannot check.
"""
