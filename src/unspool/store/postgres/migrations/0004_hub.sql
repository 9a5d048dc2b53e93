-- The hub: who may send and who may read, and how far each source of each machine has come.
--
-- Keys, tokens and codes are 256 random bits, of which only the SHA-256 is here.

ALTER TABLE person ADD name text UNIQUE; -- NULL: an owner whom nobody has named, or a draft
ALTER TABLE person ADD role text NOT NULL DEFAULT 'member'
    CHECK (role IN ('member', 'lead', 'admin'));
ALTER TABLE person ADD token_sha bytea UNIQUE;
ALTER TABLE person ADD created_at bigint NOT NULL DEFAULT 0;
ALTER TABLE person ADD closed_at bigint;

CREATE TABLE machine (
    machine int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    name text UNIQUE NOT NULL,
    platform text NOT NULL DEFAULT '',
    mode text NOT NULL DEFAULT '', -- of the last envelope
    enrolled_at bigint NOT NULL,
    seen_at bigint,
    skew_ms bigint,                -- its clock minus the hub's, the way included
    revoked_at bigint
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

CREATE TABLE live (
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    session_id text NOT NULL,
    row bytea NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (machine, session_id)
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
    person int,
    machine int,
    what text NOT NULL,
    about text NOT NULL
);
