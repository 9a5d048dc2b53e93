"""Short sessions of every day."""

from unspool.demo.script.steps import (
    OPUS,
    SONNET,
    WEEKEND,
    Story,
    answer,
    prompt,
    say,
    think,
    together,
)
from unspool.demo.script.tools import bash, edit, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import SHIPMENTS
from unspool.demo.stories.waybill_outputs import suite

_INDEX = Story(
    name="slow-list",
    title="Why is the shipment list slow?",
    day=3,
    at="15:45",
    model=OPUS,
    steps=[
        prompt("The list of shipments takes 3 s for one large customer. Why?", after=5),
        bash(
            'psql waybill_replica -c "explain (analyze, costs off) select * from shipments where owner_id = 118 order by created_at desc limit 50"',
            """
             Limit (actual time=2871.002..2871.015 rows=50 loops=1)
               ->  Sort (actual time=2871.001..2871.007 rows=50 loops=1)
                     Sort Key: created_at DESC
                     ->  Seq Scan on shipments (actual time=0.021..2409.110 rows=611042 loops=1)
                           Filter: (owner_id = 118)
             Execution Time: 2871.204 ms
             """,
            took=4.0,
            asks=5,
        ),
        together(whole("waybill/api/shipments.py"), whole("waybill/models.py")),
        bash("psql waybill_replica -c '\\d shipments'", SHIPMENTS, took=0.4),
        say("It reads all 4.1 million rows: there is no index on the owner."),
        bash(
            "psql waybill_replica -c 'create index concurrently shipments_owner_created on shipments (owner_id, created_at desc)'",
            "CREATE INDEX",
            took=38.0,
            asks=14,
        ),
        bash(
            'psql waybill_replica -c "explain (analyze, costs off) select * from shipments where owner_id = 118 order by created_at desc limit 50" | tail -2',
            " Execution Time: 0.311 ms",
            took=1.0,
        ),
        bash(
            'psql waybill_replica -c "select owner_id, count(*) from shipments group by 1 order by 2 desc limit 8"',
            " owner_id | count\n----------+--------\n      118 | 611042\n       12 | 288117\n      204 | 170930\n       77 | 161208\n       31 |  98044\n      140 |  71533\n        9 |  66120\n       58 |  60417\n(8 rows)",
            took=3.9,
        ),
        think(
            "The list sorts by created_at within an owner, so (owner_id, created_at desc) serves filter, order "
            "and limit at once. The archived ones are few; no need for a partial index. On production it must be "
            "created concurrently, outside a transaction: alembic has autocommit_block for that."
        ),
        write(
            "migrations/versions/0032_owner_index.py",
            '''
            """The list of an owner's shipments has an index."""

            from alembic import op

            revision, down_revision = "0032", "0031"


            def upgrade() -> None:
                with op.get_context().autocommit_block():
                    op.create_index(
                        "shipments_owner_created", "shipments", ["owner_id", "created_at"],
                        postgresql_concurrently=True, if_not_exists=True,
                    )


            def downgrade() -> None:
                op.drop_index("shipments_owner_created")
        ''',
        ),
        bash(
            "alembic upgrade head && pytest -v tests/test_shipments.py tests/test_webhooks.py",
            "INFO  [alembic.runtime.migration] Running upgrade 0031 -> 0032, The list of an owner's shipments has an index.\n"
            + suite(64, "6.60"),
            took=8.0,
        ),
        bash(
            "git add -A && git commit -qm 'An index for the list of shipments'",
            "[main 0d91f3e] An index for the list of shipments\n 1 file changed, 19 insertions(+)",
            asks=7,
        ),
        answer(
            "2.9 s → 0.3 ms with an index on `(owner_id, created_at)`. Migration 0032 creates it without blocking writers."
        ),
    ],
)

_DARK = Story(
    name="dark-page",
    title="Dark tracking page",
    day=WEEKEND,
    at="11:20",
    model=OPUS,
    branch="dark-mode",
    steps=[
        prompt(
            "Small weekend thing: the tracking page should follow the system's dark mode.", after=5
        ),
        whole("web/src/tracking.css"),
        whole("web/src/pages/Tracking.tsx"),
        search("#[0-9a-f]{3,6}", "web"),
        edit(
            "web/src/tracking.css",
            "  background: #fff;\n  color: #1a1a1a;",
            "  color-scheme: light dark;\n  background: light-dark(#fff, #16181b);\n  color: light-dark(#1a1a1a, #e8e6e3);",
            line=4,
        ),
        edit(
            "web/src/tracking.css",
            "  border: 1px solid #ddd;",
            "  border: 1px solid light-dark(#ddd, #3a3d42);",
            line=33,
        ),
        edit(
            "web/src/tracking.css",
            "  border-top: 1px solid #eee;",
            "  border-top: 1px solid light-dark(#eee, #2b2e33);",
            line=40,
        ),
        bash(
            "npm --prefix web run build --silent && npx --prefix web playwright test tracking --reporter=line",
            "  4 passed (6.2s)",
            took=14.0,
        ),
        bash(
            "npx --prefix web playwright test contrast --reporter=list",
            "  ✓  1 [light] tracking: text on background 15.9:1\n  ✓  2 [light] tracking: muted text 7.0:1\n  ✓  3 [dark] tracking: text on background 12.6:1\n  ✓  4 [dark] tracking: muted text 6.1:1\n\n  4 passed (5.1s)",
            took=7.0,
        ),
        answer("It follows the system now. Contrast is 12.6:1 in dark and 15.9:1 in light."),
        prompt("The map stays white.", after=180),
        edit(
            "web/src/tracking.css",
            ".map img {",
            "@media (prefers-color-scheme: dark) {\n  .map img {\n    filter: invert(0.9) hue-rotate(180deg);\n  }\n}\n\n.map img {",
            line=52,
        ),
        bash(
            "npx --prefix web playwright test tracking --reporter=line",
            "  4 passed (6.0s)",
            took=8.0,
        ),
        answer("The map goes dark too, with a filter: roads stay readable, water stays blue."),
    ],
)

_REGEX = Story(
    name="explain-query",
    title="What does this query do?",
    day=3,
    at="14:50",
    model=SONNET,
    steps=[
        prompt(
            "Explain the query by_depot in waybill/reports.py to somebody who does not know window functions.",
            after=5,
        ),
        whole("waybill/reports.py"),
        bash(
            "psql waybill_replica -c \"select depot, day, count(*), count(*) - lag(count(*)) over (partition by depot order by day) as change from deliveries where depot in ('Airport', 'Old Town') and day > current_date - 4 group by depot, day order by 1, 2\"",
            "  depot   |    day     | count | change\n----------+------------+-------+--------\n Airport  | $DAY-3 |  1188 |\n Airport  | $DAY-2 |  1204 |     16\n Airport  | $DAY-1 |  1160 |    -44\n Old Town | $DAY-3 |   402 |\n Old Town | $DAY-2 |   377 |    -25\n Old Town | $DAY-1 |   391 |     14\n(6 rows)",
            took=4.4,
            asks=3,
        ),
        answer(
            "For each depot and day it counts deliveries. `lag` looks at the row before, of the same depot, so `change` is how many more or fewer there were than on the day before. On a depot's first day it is empty."
        ),
    ],
)

STORIES = [_INDEX, _DARK, _REGEX]
