-- How people sign in: links with a code that is good once, and a cookie for each browser.
--
-- Codes and cookies are 256 random bits, of which only the SHA-256 is here.

CREATE TABLE login_code (
    sha bytea PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    expires_at bigint NOT NULL,
    used_at bigint
);

CREATE TABLE login (
    sha bytea PRIMARY KEY,
    owner int NOT NULL REFERENCES person,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX login_owner ON login (owner);

-- `person` is who did it, NULL for a command on the hub itself; `machine` is which one it is about.
ALTER TABLE audit ADD address text NOT NULL DEFAULT '';

-- The files that a machine has not sent to their end.
CREATE INDEX source_waiting ON source (machine)
    WHERE NOT superseded AND gone_at IS NULL AND size > "offset";
