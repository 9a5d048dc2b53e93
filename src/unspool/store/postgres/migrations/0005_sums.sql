-- What requests read instead of all history: sums, counts, and indexes in the order of lists.
--
-- Triggers keep them, in the transaction of the rows they add up. So they follow whatever writes
-- these rows: commits, rebuilds, forgetting, a hub of an older version.
-- A row that is there adds what it has, and one that is gone takes it away: the sign is 1 or -1. An
-- update is both; of the triggers of one table the first by name runs first.

-- The newest sessions of everybody, and of a project. Lists of one owner have `session_newest`.
CREATE INDEX session_newest_of_all
    ON session ((coalesce(last_activity, 0)) DESC, session_id DESC, project_id DESC);
CREATE INDEX session_newest_of_project ON session
    (owner, project_id, (coalesce(last_activity, 0)) DESC, session_id DESC) INCLUDE (is_displayable);
CREATE INDEX session_first_of_project ON session (owner, project_id, start_time)
    WHERE is_displayable AND start_time IS NOT NULL;
CREATE INDEX session_cwd_of_project ON session (owner, project_id, last_activity DESC NULLS LAST)
    WHERE is_displayable AND cwd <> '';
CREATE INDEX touched_newest ON touched (at DESC);
CREATE INDEX touched_newest_of_path ON touched (md5(path), at DESC);

-- The listed sessions of a project, and what they spent.
CREATE TABLE project (
    owner int NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    sessions bigint NOT NULL DEFAULT 0,
    input_tokens numeric NOT NULL DEFAULT 0,
    output_tokens numeric NOT NULL DEFAULT 0,
    cache_read_tokens numeric NOT NULL DEFAULT 0,
    cache_creation_tokens numeric NOT NULL DEFAULT 0,
    usd_pico numeric NOT NULL DEFAULT 0,
    unpriced bigint NOT NULL DEFAULT 0,
    lower_bound bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, project_id)
);

-- `total` by whole hours of UTC, for reports of days; without sessions and agents.
CREATE TABLE hour_total (
    owner int NOT NULL,
    hour bigint NOT NULL,
    is_dated boolean NOT NULL, -- false: some of its responses have no time
    project_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
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
    PRIMARY KEY (owner, hour, project_id, model, is_dated)
);

-- What an owner's index holds.
CREATE TABLE holding (
    owner int PRIMARY KEY,
    lines numeric NOT NULL DEFAULT 0,
    superseded numeric NOT NULL DEFAULT 0,
    bad_lines numeric NOT NULL DEFAULT 0,
    hook_files bigint NOT NULL DEFAULT 0,
    sources bigint NOT NULL DEFAULT 0,
    gone bigint NOT NULL DEFAULT 0,
    sessions bigint NOT NULL DEFAULT 0,
    hook_events bigint NOT NULL DEFAULT 0,
    packed_bytes numeric NOT NULL DEFAULT 0,
    archived_bytes numeric NOT NULL DEFAULT 0,
    outputs bigint NOT NULL DEFAULT 0,
    output_bytes numeric NOT NULL DEFAULT 0
);

