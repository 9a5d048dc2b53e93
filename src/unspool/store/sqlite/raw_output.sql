-- Tool outputs that were too long for their lines, each in a file that Claude Code deletes with
-- its session.

CREATE TABLE output (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL,
    path TEXT NOT NULL, -- below the root
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    checksum INTEGER NOT NULL, -- crc32 of packed
    packed BLOB NOT NULL,      -- one zstd frame
    UNIQUE (root, path)
) STRICT;
