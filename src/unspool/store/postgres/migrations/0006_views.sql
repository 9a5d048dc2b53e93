-- Views for people who ask in SQL: names and columns of docs/tables.md, and whose rows they are.
--
-- Without what only unspool can say at the time of the question: previews, statuses, groups.

CREATE VIEW sessions AS
SELECT e.session_id, e.project_id, coalesce(m.name, '') AS machine_id, e.cwd, e.transcript_path,
    e.title, e.goal, e.start_time, e.last_activity, e.git_branch, e.model, e.version, e.slug,
    e.lines, files.events, files.tool_calls,
    (SELECT CASE WHEN count(*) > 0 OR e.lines IS NOT NULL THEN count(*) END FROM agent AS a
        WHERE a.owner = e.owner AND a.session = e.session) AS agents,
    e.compactions, coalesce(spent.input_tokens, 0) AS input_tokens,
    coalesce(spent.output_tokens, 0) AS output_tokens,
    coalesce(spent.cache_read_tokens, 0) AS cache_read_tokens,
    coalesce(spent.cache_creation_tokens, 0) AS cache_creation_tokens,
    coalesce(spent.usd_pico, 0) AS usd_pico, coalesce(spent.unpriced, 0) AS unpriced, e.origin,
    files.source_gone, e.recent_output, e.entrypoint, e.is_displayable::int AS is_displayable,
    e.cost_state_usd, coalesce(files.root, '') AS root, e.end_time, e.bad_lines, e.message_count,
    files.bytes, coalesce(p.name, '') AS person
FROM session AS e JOIN person AS p ON p.owner = e.owner
LEFT JOIN machine AS m ON m.machine = e.machine AND m.owner = e.owner
LEFT JOIN LATERAL (
    SELECT coalesce(sum(s.events), 0) AS events, coalesce(sum(s.calls), 0) AS tool_calls,
        coalesce(bool_and(s.gone_at IS NOT NULL) FILTER (WHERE s.kind = 'main'),
            bool_and(s.gone_at IS NOT NULL), false)::int AS source_gone,
        min(s.root) AS root, min(s.size) FILTER (WHERE s.kind = 'main') AS bytes
    FROM source AS s WHERE s.owner = e.owner AND s.session = e.session AND NOT s.superseded
) AS files ON true
LEFT JOIN LATERAL (
    SELECT sum(t.input_tokens) AS input_tokens, sum(t.output_tokens) AS output_tokens,
        sum(t.cache_read_tokens) AS cache_read_tokens,
        sum(t.cache_creation_tokens) AS cache_creation_tokens, sum(t.usd_pico) AS usd_pico,
        sum(t.unpriced) AS unpriced
    FROM total AS t WHERE t.owner = e.owner AND t.session = e.session
) AS spent ON true
WHERE e.owner > 0 AND (e.project_id, e.session_id) <> ('', ''); -- that is where spools are

