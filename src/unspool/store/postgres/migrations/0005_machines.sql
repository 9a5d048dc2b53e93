-- What machines say of themselves; NULL where one has not said it yet.

ALTER TABLE machine ADD version text;         -- of unspool there
ALTER TABLE machine ADD waiting_bytes bigint; -- that it has not sent
ALTER TABLE machine ADD waiting_at bigint;    -- when the newest line of them was written
ALTER TABLE machine ADD newest_at bigint;     -- when the newest line that it sent was written
