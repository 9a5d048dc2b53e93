-- Sessions that were forgotten on their machines, by a hash of their names there.
CREATE TABLE forgotten (
    owner int NOT NULL,
    machine int NOT NULL REFERENCES machine,
    name text NOT NULL,            -- SHA-256 of project and session
    at bigint NOT NULL,
    is_restored boolean NOT NULL,  -- taken back on the machine: it may be sent again
    PRIMARY KEY (machine, name)
);

-- Words of erased texts: those that other texts have go back into `word`.
CREATE TABLE stale_word (
    owner int NOT NULL,
    word text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, word)
);

-- It repeats responses of an erased session: what it used is added up again.
ALTER TABLE source ADD is_uncounted boolean NOT NULL DEFAULT false;
CREATE INDEX source_uncounted ON source (owner) WHERE is_uncounted;
