-- The hub: who may send and who may read, and how far each source of each machine has come.
--
-- Keys, tokens, codes and cookies are 256 random bits, of which only the SHA-256 is here.

CREATE TABLE login_code (
    sha bytea PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    expires_at bigint NOT NULL,
    used_at bigint
);

-- One for each browser.
CREATE TABLE login (
    sha bytea PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX login_owner ON login (owner);

CREATE TABLE machine (
    machine int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    name text UNIQUE NOT NULL,
    platform text NOT NULL DEFAULT '',
    mode text NOT NULL DEFAULT '', -- of the last envelope
    enrolled_at bigint NOT NULL,
    seen_at bigint,
    skew_ms bigint,                -- its clock minus the hub's, the way included
    revoked_at bigint,
    -- What it says of itself; NULL where it has not said it yet.
    version text,                  -- of unspool there
    waiting_bytes bigint,          -- that it has not sent
    waiting_at bigint,             -- when the newest line of them was written
    newest_at bigint,              -- when the newest line that it sent was written
    link text,                     -- the socket that is open; NULL: none is
    linked_at bigint,              -- since when
    link_seen_at bigint,           -- the last sign of life through one
    -- Kept by triggers.
    sources bigint NOT NULL DEFAULT 0,
    bytes numeric NOT NULL DEFAULT 0,
    quarantined bigint NOT NULL DEFAULT 0
);

CREATE TABLE machine_key (
    sha bytea PRIMARY KEY,
    machine int NOT NULL REFERENCES machine,
    created_at bigint NOT NULL,
    expires_at bigint              -- set by a rotation: two keys are good for a day
);
CREATE INDEX machine_key_machine ON machine_key (machine);

CREATE TABLE enrolment (
    sha bytea PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    machine int REFERENCES machine, -- for another key of a machine that is there
    expires_at bigint NOT NULL,
    used_at bigint
);

-- A file of a machine: the number it has here, and its checkpoint, which moves with its rows.
CREATE TABLE shipped (
    source_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    local_id bigint NOT NULL,      -- the number it has on its machine
    edition bigint NOT NULL,       -- how often it began anew here: its generation in `source`
    generation bigint NOT NULL,    -- its generation on the machine
    "offset" bigint NOT NULL,
    mark bytea NOT NULL,           -- of the bytes before the offset, as the machine has them
    archived bigint NOT NULL,      -- up to here there are bytes
    is_gone boolean NOT NULL,
    mode text NOT NULL,
    rules bigint NOT NULL,
    UNIQUE (machine, local_id)
);

-- What machines say through their WebSockets: the rows of their boards.
CREATE TABLE live (
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    project_id text NOT NULL,
    session_id text NOT NULL,
    row bytea NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (machine, project_id, session_id)
);

CREATE TABLE quarantine (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    source_id bigint NOT NULL,
    begins bigint NOT NULL,
    at bigint NOT NULL,
    reason text NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX quarantine_machine ON quarantine (machine);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    person int,                    -- who did it; NULL: a command on the hub itself
    machine int,                   -- which one it is about
    what text NOT NULL,
    about text NOT NULL,
    address text NOT NULL DEFAULT ''
);

-- Sessions that were forgotten on their machines, by a hash of their names there.
CREATE TABLE forgotten (
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    name text NOT NULL,            -- SHA-256 of project and session
    at bigint NOT NULL,
    is_restored boolean NOT NULL,  -- taken back on the machine: it may be sent again
    PRIMARY KEY (machine, name)
);