CREATE VIEW usage AS
SELECT r.message_key, e.session_id, r.agent_id, e.project_id,
    to_char(to_timestamp(r.timestamp / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
    r.timestamp, r.model, r.input_tokens, r.output_tokens, r.cache_read_tokens,
    r.cache_creation_5m, r.cache_creation_1h, r.web_searches, r.speed, r.geo, r.usd_pico,
    (NOT r.is_finished)::int AS lower_bound, r.line AS line_id, r.cache_creation_tokens,
    coalesce(p.name, '') AS person
FROM response AS r JOIN session AS e ON e.owner = r.owner AND e.session = r.session
JOIN person AS p ON p.owner = r.owner
WHERE r.is_used AND r.owner > 0;

CREATE VIEW usage_totals AS
SELECT t.quarter * 900000 AS quarter, e.project_id, e.session_id, t.agent_id, t.model,
    t.input_tokens, t.output_tokens, t.cache_read_tokens, t.cache_creation_tokens, t.web_searches,
    t.usd_pico, t.unpriced, t.lower_bound, t.responses, t.first_at, t.last_at,
    coalesce(p.name, '') AS person
FROM total AS t JOIN session AS e ON e.owner = t.owner AND e.session = t.session
JOIN person AS p ON p.owner = t.owner WHERE t.owner > 0;

CREATE VIEW messages AS
SELECT message_key, project_id, session_id, agent_id, model, timestamp,
    1 - lower_bound AS finished, line_id, person
FROM usage;

CREATE VIEW agents AS
SELECT a.agent_id, e.session_id, a.parent_agent_id, a.tool_use_id, a.depth, a.proof, a.type,
    a.description, a.start_time, a.end_time, coalesce(spent.tokens, 0) AS tokens,
    coalesce(spent.usd_pico, 0) AS usd_pico, e.project_id, coalesce(p.name, '') AS person
FROM agent AS a JOIN session AS e ON e.owner = a.owner AND e.session = a.session
JOIN person AS p ON p.owner = a.owner
LEFT JOIN LATERAL (
    SELECT sum(t.input_tokens + t.output_tokens + t.cache_read_tokens + t.cache_creation_tokens)
        AS tokens, sum(t.usd_pico) AS usd_pico
    FROM total AS t
    WHERE t.owner = a.owner AND t.session = a.session AND t.agent_id = a.agent_id
) AS spent ON true
WHERE a.owner > 0;

CREATE VIEW sources AS
SELECT s.source_id, s.root, s.path, s.generation, s.kind, s.size, s."offset", s.gone_at,
    e.project_id, e.session_id, s.agent_id, s.lines, s.mtime_ns, s.superseded::int AS superseded,
    coalesce(p.name, '') AS person
FROM source AS s JOIN session AS e ON e.owner = s.owner AND e.session = s.session
JOIN person AS p ON p.owner = s.owner WHERE s.owner > 0;

CREATE VIEW bad_lines AS
SELECT s.source_id, s.generation, b."offset", b.length, b.number AS line_number, b.reason,
    e.session_id, e.project_id, s.superseded::int AS superseded, coalesce(p.name, '') AS person
FROM bad AS b JOIN source AS s ON s.owner = b.owner AND s.source = b.source
JOIN session AS e ON e.owner = s.owner AND e.session = s.session
JOIN person AS p ON p.owner = b.owner WHERE b.owner > 0;

CREATE VIEW lines AS
SELECT l.line AS line_id, s.source_id, s.generation, l."offset", l.length,
    l.number AS line_number, e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id) AS agent_id,
    coalesce(l.uuid::text, l.odd_uuid, '') AS uuid,
    coalesce(l.parent::text, l.odd_parent, '') AS parent_uuid, k.type, k.subtype, l.timestamp,
    k.role, k.model, coalesce(l.message_id, '') AS message_id,
    coalesce(l.request_id, '') AS request_id, s.superseded::int AS superseded, e.project_id,
    k.event_type, k.text_kind, l.turn, l.line AS id, coalesce(p.name, '') AS person
FROM line AS l JOIN source AS s ON s.owner = l.owner AND s.source = l.source
JOIN session AS e ON e.owner = s.owner AND e.session = s.session
JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
JOIN person AS p ON p.owner = l.owner WHERE l.owner > 0;

-- A call may stand in several files of a session: the earliest row that made it stands for it (of
-- copies that share their time, the main transcript's), and the earliest answer is joined to it.
CREATE VIEW tool_calls AS
SELECT c.tool_use_id, e.session_id, coalesce(c.agent_id, '') AS agent_id,
    coalesce(c.name, '') AS name, c.call AS call_line, r.result AS result_line,
    CASE WHEN r.result IS NULL THEN 'no_result' ELSE r.state END AS state, c.called AS start_time,
    CASE WHEN r.answered >= c.called THEN r.answered - c.called END AS duration_ms,
    coalesce(r.is_error, false)::int AS is_error, e.project_id, coalesce(p.name, '') AS person
FROM session AS e JOIN source AS s ON s.owner = e.owner AND s.session = e.session
JOIN tool AS c ON c.owner = s.owner AND c.source = s.source
JOIN person AS p ON p.owner = e.owner
LEFT JOIN LATERAL (
    SELECT o.result, o.state, o.answered, o.is_error
    FROM source AS os JOIN tool AS o ON o.owner = os.owner AND o.source = os.source
    WHERE os.owner = e.owner AND os.session = e.session AND o.tool_use_id = c.tool_use_id
        AND o.result IS NOT NULL
    ORDER BY o.result_at, os.kind <> 'main', os.source_id LIMIT 1
) AS r ON true
WHERE e.owner > 0 AND c.tool = (
    SELECT o.tool FROM source AS os JOIN tool AS o ON o.owner = os.owner AND o.source = os.source
    WHERE os.owner = e.owner AND os.session = e.session AND o.tool_use_id = c.tool_use_id
        AND o.call IS NOT NULL
    ORDER BY o.call_at, os.kind <> 'main', os.source_id LIMIT 1);

CREATE VIEW files_touched AS
SELECT e.session_id, t.path, t.tool, l.line AS line_id, e.project_id,
    coalesce(p.name, '') AS person
FROM touched AS t JOIN source AS s ON s.owner = t.owner AND s.source = t.source
JOIN session AS e ON e.owner = s.owner AND e.session = s.session
JOIN person AS p ON p.owner = t.owner
LEFT JOIN line AS l ON l.owner = t.owner AND l.source = t.source AND l."offset" = t."offset"
WHERE t.owner > 0;

CREATE VIEW oddities AS
SELECT o.version, o.what, o.name, sum(o.count) AS count, min(l.line) AS line_id,
    coalesce(p.name, '') AS person
FROM oddity AS o JOIN person AS p ON p.owner = o.owner
LEFT JOIN line AS l ON l.owner = o.owner AND l.source = o.source AND l."offset" = o."offset"
WHERE o.owner > 0 GROUP BY o.owner, p.name, o.version, o.what, o.name;

CREATE VIEW changes AS
SELECT c.seq, c.project_id, c.session_id, c.source_id, c.generation, c.begins AS "offset",
    c.ends AS "end", c.kind, coalesce(p.name, '') AS person
FROM change AS c JOIN person AS p ON p.owner = c.owner WHERE c.owner > 0;

-- Nobody logs in as this role: it is granted to those who may read what everybody sent.
DO $$
BEGIN
    CREATE ROLE unspool_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
END
$$;
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'unspool_reader') THEN
        GRANT USAGE ON SCHEMA unspool TO unspool_reader;
        GRANT SELECT ON sessions, lines, usage, usage_totals, messages, tool_calls, agents,
            files_touched, sources, bad_lines, oddities, changes TO unspool_reader;
    END IF;
END
$$;
