"""A year of responses for a hub's ledger, by SQL: to send ten million of them would take hours."""

from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final

from unspool.store.postgres.database import Pool

# Everybody works for eight hours a day: four sessions of one of twenty projects each.
_FILL: Final = """
    ALTER TABLE total DISABLE TRIGGER USER;
    INSERT INTO session (owner, machine, project_id, session_id, cwd, start_time, last_activity,
        is_displayable, origin)
    SELECT o, 0, 'p' || (day + n) %% 20, 'spent-' || day || '-' || n, '/p' || (day + n) %% 20,
        {begin} + day * 86400000 + n * 7200000, {begin} + day * 86400000 + (n + 1) * 7200000,
        true, 'transcript'
    FROM unnest(%(owners)s::int[]) AS o, generate_series(0, 364::bigint) AS day,
        generate_series(0, 3) AS n;
    INSERT INTO response (owner, message_key, rank, claim, timestamp, is_finished, is_used, model,
        input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_5m,
        cache_creation_1h, web_searches, speed, geo, usd_pico, session, agent_id, quarter)
    SELECT e.owner, 'spent:' || e.session || ':' || n, '', '', at, true, true,
        (ARRAY['claude-opus-4-6', 'claude-haiku-4-5', 'claude-sonnet-4-5'])[1 + n %% 3],
        3, n %% 900, 10000, 500, 500, 0, 0, '', '', (n %% 900) * 25000000::bigint, e.session, '',
        at / 900000
    FROM session AS e
    CROSS JOIN generate_series(1, %(each)s::int) AS n
    CROSS JOIN LATERAL (SELECT e.start_time + 7200000::bigint * n / %(each)s::int AS at) AS t
    WHERE e.owner = ANY(%(owners)s) AND e.session_id LIKE 'spent-%%';
    INSERT INTO model SELECT DISTINCT owner, model, model FROM response
    WHERE owner = ANY(%(owners)s) ON CONFLICT DO NOTHING;
    INSERT INTO total
    SELECT owner, session, quarter, agent_id, model, sum(input_tokens), sum(output_tokens),
        sum(cache_read_tokens), sum(cache_creation_tokens), sum(web_searches), sum(usd_pico), 0, 0,
        count(*), min(timestamp), max(timestamp)
    FROM response WHERE message_key LIKE 'spent:%%' GROUP BY 1, 2, 3, 4, 5;
    INSERT INTO hour_total
    SELECT t.owner, t.quarter / 4, true, e.project_id, t.model, sum(t.input_tokens),
        sum(t.output_tokens), sum(t.cache_read_tokens), sum(t.cache_creation_tokens),
        sum(t.web_searches), sum(t.usd_pico), 0, 0, sum(t.responses), min(t.first_at),
        max(t.last_at)
    FROM total AS t JOIN session AS e ON e.owner = t.owner AND e.session = t.session
    WHERE e.session_id LIKE 'spent-%%' GROUP BY 1, 2, 3, 4, 5;
    UPDATE project AS p SET input_tokens = t.input, output_tokens = t.output,
        cache_read_tokens = t.read, cache_creation_tokens = t.creation, usd_pico = t.usd
    FROM (SELECT owner, project_id, sum(input_tokens) AS input, sum(output_tokens) AS output,
        sum(cache_read_tokens) AS read, sum(cache_creation_tokens) AS creation,
        sum(usd_pico) AS usd FROM hour_total GROUP BY 1, 2) AS t
    WHERE t.owner = p.owner AND t.project_id = p.project_id AND p.owner = ANY(%(owners)s)
        AND p.project_id LIKE 'p%%';
    DELETE FROM cause_state; -- upkeep begins again, with all sessions
    ALTER TABLE total ENABLE TRIGGER USER
"""
_ADDED_UP: Final = """
    SELECT NOT EXISTS (SELECT 1 FROM stale_cause) AND NOT EXISTS (SELECT 1 FROM stale_day)
        AND (SELECT count(DISTINCT owner) FROM session_cause)
            = (SELECT count(DISTINCT owner) FROM response WHERE is_used)
"""
_BEGIN: Final = "(extract(epoch FROM now())::bigint - 31536000) * 1000"


def spent(pool: Pool, owners: Sequence[int], count: int) -> None:
    """Let these owners have spent something in so many responses, over the year until now.

    Sums are as the triggers would have kept them.
    """
    values = {"owners": list(owners), "each": max(1, count // (len(owners) * 365 * 4))}
    with pool.connection() as connection:
        with connection.transaction():
            for statement in _FILL.format(begin=_BEGIN).split(";"):
                connection.execute(statement.encode(), values)
        connection.execute("VACUUM ANALYZE")


def added_up(pool: Pool) -> float:
    """Seconds until upkeep has added up all that was spent, by cause."""
    begun = monotonic()
    while True:
        with pool.connection() as connection:
            ((done,),) = connection.execute(_ADDED_UP.encode()).fetchall()
        if done:
            return monotonic() - begun
        sleep(0.5)
