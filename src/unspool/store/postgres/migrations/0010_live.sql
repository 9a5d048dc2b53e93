-- What machines say through their WebSocket, and since when one is open.

ALTER TABLE live ADD project_id text NOT NULL;
ALTER TABLE live DROP CONSTRAINT live_pkey;
ALTER TABLE live ADD PRIMARY KEY (machine, project_id, session_id);

ALTER TABLE machine ADD link text;             -- the socket that is open; NULL: none is
ALTER TABLE machine ADD linked_at bigint;      -- since when
ALTER TABLE machine ADD link_seen_at bigint;   -- the last sign of life through one
