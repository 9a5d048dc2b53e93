-- The index: what lines say. Names are sorted as Python sorts them, whatever the database's locale.

-- Numbers of lines: a transaction takes a block of 2^24 of them, so an owner's only grow.
CREATE SEQUENCE line_block;

CREATE TABLE session (
    session bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    machine int NOT NULL,
    project_id text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    cwd text NOT NULL DEFAULT '',
    transcript_path text COLLATE "C" NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    goal text NOT NULL DEFAULT '',
    recent_output text, -- NULL, here and below: nobody has told yet
    slug text,
    start_time bigint,
    end_time bigint,
    last_activity bigint,
    git_branch text COLLATE "C",
    model text COLLATE "C",
    version text,
    entrypoint text,
    compactions bigint,
    lines bigint,
    bad_lines bigint,
    message_count bigint,
    is_displayable boolean NOT NULL DEFAULT false, -- until a transcript says otherwise
    origin text NOT NULL DEFAULT '',
    cost_state_usd double precision,
    facts bytea NOT NULL DEFAULT '',
    is_unlinked boolean NOT NULL DEFAULT false, -- its files said more since its agents were put
    PRIMARY KEY (owner, session),
    UNIQUE (owner, project_id, session_id)
);
CREATE INDEX session_newest
    ON session (owner, (coalesce(last_activity, 0)) DESC, session_id DESC, project_id DESC);
CREATE INDEX session_named ON session (owner, session_id);
CREATE INDEX session_unlinked ON session (owner) WHERE is_unlinked;

CREATE TABLE tie (
    owner int NOT NULL,
    tie bigint NOT NULL,
    session bigint NOT NULL,
    PRIMARY KEY (owner, tie, session)
);

-- One generation of one file, and how far it has been taken in.
CREATE TABLE source (
    source bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    machine int NOT NULL,
    session bigint NOT NULL,
    source_id bigint NOT NULL,
    generation bigint NOT NULL,
    root text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    "offset" bigint NOT NULL DEFAULT 0,
    lines bigint NOT NULL DEFAULT 0,
    size bigint NOT NULL DEFAULT 0,
    mtime_ns bigint NOT NULL DEFAULT 0,
    tail bytea NOT NULL DEFAULT '',
    facts bytea NOT NULL DEFAULT '',
    gone_at bigint,
    superseded boolean NOT NULL DEFAULT false,
    kept bigint NOT NULL DEFAULT 0,   -- rows in `line`
    events bigint NOT NULL DEFAULT 0, -- of them, those that are events
    bad bigint NOT NULL DEFAULT 0,
    calls bigint NOT NULL DEFAULT 0,  -- rows in `tool` that are calls
    first_at bigint,
    last_at bigint,
    last_line bigint,
    is_open boolean NOT NULL DEFAULT false, -- an unfinished line is behind its checkpoint
    -- It repeats responses of an erased session: what it used is added up again.
    is_uncounted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (owner, source),
    UNIQUE (owner, source_id, generation)
);
CREATE INDEX source_session ON source (owner, session);
CREATE INDEX source_root ON source (owner, root) WHERE NOT superseded;
CREATE INDEX source_spool ON source (owner) WHERE kind = 'spool';
CREATE INDEX source_uncounted ON source (owner) WHERE is_uncounted;
-- The files that a machine has not sent to their end.
CREATE INDEX source_waiting ON source (machine)
    WHERE NOT superseded AND gone_at IS NULL AND size > "offset";

CREATE TABLE fold (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    written bigint GENERATED ALWAYS AS IDENTITY, -- the order of writing
    state bytea NOT NULL,
    PRIMARY KEY (owner, source)
);

-- What lines are: a few hundred combinations, whatever the history.
CREATE TABLE kind (
    kind bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    type text NOT NULL,
    subtype text NOT NULL,
    role text NOT NULL,
    model text NOT NULL,
    event_type text NOT NULL,
    text_kind text NOT NULL,
    agent_id text NOT NULL, -- '': the file's own
    PRIMARY KEY (owner, kind)
);

CREATE TABLE line (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    at bigint NOT NULL, -- its time, or that of the line before it, between 2020 and tomorrow
    line bigint NOT NULL,
    length bigint NOT NULL,
    number bigint NOT NULL,
    kind bigint NOT NULL,
    turn bigint NOT NULL,
    timestamp bigint, -- its own time
    uuid uuid,
    odd_uuid text,    -- one that is written in another way
    parent uuid,
    odd_parent text,
    message_id text,
    request_id text,
    PRIMARY KEY (owner, source, "offset", at)
) PARTITION BY RANGE (at);
CREATE INDEX line_number ON line (owner, line);
CREATE TABLE line_other PARTITION OF line DEFAULT;

CREATE TABLE bad (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    length bigint NOT NULL,
    number bigint NOT NULL,
    reason text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, source, "offset")
);

