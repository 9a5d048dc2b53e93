-- Text that can be searched. Commits only put texts down in `new_text`; the projection turns them
-- into words afterwards, so that nobody who commits waits for the index of words.

CREATE TABLE new_text (
    text bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    at bigint NOT NULL,
    text_kind text NOT NULL,
    bodies text[] NOT NULL,
    PRIMARY KEY (owner, text)
);
CREATE INDEX new_text_at ON new_text (owner, at DESC);
CREATE INDEX new_text_source ON new_text (owner, source, "offset");

-- A vector holds 2^14 places and 256 of one word: a longer text has several parts.
CREATE TABLE body (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    at bigint NOT NULL,
    part bigint NOT NULL,
    parts bigint NOT NULL,
    source_id bigint NOT NULL, -- hits of one moment are sorted by it
    session bigint NOT NULL,
    text_kind text NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (owner, source, "offset", part, at)
) PARTITION BY RANGE (at);
-- Without a list of pending entries: every search would read all of it, and for a long one the
-- planner would not use the index at all.
CREATE INDEX body_words ON body USING gin (words) WITH (fastupdate = off);
CREATE INDEX body_at ON body (owner, at DESC, source_id DESC, "offset" DESC);
-- The newest texts of everybody, for words that are in many of them. By a negative time: for the
-- newest of one owner the planner would go through those of everybody else.
CREATE INDEX body_newest ON body ((-at), source_id DESC, "offset" DESC);
CREATE TABLE body_other PARTITION OF body DEFAULT;

-- Every word once, to find those that contain a part.
CREATE TABLE word (
    owner int NOT NULL,
    word text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, word)
);

-- Words of erased texts: those that other texts have go back into `word`.
CREATE TABLE stale_word (
    owner int NOT NULL,
    word text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, word)
);
