-- The index. Singular names are tables and may change; plural names are views and may not:
-- docs/tables.md describes those, and a test compares the two.
--
-- Times are milliseconds since 1970, money is 1e-12 USD. What many rows repeat is kept once:
-- words in `word`, what a line is in `kind`, where it stands in `source` and `session`.
-- Lines are numbered as they come, so every table that follows them only grows at its end.
-- Long ids are looked up by their crc32: an index over them would be as large as the table.

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO word VALUES (0, '');

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    cwd TEXT NOT NULL DEFAULT '',
    transcript_path TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    goal TEXT NOT NULL DEFAULT '',
    recent_output TEXT, -- NULL, here and below: nobody has told yet
    slug TEXT,
    start_time INTEGER,
    end_time INTEGER,
    last_activity INTEGER,
    git_branch TEXT,
    model TEXT,
    version TEXT,
    entrypoint TEXT,
    compactions INTEGER,
    lines INTEGER,
    bad_lines INTEGER,
    message_count INTEGER,
    is_displayable INTEGER NOT NULL DEFAULT 0, -- until a transcript says otherwise
    origin TEXT NOT NULL DEFAULT '',
    cost_state_usd REAL,
    facts BLOB NOT NULL DEFAULT x'', -- the rest of what its row shows
    is_unlinked INTEGER NOT NULL DEFAULT 0, -- its files said more since its agents were put
    UNIQUE (project_id, session_id)
) STRICT;
CREATE INDEX session_newest ON session (coalesce(last_activity, 0), session_id, project_id);
CREATE INDEX session_listed ON session (project_id, last_activity, start_time)
    WHERE is_displayable;
CREATE INDEX session_branch ON session (git_branch) WHERE is_displayable;
CREATE INDEX session_model ON session (model) WHERE is_displayable;
CREATE INDEX session_unlinked ON session (id) WHERE is_unlinked;
CREATE INDEX session_named ON session (session_id);

-- What sessions have in common with related ones: see `derive/ties.py`.
CREATE TABLE tie (
    tie INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES session,
    PRIMARY KEY (tie, session)
) STRICT, WITHOUT ROWID;

-- One generation of one file, and how far it has been taken in.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES session,
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    "offset" INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    mtime_ns INTEGER NOT NULL DEFAULT 0,
    tail BLOB NOT NULL,
    facts BLOB NOT NULL DEFAULT x'',
    gone_at INTEGER,
    superseded INTEGER NOT NULL DEFAULT 0,
    kept INTEGER NOT NULL DEFAULT 0,   -- rows in `line`
    events INTEGER NOT NULL DEFAULT 0, -- of them, those that are events
    bad INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,  -- rows in `tool` that are calls
    first_line INTEGER,
    last_line INTEGER,
    UNIQUE (source_id, generation)
) STRICT;
CREATE INDEX source_session ON source (session);
CREATE INDEX source_root ON source (root) WHERE NOT superseded;
CREATE INDEX source_spool ON source (source_id) WHERE kind = 'spool';

-- What reading on takes of the files written to last: see `derive/fold_state.py`.
CREATE TABLE fold (
    id INTEGER PRIMARY KEY, -- in the order of writing
    source INTEGER NOT NULL UNIQUE REFERENCES source,
    "offset" INTEGER NOT NULL,
    state BLOB NOT NULL
) STRICT;

-- What lines are: a few hundred combinations, whatever the history.
CREATE TABLE kind (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    subtype TEXT NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    event_type TEXT NOT NULL,
    text_kind TEXT NOT NULL,
    agent_id TEXT NOT NULL, -- '': the file's own
    UNIQUE (type, subtype, role, model, event_type, text_kind, agent_id)
) STRICT;

CREATE TABLE line (
    id INTEGER PRIMARY KEY, -- counted up, never used twice
    source INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    length INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL, -- its time, or that of the line before it
    moment INTEGER,      -- timestamp - at, mostly 0; NULL: it has none
    -- 16 bytes when it is written as usual, else text; NULL: none
    uuid ANY,
    -- These mostly repeat: a number means the same as that many lines before.
    parent ANY,
    message_id ANY,
    request_id ANY
) STRICT;
CREATE UNIQUE INDEX line_place ON line (source, "offset");