-- What each file says of a tool call: the first line that made it, the first that answered.
CREATE TABLE tool (
    tool bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    source bigint NOT NULL,
    tool_use_id text COLLATE "C" NOT NULL,
    call bigint,     -- line
    call_at bigint,  -- and its time in `line`
    called bigint,   -- when the call began
    stamp bigint,    -- the line's own time
    name text COLLATE "C",
    agent_id text COLLATE "C",
    result bigint,   -- line
    result_at bigint,
    answered bigint,
    state text,
    is_error boolean,
    PRIMARY KEY (owner, source, tool_use_id)
);
CREATE INDEX tool_call ON tool (owner, call) WHERE call IS NOT NULL;
CREATE INDEX tool_result ON tool (owner, result) WHERE result IS NOT NULL;
CREATE INDEX tool_time ON tool (owner, call_at) WHERE call IS NOT NULL;

CREATE TABLE hook (
    owner int NOT NULL,
    line bigint NOT NULL,
    at bigint NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    session bigint NOT NULL,
    event_id text NOT NULL,
    timestamp bigint,
    event_type text NOT NULL,
    tool_use_id text COLLATE "C" NOT NULL,
    tool_name text COLLATE "C" NOT NULL,
    decision text NOT NULL,
    handler_results text NOT NULL,
    input text NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    duration_ms double precision,
    origin text NOT NULL, -- where it came from
    print bigint NOT NULL, -- of what the tool was given, 0: nothing
    uuid text NOT NULL,
    key text NOT NULL -- records of one event share it
) PARTITION BY RANGE (at);
CREATE INDEX hook_line ON hook (owner, line);
CREATE INDEX hook_session ON hook (owner, session, tool_use_id);
CREATE INDEX hook_source ON hook (owner, source, "offset");
CREATE TABLE hook_other PARTITION OF hook DEFAULT;

CREATE TABLE touched (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    at bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    lowered text COLLATE "C", -- the path in lower case, where that differs
    tool text NOT NULL
);
CREATE INDEX touched_path ON touched (owner, md5(path));
CREATE INDEX touched_source ON touched (owner, source, "offset");

-- Why something was spent, where a line says so: attributions of answers, and prompts.
CREATE TABLE cause (
    owner int NOT NULL,
    line bigint NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    at bigint NOT NULL,
    skill text NOT NULL,
    mcp_server text NOT NULL,
    agent text NOT NULL, -- the type of one
    command text,        -- of a prompt; NULL: it is none
    PRIMARY KEY (owner, line)
);
CREATE INDEX cause_prompt ON cause (owner, at) WHERE command IS NOT NULL;
CREATE INDEX cause_source ON cause (owner, source, "offset");

CREATE TABLE oddity (
    owner int NOT NULL,
    source bigint NOT NULL,
    "offset" bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    what text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    count bigint NOT NULL
);
CREATE INDEX oddity_source ON oddity (owner, source, "offset");

CREATE TABLE agent (
    owner int NOT NULL,
    session bigint NOT NULL,
    agent_id text NOT NULL,
    parent_agent_id text NOT NULL,
    tool_use_id text NOT NULL,
    depth bigint NOT NULL,
    proof text NOT NULL,
    type text NOT NULL,
    description text NOT NULL,
    start_time bigint,
    end_time bigint,
    facts bytea NOT NULL,
    PRIMARY KEY (owner, session, agent_id)
);

-- The ledger: every response once. Money is 1e-12 USD: 2^63 of them are 9 million dollars.
CREATE TABLE response (
    response bigint GENERATED ALWAYS AS IDENTITY,
    owner int NOT NULL,
    message_key text COLLATE "C" NOT NULL,
    rank bytea NOT NULL,
    claim bytea NOT NULL,
    timestamp bigint,
    is_finished boolean NOT NULL,
    is_used boolean NOT NULL, -- false: it only says that others tell what an agent used
    model text COLLATE "C" NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_creation_tokens bigint NOT NULL,
    cache_creation_5m bigint NOT NULL,
    cache_creation_1h bigint NOT NULL,
    web_searches bigint NOT NULL,
    speed text NOT NULL,
    geo text NOT NULL,
    usd_pico numeric,
    session bigint NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    line bigint,
    quarter bigint NOT NULL,
    PRIMARY KEY (owner, message_key)
);
CREATE INDEX response_session ON response (owner, session, quarter);
CREATE INDEX response_line ON response (owner, line) WHERE line IS NOT NULL;
CREATE INDEX response_unpriced ON response (owner, model) WHERE usd_pico IS NULL;

-- Its sums by quarters of an hour; one counter of a hostile file may fill a bigint.
CREATE TABLE total (
    owner int NOT NULL,
    session bigint NOT NULL,
    quarter bigint NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
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
    PRIMARY KEY (owner, session, quarter, agent_id, model)
);
CREATE INDEX total_quarter ON total (owner, quarter);

-- Models are asked for by a part of their names, in any case of any alphabet.
CREATE TABLE model (
    owner int NOT NULL,
    model text COLLATE "C" NOT NULL,
    lowered text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, model)
);

CREATE TABLE change (
    seq bigint PRIMARY KEY,
    owner int NOT NULL,
    project_id text NOT NULL,
    session_id text NOT NULL,
    source_id bigint NOT NULL,
    generation bigint NOT NULL,
    begins bigint NOT NULL,
    ends bigint NOT NULL,
    kind text NOT NULL
);
CREATE INDEX change_owner ON change (owner, seq);
