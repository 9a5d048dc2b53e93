-- The archive: bytes of transcripts as they were, which outlive the files and every rebuild.

CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    checksum INTEGER NOT NULL, -- crc32 of packed
    packed BLOB NOT NULL       -- one zstd frame
) STRICT;
CREATE UNIQUE INDEX segment_place ON segment (source_id, generation, begins, ends);

-- Which file a generation is of: the names a rebuild needs when there is no index.
CREATE TABLE generation (
    source_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    PRIMARY KEY (source_id, generation)
) STRICT, WITHOUT ROWID;
