-- Why something was spent: sums of each session by days of the hub's clock, and of all by day.
--
-- Upkeep makes them from what commits have written, so no commit waits for them.

CREATE TABLE session_cause (
    owner int NOT NULL,
    session bigint NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    side text COLLATE "C" NOT NULL, -- by what: tool, agent, ...
    name text COLLATE "C" NOT NULL,
    input_tokens numeric NOT NULL,
    output_tokens numeric NOT NULL,
    cache_read_tokens numeric NOT NULL,
    cache_creation_tokens numeric NOT NULL,
    web_searches numeric NOT NULL,
    usd_pico numeric NOT NULL,
    unpriced bigint NOT NULL,
    lower_bound bigint NOT NULL,
    responses bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (owner, session, day, model, side, name)
);
CREATE INDEX session_cause_day ON session_cause (day);
CREATE INDEX session_cause_project ON session_cause (owner, project_id, day);

-- The same of everybody.
CREATE TABLE day_cause (
    day bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    side text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    input_tokens numeric NOT NULL,
    output_tokens numeric NOT NULL,
    cache_read_tokens numeric NOT NULL,
    cache_creation_tokens numeric NOT NULL,
    web_searches numeric NOT NULL,
    usd_pico numeric NOT NULL,
    unpriced bigint NOT NULL,
    lower_bound bigint NOT NULL,
    responses bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (day, model, side, name)
);

CREATE TABLE cache_break (
    owner int NOT NULL,
    session bigint NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    usd_pico numeric NOT NULL,
    tokens bigint NOT NULL,
    why text NOT NULL,
    agent_id text NOT NULL,
    line bigint NOT NULL
);
CREATE INDEX cache_break_session ON cache_break (owner, session);
CREATE INDEX cache_break_worst ON cache_break (day, usd_pico DESC);

-- How far the feed of an owner was followed, and by which prices, clock and rules.
CREATE TABLE cause_state (
    owner int PRIMARY KEY,
    seq bigint NOT NULL,
    rules text NOT NULL
);

-- Sessions that have changed since they were added up, and days of which one was.
CREATE TABLE stale_cause (
    owner int NOT NULL,
    session bigint NOT NULL,
    seq bigint NOT NULL,                -- of the change
    taken_at bigint NOT NULL DEFAULT 0, -- when a process began to add it up
    PRIMARY KEY (owner, session)
);
CREATE TABLE stale_day (day bigint PRIMARY KEY);

-- Whoever writes sums of sessions goes alone until their transaction ends, and takes this lock
-- before any row of them: then nobody has a day that they wait for.
CREATE FUNCTION causes_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'756e7370'::int, 2);
    RETURN NULL;
END
$$;
CREATE TRIGGER session_cause_alone BEFORE INSERT OR UPDATE OR DELETE ON session_cause
    FOR EACH STATEMENT EXECUTE FUNCTION causes_alone();

CREATE FUNCTION causes_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unspool.stale_day SELECT DISTINCT day FROM changed ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER session_cause_inserted AFTER INSERT ON session_cause
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION causes_changed();
CREATE TRIGGER session_cause_deleted AFTER DELETE ON session_cause
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION causes_changed();

-- A session that goes takes them with it, whoever drops it.
CREATE FUNCTION sessions_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM unspool.session_cause AS c USING changed AS e
    WHERE c.owner = e.owner AND c.session = e.session;
    DELETE FROM unspool.cache_break AS c USING changed AS e
    WHERE c.owner = e.owner AND c.session = e.session;
    DELETE FROM unspool.stale_cause AS c USING changed AS e
    WHERE c.owner = e.owner AND c.session = e.session;
    RETURN NULL;
END
$$;
CREATE TRIGGER session_gone AFTER DELETE ON session
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sessions_gone();