CREATE FUNCTION project_moved(
    of_owner int, of_project text, sign int, of_sessions bigint, of_input numeric,
    of_output numeric, of_read numeric, of_creation numeric, of_usd numeric, of_unpriced numeric,
    of_lower numeric
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO unspool.project AS p VALUES (of_owner, of_project, sign * of_sessions,
        sign * of_input, sign * of_output, sign * of_read, sign * of_creation, sign * of_usd,
        sign * of_unpriced, sign * of_lower)
    ON CONFLICT (owner, project_id) DO UPDATE SET sessions = p.sessions + excluded.sessions,
        input_tokens = p.input_tokens + excluded.input_tokens,
        output_tokens = p.output_tokens + excluded.output_tokens,
        cache_read_tokens = p.cache_read_tokens + excluded.cache_read_tokens,
        cache_creation_tokens = p.cache_creation_tokens + excluded.cache_creation_tokens,
        usd_pico = p.usd_pico + excluded.usd_pico, unpriced = p.unpriced + excluded.unpriced,
        lower_bound = p.lower_bound + excluded.lower_bound;
    DELETE FROM unspool.project
    WHERE owner = of_owner AND project_id = of_project AND sessions = 0;
$$;

-- Hours are added up again: their first and last times cannot be subtracted. They are joined by
-- equal quarters: by the two ends of a range, every hour would be compared with every total.
CREATE FUNCTION hours_moved(owners int[], hours bigint[])
RETURNS void LANGUAGE sql AS $$
    DELETE FROM unspool.hour_total
    WHERE (owner, hour) IN (SELECT * FROM unnest(owners, hours));
    INSERT INTO unspool.hour_total
    SELECT t.owner, t.quarter / 4, t.first_at > 0, e.project_id, t.model, sum(t.input_tokens),
        sum(t.output_tokens), sum(t.cache_read_tokens), sum(t.cache_creation_tokens),
        sum(t.web_searches), sum(t.usd_pico), sum(t.unpriced), sum(t.lower_bound),
        sum(t.responses), coalesce(min(nullif(t.first_at, 0)), 0), max(t.last_at)
    FROM (
        SELECT DISTINCT o.owner, o.hour * 4 + n AS quarter
        FROM unnest(owners, hours) AS o (owner, hour), generate_series(0, 3) AS n
    ) AS o
    JOIN unspool.total AS t ON t.owner = o.owner AND t.quarter = o.quarter
    JOIN unspool.session AS e ON e.owner = t.owner AND e.session = t.session
    GROUP BY 1, 2, 3, 4, 5;
$$;

CREATE FUNCTION totals_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owners int[]; hours bigint[];
BEGIN
    PERFORM unspool.project_moved(e.owner, e.project_id, TG_ARGV[0]::int, 0, sum(t.input_tokens),
        sum(t.output_tokens), sum(t.cache_read_tokens), sum(t.cache_creation_tokens),
        sum(t.usd_pico), sum(t.unpriced), sum(t.lower_bound))
    FROM changed AS t JOIN unspool.session AS e ON e.owner = t.owner AND e.session = t.session
    WHERE e.is_displayable GROUP BY e.owner, e.project_id;
    SELECT array_agg(owner), array_agg(hour) INTO owners, hours
    FROM (SELECT DISTINCT owner, quarter / 4 AS hour FROM changed) AS of;
    PERFORM unspool.hours_moved(owners, hours);
    RETURN NULL;
END
$$;
CREATE TRIGGER total_inserted AFTER INSERT ON total REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION totals_changed('1');
CREATE TRIGGER total_updated_from AFTER UPDATE ON total REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION totals_changed('-1');
CREATE TRIGGER total_updated_to AFTER UPDATE ON total REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION totals_changed('1');
CREATE TRIGGER total_deleted AFTER DELETE ON total REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION totals_changed('-1');

-- A session comes with what it has spent so far, and goes with it.
CREATE FUNCTION session_moved(of_owner int, of_session bigint, of_project text, sign int)
RETURNS void LANGUAGE sql AS $$
    SELECT unspool.project_moved(of_owner, of_project, sign, 1,
        coalesce(sum(t.input_tokens), 0), coalesce(sum(t.output_tokens), 0),
        coalesce(sum(t.cache_read_tokens), 0), coalesce(sum(t.cache_creation_tokens), 0),
        coalesce(sum(t.usd_pico), 0), coalesce(sum(t.unpriced), 0),
        coalesce(sum(t.lower_bound), 0))
    FROM unspool.total AS t WHERE t.owner = of_owner AND t.session = of_session;
$$;
CREATE FUNCTION session_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF OLD.is_displayable THEN
            PERFORM unspool.session_moved(OLD.owner, OLD.session, OLD.project_id, -1);
        END IF;
        INSERT INTO unspool.holding AS h (owner, sessions) VALUES (OLD.owner, -1)
        ON CONFLICT (owner) DO UPDATE SET sessions = h.sessions - 1;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NEW.is_displayable THEN
            PERFORM unspool.session_moved(NEW.owner, NEW.session, NEW.project_id, 1);
        END IF;
        INSERT INTO unspool.holding AS h (owner, sessions) VALUES (NEW.owner, 1)
        ON CONFLICT (owner) DO UPDATE SET sessions = h.sessions + 1;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER session_added AFTER INSERT OR DELETE ON session
    FOR EACH ROW EXECUTE FUNCTION session_changed();
CREATE TRIGGER session_updated AFTER UPDATE ON session FOR EACH ROW
    WHEN ((OLD.owner, OLD.session, OLD.project_id, OLD.is_displayable)
        IS DISTINCT FROM (NEW.owner, NEW.session, NEW.project_id, NEW.is_displayable))
    EXECUTE FUNCTION session_changed();

CREATE FUNCTION sources_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign int := TG_ARGV[0];
BEGIN
    INSERT INTO unspool.holding AS h
        (owner, lines, superseded, bad_lines, hook_files, sources, gone)
    SELECT owner, sign * coalesce(sum(kept) FILTER (WHERE NOT superseded), 0),
        sign * coalesce(sum(kept) FILTER (WHERE superseded), 0),
        sign * coalesce(sum(bad) FILTER (WHERE NOT superseded), 0),
        sign * count(*) FILTER (WHERE kind IN ('hook_log', 'spool') AND NOT superseded),
        sign * count(*) FILTER (WHERE NOT superseded),
        sign * count(*) FILTER (WHERE gone_at IS NOT NULL AND NOT superseded)
    FROM changed GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET lines = h.lines + excluded.lines,
        superseded = h.superseded + excluded.superseded,
        bad_lines = h.bad_lines + excluded.bad_lines,
        hook_files = h.hook_files + excluded.hook_files,
        sources = h.sources + excluded.sources, gone = h.gone + excluded.gone;
    RETURN NULL;
END
$$;
CREATE TRIGGER source_inserted AFTER INSERT ON source REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION sources_changed('1');
CREATE TRIGGER source_updated_from AFTER UPDATE ON source REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION sources_changed('-1');
CREATE TRIGGER source_updated_to AFTER UPDATE ON source REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION sources_changed('1');
CREATE TRIGGER source_deleted AFTER DELETE ON source REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION sources_changed('-1');

CREATE FUNCTION hooks_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign int := TG_ARGV[0];
BEGIN
    INSERT INTO unspool.holding AS h (owner, hook_events)
    SELECT owner, sign * count(*) FROM changed GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET hook_events = h.hook_events + excluded.hook_events;
    RETURN NULL;
END
$$;
CREATE TRIGGER hook_inserted AFTER INSERT ON hook REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION hooks_changed('1');
CREATE TRIGGER hook_updated_from AFTER UPDATE ON hook REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION hooks_changed('-1');
CREATE TRIGGER hook_updated_to AFTER UPDATE ON hook REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION hooks_changed('1');
CREATE TRIGGER hook_deleted AFTER DELETE ON hook REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION hooks_changed('-1');

CREATE FUNCTION segments_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign int := TG_ARGV[0];
BEGIN
    INSERT INTO unspool.holding AS h (owner, packed_bytes, archived_bytes)
    SELECT owner, sign * sum(length(packed)), sign * sum(ends - begins) FROM changed GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET packed_bytes = h.packed_bytes + excluded.packed_bytes,
        archived_bytes = h.archived_bytes + excluded.archived_bytes;
    RETURN NULL;
END
$$;
CREATE TRIGGER segment_inserted AFTER INSERT ON segment REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION segments_changed('1');
CREATE TRIGGER segment_updated_from AFTER UPDATE ON segment REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION segments_changed('-1');
CREATE TRIGGER segment_updated_to AFTER UPDATE ON segment REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION segments_changed('1');
CREATE TRIGGER segment_deleted AFTER DELETE ON segment REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION segments_changed('-1');

CREATE FUNCTION outputs_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign int := TG_ARGV[0];
BEGIN
    INSERT INTO unspool.holding AS h (owner, outputs, output_bytes)
    SELECT owner, sign * count(*), sign * sum(size) FROM changed GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET outputs = h.outputs + excluded.outputs,
        output_bytes = h.output_bytes + excluded.output_bytes;
    RETURN NULL;
END
$$;
CREATE TRIGGER output_inserted AFTER INSERT ON output REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION outputs_changed('1');
CREATE TRIGGER output_updated_from AFTER UPDATE ON output REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION outputs_changed('-1');
CREATE TRIGGER output_updated_to AFTER UPDATE ON output REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION outputs_changed('1');
CREATE TRIGGER output_deleted AFTER DELETE ON output REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION outputs_changed('-1');

CREATE FUNCTION output_pieces_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign int := TG_ARGV[0];
BEGIN
    INSERT INTO unspool.holding AS h (owner, packed_bytes)
    SELECT owner, sign * sum(length(packed)) FROM changed GROUP BY owner
    ON CONFLICT (owner) DO UPDATE SET packed_bytes = h.packed_bytes + excluded.packed_bytes;
    RETURN NULL;
END
$$;
CREATE TRIGGER output_piece_inserted AFTER INSERT ON output_piece REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION output_pieces_changed('1');
CREATE TRIGGER output_piece_updated_from AFTER UPDATE ON output_piece
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION output_pieces_changed('-1');
CREATE TRIGGER output_piece_updated_to AFTER UPDATE ON output_piece REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION output_pieces_changed('1');
CREATE TRIGGER output_piece_deleted AFTER DELETE ON output_piece REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION output_pieces_changed('-1');

-- What machines have sent: their rows are locked by whoever sends anyway.
CREATE FUNCTION bytes_of(one shipped) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    -- In the other modes a machine sends no bytes, and says only how far it is.
    SELECT CASE WHEN one.mode IN ('redacted', 'raw') THEN one.archived ELSE 0 END
$$;
CREATE FUNCTION shipped_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE unspool.machine SET
        sources = sources + (TG_OP = 'INSERT')::int - (TG_OP = 'DELETE')::int,
        bytes = bytes + CASE WHEN TG_OP <> 'DELETE' THEN unspool.bytes_of(NEW) ELSE 0 END
            - CASE WHEN TG_OP <> 'INSERT' THEN unspool.bytes_of(OLD) ELSE 0 END
    WHERE machine = CASE WHEN TG_OP = 'DELETE' THEN OLD.machine ELSE NEW.machine END;
    RETURN NULL;
END
$$;
CREATE TRIGGER shipped_added AFTER INSERT OR DELETE ON shipped
    FOR EACH ROW EXECUTE FUNCTION shipped_changed();
CREATE TRIGGER shipped_updated AFTER UPDATE ON shipped FOR EACH ROW
    WHEN (OLD.archived <> NEW.archived OR OLD.mode <> NEW.mode)
    EXECUTE FUNCTION shipped_changed();
CREATE FUNCTION quarantine_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE unspool.machine
    SET quarantined = quarantined + (TG_OP = 'INSERT')::int - (TG_OP = 'DELETE')::int
    WHERE machine = CASE WHEN TG_OP = 'DELETE' THEN OLD.machine ELSE NEW.machine END;
    RETURN NULL;
END
$$;
CREATE TRIGGER quarantine_added AFTER INSERT OR DELETE ON quarantine
    FOR EACH ROW EXECUTE FUNCTION quarantine_changed();