-- Runs of lines and when they were written: numbers are in order of arrival, searches of time.
CREATE TABLE block (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    newest INTEGER NOT NULL
) STRICT;
CREATE INDEX block_newest ON block (newest);

CREATE TABLE bad (
    source INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    length INTEGER NOT NULL,
    number INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (source, "offset")
) STRICT, WITHOUT ROWID;

-- Text that can be searched, under the numbers of its lines. What tools put out is nine tenths
-- of it: kept without the places of words in it, it takes a sixth of the room, and a phrase is
-- looked for in the lines that have its words.
CREATE VIRTUAL TABLE said USING fts5 (
    body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE output USING fts5 (
    body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2',
    detail = none
);

-- What each file says of a tool call: the first line that made it, the first that answered.
CREATE TABLE tool (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    crc INTEGER NOT NULL, -- of tool_use_id
    tool_use_id TEXT NOT NULL,
    call INTEGER,     -- line
    called INTEGER,   -- start - the line's at
    name INTEGER,
    agent INTEGER,
    result INTEGER,   -- line
    answered INTEGER, -- end - the line's at
    state INTEGER,
    is_error INTEGER
) STRICT;
CREATE INDEX tool_named ON tool (source, crc);
CREATE INDEX tool_call ON tool (call) WHERE call IS NOT NULL;
CREATE INDEX tool_result ON tool (result) WHERE result IS NOT NULL;

CREATE TABLE hook (
    line INTEGER NOT NULL,
    session INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    timestamp INTEGER,
    event_type INTEGER NOT NULL,
    tool_use_id TEXT NOT NULL,
    tool_name INTEGER NOT NULL,
    decision INTEGER NOT NULL,
    handler_results ANY NOT NULL, -- text, or deflated when that is long
    input ANY NOT NULL,
    agent INTEGER NOT NULL,
    duration_ms REAL,
    source INTEGER NOT NULL, -- the word for where it came from
    print INTEGER NOT NULL,  -- crc32 of what the tool was given, 0: nothing
    uuid TEXT NOT NULL,
    key TEXT NOT NULL -- records of one event share it: always with '=', within 5 s with '~'
) STRICT;
CREATE INDEX hook_line ON hook (line);
CREATE INDEX hook_key ON hook (session, key);
CREATE INDEX hook_tool ON hook (session, tool_use_id) WHERE tool_use_id <> '';
-- Requests for approval, which name no call, and what became of them.
CREATE INDEX hook_asked ON hook (session, timestamp) WHERE tool_use_id = '' AND print <> 0;
CREATE INDEX hook_print ON hook (session, print, timestamp) WHERE print <> 0;

CREATE TABLE touched (
    path INTEGER NOT NULL,
    line INTEGER NOT NULL,
    tool INTEGER NOT NULL,
    PRIMARY KEY (path, line, tool)
) STRICT, WITHOUT ROWID;
CREATE INDEX touched_line ON touched (line);

-- Why something was spent, where a line says so: attributions of answers, and prompts.
CREATE TABLE cause (
    line INTEGER PRIMARY KEY,
    skill INTEGER NOT NULL,
    mcp_server INTEGER NOT NULL,
    agent INTEGER NOT NULL, -- the type of one
    command INTEGER         -- of a prompt; NULL: it is none
) STRICT;
CREATE INDEX cause_prompt ON cause (line) WHERE command IS NOT NULL;

CREATE TABLE oddity (
    line INTEGER NOT NULL,
    version INTEGER NOT NULL,
    what INTEGER NOT NULL,
    name INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (line, version, what, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent (
    session INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    parent_agent_id TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    depth INTEGER NOT NULL,
    proof TEXT NOT NULL,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    start_time INTEGER,
    end_time INTEGER,
    facts BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (session, agent_id)
) STRICT, WITHOUT ROWID;

-- The ledger: one API response, however many lines and files repeat it.
CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    crc INTEGER NOT NULL, -- of message_key
    message_key TEXT NOT NULL,
    rank BLOB NOT NULL,  -- of the line the counts are from
    claim BLOB NOT NULL, -- of the line that owns it
    timestamp INTEGER,
    is_finished INTEGER NOT NULL,
    model INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    cache_creation_5m INTEGER NOT NULL,
    cache_creation_1h INTEGER NOT NULL,
    web_searches INTEGER NOT NULL,
    speed INTEGER NOT NULL,
    geo INTEGER NOT NULL,
    usd_pico INTEGER,    -- NULL: no price is known
    session INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    line INTEGER,
    quarter INTEGER GENERATED ALWAYS AS (max(0, coalesce(timestamp, 0)) / 900000) VIRTUAL
) STRICT;
CREATE INDEX response_named ON response (crc);
-- The writes to the cache are added up by session, from this index alone.
CREATE INDEX response_quarter ON response
    (session, quarter, model, cache_creation_5m, cache_creation_1h);
CREATE INDEX response_line ON response (line) WHERE line IS NOT NULL;

-- The ledger added up by quarters of an hour, kept beside it in the same transaction.
CREATE TABLE total (
    session INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    model INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    web_searches INTEGER NOT NULL,
    usd_pico INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    lower_bound INTEGER NOT NULL,
    responses INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (session, quarter, agent, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX total_quarter ON total (quarter);

-- The feed. A number is never used twice: followers remember theirs.
CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER, -- NULL: every session
    source_id INTEGER NOT NULL, -- 0: no one file
    generation INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    kind TEXT NOT NULL
) STRICT;

CREATE VIEW sources AS
SELECT s.source_id, s.root, s.path, s.generation, s.kind, s.size, s."offset", s.gone_at,
    e.project_id, e.session_id, s.agent_id, s.lines, s.mtime_ns, s.superseded
FROM source AS s JOIN session AS e ON e.id = s.session;

CREATE VIEW projections AS
SELECT 'session' AS name, source_id, generation, "offset" FROM source
UNION ALL SELECT 'text', source_id, generation, "offset" FROM source
UNION ALL SELECT 'usage', source_id, generation, "offset" FROM source;

CREATE VIEW sessions AS
SELECT e.session_id, e.project_id, machine_of_project(e.project_id) AS machine_id,
    e.cwd, e.transcript_path,
    coalesce(nullif(mark_title(e.project_id, e.session_id), ''), e.title) AS title,
    e.goal,
    -- As `show` says it at the time of asking.
    status_now(e.project_id, e.session_id, 'state') AS status,
    status_now(e.project_id, e.session_id, 'evidence') AS status_evidence,
    status_now(e.project_id, e.session_id, 'waiting') AS waiting_state,
    e.start_time, e.last_activity, e.git_branch, '' AS git_context, e.model, e.version, e.slug,
    e.lines,
    (SELECT coalesce(sum(events), 0) FROM source WHERE session = e.id AND NOT superseded)
        AS events,
    (SELECT coalesce(sum(calls), 0) FROM source WHERE session = e.id AND NOT superseded)
        AS tool_calls,
    coalesce(nullif((SELECT count(*) FROM agent WHERE session = e.id), 0),
        iif(e.lines IS NULL, NULL, 0)) AS agents,
    e.compactions,
    (SELECT coalesce(sum(input_tokens), 0) FROM total WHERE session = e.id) AS input_tokens,
    (SELECT coalesce(sum(output_tokens), 0) FROM total WHERE session = e.id) AS output_tokens,
    (SELECT coalesce(sum(cache_read_tokens), 0) FROM total WHERE session = e.id)
        AS cache_read_tokens,
    (SELECT coalesce(sum(cache_creation_tokens), 0) FROM total WHERE session = e.id)
        AS cache_creation_tokens,
    (SELECT coalesce(sum(usd_pico), 0) FROM total WHERE session = e.id) AS usd_pico,
    (SELECT coalesce(sum(unpriced), 0) FROM total WHERE session = e.id) AS unpriced,
    mark_hidden(e.project_id, e.session_id) AS hidden,
    mark_pinned(e.project_id, e.session_id) AS pinned,
    e.origin,
    -- The main transcript decides; where there never was one, all files together.
    (SELECT coalesce(
        min(gone_at IS NOT NULL) FILTER (WHERE kind = 'main'), min(gone_at IS NOT NULL), 0
    ) FROM source WHERE session = e.id AND NOT superseded) AS source_gone,
    e.recent_output, e.entrypoint, e.is_displayable, e.cost_state_usd,
    coalesce((SELECT root FROM source WHERE session = e.id AND kind <> 'spool' LIMIT 1), '') AS root,
    e.end_time, e.bad_lines, e.message_count,
    (SELECT size FROM source WHERE session = e.id AND kind = 'main' AND NOT superseded LIMIT 1)
        AS bytes,
    status_now(e.project_id, e.session_id, 'since') AS status_since,
    status_now(e.project_id, e.session_id, 'until') AS status_until,
    status_now(e.project_id, e.session_id, 'error') AS status_error,
    -- As every list says it at the time of asking.
    project_group(e.project_id, 'id') AS project_group,
    project_group(e.project_id, 'name') AS project_group_name
FROM session AS e
WHERE (e.project_id, e.session_id) <> ('', ''); -- that is where files of the spool are

CREATE VIEW lines AS
SELECT l.id AS line_id, s.source_id, s.generation, l."offset", l.length, l.number AS line_number,
    e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id) AS agent_id,
    uuid_text(l.uuid) AS uuid,
    uuid_text(CASE typeof(l.parent) WHEN 'integer'
        THEN (SELECT uuid FROM line WHERE id = l.id - l.parent) ELSE l.parent END) AS parent_uuid,
    k.type, k.subtype, l.at + l.moment AS timestamp, k.role, k.model,
    coalesce(CASE typeof(l.message_id) WHEN 'integer'
        THEN (SELECT message_id FROM line WHERE id = l.id - l.message_id)
        ELSE l.message_id END, '') AS message_id,
    coalesce(CASE typeof(l.request_id) WHEN 'integer'
        THEN (SELECT request_id FROM line WHERE id = l.id - l.request_id)
        ELSE l.request_id END, '') AS request_id,
    substr(line_text(s.source_id, s.generation, l."offset", l.length), 1, 500) AS preview,
    s.superseded, e.project_id, k.event_type, k.text_kind, l.turn,
    -- By their names in other event indexes.
    l.id AS id,
    substr(line_text(s.source_id, s.generation, l."offset", l.length), 1, 500) AS content_text
FROM line AS l
JOIN source AS s ON s.id = l.source
JOIN session AS e ON e.id = s.session
JOIN kind AS k ON k.id = l.kind;

-- SELECT line_id FROM texts WHERE body MATCH 'word'
CREATE VIEW texts AS
SELECT rowid AS line_id, said AS body FROM said UNION ALL SELECT rowid, output FROM output;

CREATE VIEW usage AS
SELECT r.message_key, e.session_id, a.text AS agent_id, e.project_id,
    date(r.timestamp / 1000, 'unixepoch', 'localtime') AS day,
    r.timestamp, m.text AS model, r.input_tokens, r.output_tokens, r.cache_read_tokens,
    r.cache_creation_5m, r.cache_creation_1h, r.web_searches, speed.text AS speed,
    geo.text AS geo, r.usd_pico, NOT r.is_finished AS lower_bound, r.line AS line_id,
    r.cache_creation_tokens, project_group(e.project_id, 'id') AS project_group
FROM response AS r
JOIN session AS e ON e.id = r.session
JOIN word AS a ON a.id = r.agent
JOIN word AS m ON m.id = r.model
JOIN word AS speed ON speed.id = r.speed
JOIN word AS geo ON geo.id = r.geo
-- Such a row says that the usage of an agent is told by others, and is none itself.
WHERE NOT (r.is_finished AND r.message_key GLOB 'a:*');

CREATE VIEW messages AS
SELECT message_key, project_id, session_id, agent_id, model, timestamp,
    NOT lower_bound AS finished, line_id
FROM usage;

CREATE VIEW usage_totals AS
SELECT t.quarter * 900000 AS quarter, e.project_id, e.session_id, a.text AS agent_id,
    m.text AS model, t.input_tokens, t.output_tokens, t.cache_read_tokens,
    t.cache_creation_tokens, t.web_searches, t.usd_pico, t.unpriced, t.lower_bound, t.responses,
    t.first_at, t.last_at
FROM total AS t
JOIN session AS e ON e.id = t.session
JOIN word AS a ON a.id = t.agent
JOIN word AS m ON m.id = t.model;

-- A call may stand in several files of a session: the earliest row that made it stands for it
-- (of copies that share their time, the main transcript's),
-- else the earliest that answered, and the earliest answer is joined to it.
CREATE VIEW call AS
SELECT c.crc, c.tool_use_id, e.session_id,
    coalesce((SELECT text FROM word WHERE id = c.agent), '') AS agent_id,
    coalesce((SELECT text FROM word WHERE id = c.name), '') AS name,
    c.call AS call_line, r.result AS result_line,
    CASE WHEN r.result IS NOT NULL THEN (SELECT text FROM word WHERE id = r.state)
        WHEN call_runs(e.project_id, e.session_id,
            coalesce((SELECT text FROM word WHERE id = c.agent), ''), c.tool_use_id) THEN 'running'
        ELSE 'no_result' END AS state,
    cl.at + c.called AS start_time,
    CASE WHEN rl.at + r.answered >= cl.at + c.called
        THEN rl.at + r.answered - cl.at - c.called END AS duration_ms,
    -- From the last request with the call's agent, tool and input, or the only one without the
    -- input, to where the tool began to run, or was refused.
    (SELECT CAST(max(0, coalesce(p.ran, p.denied, p.refused) - coalesce(
            (SELECT max(q.timestamp) FROM hook AS q
                WHERE q.session = e.id AND q.tool_use_id = '' AND q.print <> 0
                    AND q.timestamp BETWEEN p.since AND coalesce(p.ended, p.denied, p.refused)
                    AND q.agent = p.agent AND q.tool_name = p.tool_name AND q.print = p.print),
            (SELECT max(q.timestamp) FROM hook AS q
                WHERE q.session = e.id AND q.tool_use_id = '' AND q.print <> 0
                    AND q.timestamp BETWEEN p.since AND coalesce(p.ended, p.denied, p.refused)
                    AND q.agent = p.agent AND q.tool_name = p.tool_name
                HAVING count(DISTINCT q.key) = 1))) AS INTEGER)
        FROM (
            SELECT max(h.agent) AS agent, max(h.tool_name) AS tool_name, max(h.print) AS print,
                coalesce(min(h.timestamp) FILTER (WHERE w.text = 'pre_tool_use'),
                    cl.at + c.called - 2000) AS since,
                min(h.timestamp) FILTER (WHERE w.text GLOB 'post_tool_use*') AS ended,
                min(h.timestamp - coalesce(h.duration_ms, 0))
                    FILTER (WHERE w.text GLOB 'post_tool_use*') AS ran,
                min(h.timestamp) FILTER (WHERE w.text = 'permission_denied') AS denied,
                CASE WHEN (SELECT text FROM word WHERE id = r.state)
                    IN ('rejected', 'interrupted') THEN rl.at + r.answered END AS refused
            FROM hook AS h JOIN word AS w ON w.id = h.event_type
            WHERE h.session = e.id AND h.tool_use_id = c.tool_use_id AND h.tool_use_id <> ''
        ) AS p
    ) AS waited_ms,
    coalesce(r.is_error, 0) AS is_error, e.project_id
FROM session AS e
JOIN source AS s ON s.session = e.id
JOIN tool AS c ON c.source = s.id
LEFT JOIN line AS cl ON cl.id = c.call
LEFT JOIN tool AS r ON r.id = (
    SELECT o.id FROM source AS os JOIN tool AS o ON o.source = os.id AND o.crc = c.crc
    JOIN line AS ol ON ol.id = o.result
    WHERE os.session = e.id AND o.tool_use_id = c.tool_use_id
    ORDER BY ol.at, os.kind <> 'main', os.source_id LIMIT 1)
LEFT JOIN line AS rl ON rl.id = r.result
WHERE c.id = (
    SELECT o.id FROM source AS os JOIN tool AS o ON o.source = os.id AND o.crc = c.crc
    JOIN line AS ol ON ol.id = coalesce(o.call, o.result)
    WHERE os.session = e.id AND o.tool_use_id = c.tool_use_id
    ORDER BY o.call IS NULL, ol.at, os.kind <> 'main', os.source_id LIMIT 1);

CREATE VIEW tool_calls AS
SELECT tool_use_id, session_id, agent_id, name, call_line, result_line, state, start_time,
    duration_ms, waited_ms, is_error, project_id
FROM call WHERE call_line IS NOT NULL;  -- a result whose call cannot be read is no call

CREATE VIEW hook_events AS
SELECT h.event_id, e.session_id, h.timestamp,
    (SELECT text FROM word WHERE id = h.event_type) AS event_type, h.tool_use_id,
    (SELECT text FROM word WHERE id = h.tool_name) AS tool_name,
    -- A request does not know its answer: what became of the call tells it.
    CASE WHEN h.decision = 0 AND h.print <> 0 AND h.tool_use_id = '' THEN coalesce(
        (SELECT iif(w.text = 'permission_denied', 'deny', 'allow')
            FROM hook AS p JOIN word AS w ON w.id = p.event_type
            WHERE p.session = h.session AND p.print = h.print AND p.print <> 0
                AND p.timestamp >= h.timestamp AND p.tool_use_id <> ''
                AND p.agent = h.agent AND p.tool_name = h.tool_name
                AND (w.text = 'permission_denied' OR w.text GLOB 'post_tool_use*')
            ORDER BY p.timestamp LIMIT 1),
        (SELECT 'deny' FROM hook AS p
            JOIN source AS s ON s.session = h.session
            JOIN tool AS t ON t.source = s.id AND t.crc = crc(p.tool_use_id)
                AND t.tool_use_id = p.tool_use_id
            JOIN word AS w ON w.id = t.state AND w.text = 'rejected'
            WHERE p.session = h.session AND p.print = h.print AND p.print <> 0
                AND p.tool_use_id <> '' AND p.agent = h.agent AND p.tool_name = h.tool_name),
        '') ELSE (SELECT text FROM word WHERE id = h.decision) END AS decision,
    inflated(h.handler_results) AS handler_results, inflated(h.input) AS input,
    (SELECT text FROM word WHERE id = h.agent) AS agent_id, h.duration_ms,
    (SELECT text FROM word WHERE id = h.source) AS source, h.line AS line_id, e.project_id,
    (SELECT text FROM word WHERE id = h.event_type) AS eventType,
    (SELECT text FROM word WHERE id = h.tool_name) AS toolName, h.event_id AS id
FROM session AS e JOIN hook AS h ON h.session = e.id
WHERE NOT EXISTS (
    SELECT 1 FROM hook AS o WHERE o.session = h.session AND o.key = h.key
        AND (coalesce(o.timestamp, 0), o.line) < (coalesce(h.timestamp, 0), h.line)
        AND (h.key GLOB '=*' OR coalesce(h.timestamp, 0) - coalesce(o.timestamp, 0) <= 5000));

-- Two halves: as the right side of a LEFT JOIN all calls of all sessions would be put together.
CREATE VIEW hook_join AS
SELECT h.*, t.name AS call_name, t.call_line, t.result_line, t.state, t.start_time,
    t.duration_ms AS call_duration_ms, t.waited_ms, t.is_error, k.type,
    l.at + l.moment AS line_timestamp,
    substr(line_text(s.source_id, s.generation, l."offset", l.length), 1, 500) AS preview
FROM hook_events AS h
CROSS JOIN call AS t ON t.session_id = h.session_id AND t.project_id = h.project_id
    AND t.crc = crc(h.tool_use_id) AND t.tool_use_id = h.tool_use_id AND h.tool_use_id <> ''
LEFT JOIN line AS l ON l.id = coalesce(t.call_line, h.line_id)
LEFT JOIN source AS s ON s.id = l.source
LEFT JOIN kind AS k ON k.id = l.kind
UNION ALL
SELECT h.*, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, k.type, l.at + l.moment,
    substr(line_text(s.source_id, s.generation, l."offset", l.length), 1, 500)
FROM hook_events AS h
LEFT JOIN line AS l ON l.id = h.line_id
LEFT JOIN source AS s ON s.id = l.source
LEFT JOIN kind AS k ON k.id = l.kind
WHERE h.tool_use_id = '' OR NOT EXISTS (
    SELECT 1 FROM call AS t
    WHERE t.session_id = h.session_id AND t.project_id = h.project_id
        AND t.crc = crc(h.tool_use_id) AND t.tool_use_id = h.tool_use_id);

-- What happened, from transcripts and hooks; what both tell of is one event, and which is so is
-- decided where timelines are made: `lines_with_hooks` adds the agent and tool that hooks name to
-- lines, `hook_only_events` gives what hooks alone tell of, with agent, tool, duration and tokens.
-- Tokens add up over a session: they are counted a session at a time, handed on as JSON, so that
-- the first rows come at once. A window over all lines would sort every one of them first.
CREATE VIEW events AS
SELECT s.source_id || '.' || s.generation || '.' || l."offset" AS event_id, e.session_id,
    l.at + l.moment AS timestamp, k.event_type,
    line_raw(s.source_id, s.generation, l."offset", l.length) AS event_data,
    iif(j.value ->> 5 IS NULL, 'transcript', 'transcript,hook') AS source,
    coalesce(nullif(k.agent_id, ''), nullif(s.agent_id, ''), j.value ->> 5, '') AS subagent_id,
    uuid_text(l.uuid) AS event_uuid,
    j.value ->> 1 AS tokens_input, j.value ->> 2 AS tokens_output,
    j.value ->> 3 AS tokens_cache_creation, j.value ->> 4 AS tokens_cache_read,
    coalesce((SELECT nullif(text, '') FROM word WHERE id = t.name), j.value ->> 6, '')
        AS tool_name,
    CASE WHEN t.result = l.id AND l.at + t.answered >= tl.at + t.called
        THEN l.at + t.answered - tl.at - t.called END AS duration_ms,
    e.project_id,
    k.event_type AS eventType,
    coalesce((SELECT nullif(text, '') FROM word WHERE id = t.name), j.value ->> 6, '')
        AS toolName,
    s.source_id || '.' || s.generation || '.' || l."offset" AS id
FROM session AS e
CROSS JOIN json_each(lines_with_hooks(
    e.project_id, e.session_id, EXISTS (SELECT 1 FROM hook WHERE session = e.id),
    (SELECT json_group_array(json_array(line, i, o, c, r)) FROM (
        SELECT l.id AS line, coalesce(sum(u.input_tokens) OVER so_far, 0) AS i,
            coalesce(sum(u.output_tokens) OVER so_far, 0) AS o,
            coalesce(sum(u.cache_creation_tokens) OVER so_far, 0) AS c,
            coalesce(sum(u.cache_read_tokens) OVER so_far, 0) AS r
        FROM source AS s
        JOIN line AS l ON l.source = s.id
        JOIN kind AS k ON k.id = l.kind AND k.event_type <> ''
        LEFT JOIN response AS u ON u.line = l.id
        WHERE s.session = e.id AND NOT s.superseded AND s.kind NOT IN ('hook_log', 'spool')
        WINDOW so_far AS (
            ORDER BY l.at + coalesce(l.moment, 0), s.source_id, l."offset"
            ROWS UNBOUNDED PRECEDING
        )
    ))
)) AS j
CROSS JOIN line AS l ON l.id = j.value ->> 0
CROSS JOIN source AS s ON s.id = l.source
CROSS JOIN kind AS k ON k.id = l.kind
LEFT JOIN tool AS t ON t.id = coalesce(
    (SELECT min(id) FROM tool WHERE call = l.id), (SELECT min(id) FROM tool WHERE result = l.id))
LEFT JOIN line AS tl ON tl.id = t.call
UNION ALL
SELECT h.event_id, e.session_id, h.timestamp, w.text, inflated(h.input), 'hook', j.value ->> 1,
    h.uuid, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7, j.value ->> 2,
    j.value ->> 3, e.project_id, w.text, j.value ->> 2, h.event_id
FROM session AS e
CROSS JOIN json_each(CASE WHEN EXISTS (SELECT 1 FROM hook WHERE session = e.id)
    THEN hook_only_events(e.project_id, e.session_id) END) AS j
CROSS JOIN hook AS h ON h.line = j.value ->> 0
CROSS JOIN word AS w ON w.id = h.event_type;

CREATE VIEW agents AS
SELECT a.agent_id, e.session_id, a.parent_agent_id, a.tool_use_id, a.depth, a.proof, a.type,
    a.description, a.start_time, a.end_time,
    (SELECT coalesce(sum(t.input_tokens + t.output_tokens + t.cache_read_tokens
        + t.cache_creation_tokens), 0) FROM total AS t JOIN word AS w ON w.id = t.agent
        WHERE t.session = a.session AND w.text = a.agent_id) AS tokens,
    (SELECT coalesce(sum(t.usd_pico), 0) FROM total AS t JOIN word AS w ON w.id = t.agent
        WHERE t.session = a.session AND w.text = a.agent_id) AS usd_pico,
    e.project_id
FROM agent AS a JOIN session AS e ON e.id = a.session;

CREATE VIEW bad_lines AS
SELECT s.source_id, s.generation, b."offset", b.length, b.number AS line_number, b.reason,
    e.session_id, e.project_id, s.superseded
FROM bad AS b JOIN source AS s ON s.id = b.source JOIN session AS e ON e.id = s.session;

CREATE VIEW files_touched AS
SELECT e.session_id, p.text AS path, w.text AS tool, t.line AS line_id, e.project_id
FROM word AS p
JOIN touched AS t ON t.path = p.id
JOIN word AS w ON w.id = t.tool
JOIN line AS l ON l.id = t.line
JOIN source AS s ON s.id = l.source
JOIN session AS e ON e.id = s.session;

CREATE VIEW oddities AS
SELECT v.text AS version, w.text AS what, n.text AS name, sum(o.count) AS count,
    min(o.line) AS line_id
FROM oddity AS o
JOIN word AS v ON v.id = o.version
JOIN word AS w ON w.id = o.what
JOIN word AS n ON n.id = o.name
GROUP BY o.version, o.what, o.name;

-- They are in state.db, which outlives this file: functions hand them over.
CREATE VIEW marks AS
SELECT value ->> 0 AS project_id, value ->> 1 AS session_id, value ->> 2 AS pinned,
    value ->> 3 AS hidden, value ->> 4 AS title
FROM json_each(marks_json());

CREATE VIEW quota AS
SELECT value ->> 0 AS at, value ->> 1 AS span, value ->> 2 AS used_percent,
    value ->> 3 AS resets_at, value ->> 4 AS session_id
FROM json_each(quota_json());

CREATE VIEW changes AS
SELECT c.seq, coalesce(e.project_id, '') AS project_id, coalesce(e.session_id, '') AS session_id,
    c.source_id, c.generation, c.begins AS "offset", c.ends AS "end", c.kind
FROM change AS c LEFT JOIN session AS e ON e.id = c.session;
