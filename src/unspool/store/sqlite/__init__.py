"""The index and the archive in SQLite."""

# Raise it with every change of schema.sql. It stands here for those who load nothing else.
INDEX_VERSION = 10
