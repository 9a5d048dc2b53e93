-- People, the feed's counter, and the archive: raw bytes, which nothing else could bring back.
--
-- `owner` begins every key: it says who may see a row, and rows could be spread by it.
-- Times are milliseconds since 1970. What data decides is bigint: a hostile file may hold any number.

-- A row for each owner: whoever writes for one locks it. A rebuilt index is filled under the
-- number below zero, so its owner's own rows stay as they are until the end.
CREATE TABLE person (
    owner int PRIMARY KEY,
    seq bigint NOT NULL DEFAULT 0,   -- of the owner's last change
    prices text NOT NULL DEFAULT '', -- the table the ledger was last priced by
    marks bigint NOT NULL DEFAULT 0, -- how often a mark of theirs changed
    edition bigint NOT NULL DEFAULT 0, -- how often their index was rebuilt
    name text UNIQUE, -- NULL: an owner whom nobody has named, or a draft
    role text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'lead', 'admin')),
    token_sha bytea UNIQUE,
    created_at bigint NOT NULL DEFAULT 0,
    closed_at bigint
);

-- One counter for all owners, taken at the end of a transaction: whoever has seen a seq has seen
-- every lower one.
CREATE TABLE head (one boolean PRIMARY KEY DEFAULT true CHECK (one), seq bigint NOT NULL);
INSERT INTO head VALUES (true, 0);

CREATE TABLE generation (
    owner int NOT NULL,
    source_id bigint NOT NULL,
    generation bigint NOT NULL,
    root text NOT NULL,
    path text NOT NULL,
    kind text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    agent_id text NOT NULL,
    PRIMARY KEY (owner, source_id, generation)
);

-- Pieces of at most 256 KiB: to read a line back, one of them is unpacked.
CREATE TABLE segment (
    owner int NOT NULL,
    source_id bigint NOT NULL,
    generation bigint NOT NULL,
    begins bigint NOT NULL,
    at bigint NOT NULL, -- when it was archived
    ends bigint NOT NULL,
    is_cut boolean NOT NULL, -- its last line goes on in the next piece
    checksum bigint NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY (owner, source_id, generation, begins, at)
) PARTITION BY RANGE (at);
ALTER TABLE segment ALTER packed SET STORAGE EXTERNAL; -- packed already: another try costs CPU
CREATE TABLE segment_other PARTITION OF segment DEFAULT;

CREATE TABLE output (
    output bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    root text NOT NULL,
    path text NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    source_id bigint, -- the row in `shipped`, where a machine sent it
    PRIMARY KEY (owner, output)
);
CREATE INDEX output_path ON output (owner, md5(path)); -- a path may be longer than a key

CREATE TABLE output_piece (
    owner int NOT NULL,
    output bigint NOT NULL,
    begins bigint NOT NULL,
    ends bigint NOT NULL,
    checksum bigint NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY (owner, output, begins)
);
ALTER TABLE output_piece ALTER packed SET STORAGE EXTERNAL;

CREATE TABLE mark (
    viewer int NOT NULL,
    owner int NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    pinned boolean NOT NULL,
    hidden boolean NOT NULL,
    title text NOT NULL,
    PRIMARY KEY (viewer, owner, project_id, session_id)
);
