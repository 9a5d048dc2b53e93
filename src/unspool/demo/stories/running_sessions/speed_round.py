"""Sends agents while the demo is open: they look for what is slow."""

from unspool.demo.script.steps import (
    HAIKU,
    SONNET,
    Now,
    Story,
    answer,
    prompt,
    say,
    think,
    together,
)
from unspool.demo.script.tools import agent, bash, edit, grep, read, todo, write

_LATER = 330  # seconds until somebody comes back to a session that is done

_TABLES = agent(
    "Explore",
    "List queries without an index",
    "Go through waybill/ and list every query that filters or sorts by a column without an index. Use EXPLAIN on the replica, read only.",
    [
        grep(
            r"\.where\(|order_by\(",
            "waybill/api/shipments.py:88:        .where(Shipment.owner_id == user.id)\nwaybill/api/shipments.py:91:        .order_by(Shipment.created_at.desc())\nwaybill/reports.py:40:        .where(Shipment.delivered_at >= first)\nwaybill/notify.py:66:        .where(Notification.sent_at.is_(None))",
            path="waybill",
        ),
        bash(
            'psql waybill_replica -Atc "explain select * from notifications where sent_at is null"',
            "Seq Scan on notifications  (cost=0.00..214877.12 rows=90 width=181)",
            took=2.0,
        ),
        bash(
            'psql waybill_replica -Atc "explain select depot, count(*) from tracking_events group by 1"',
            "Seq Scan on tracking_events  (cost=0.00..2914113.40 rows=96455240 width=14)",
            took=2.2,
        ),
        answer(
            "Two: `notifications.sent_at` (queried every 10 s by the mailer, reads 8.8 million rows for 90) and the report by depot. The first matters."
        ),
    ],
    model=HAIKU,
)

_BUNDLE = agent(
    "Explore",
    "Find what makes the bundle large",
    "Build web/ with a report of module sizes and tell me which three dependencies are the largest and who imports them.",
    [
        bash(
            "npm --prefix web run build -- --mode analyse | tail -4",
            "moment          71.8 kB  src/pages/Reports.tsx\nchart.js        63.0 kB  src/pages/Reports.tsx\nreact-dom       58.4 kB  src/main.tsx",
            took=14.0,
        ),
        grep(
            'from "moment"',
            'web/src/pages/Reports.tsx:4:import moment from "moment";',
            path="web/src",
        ),
        answer(
            "moment (72 kB) and chart.js (63 kB) are loaded on every page, though only Reports uses them. moment formats a single date."
        ),
    ],
    model=HAIKU,
)

_INDEX = agent(
    "general-purpose",
    "Index for mails that wait",
    "Add a partial index on notifications (id) where sent_at is null, as a migration that does not block writers, and measure before and after on the replica.",
    [
        write(
            "migrations/versions/0034_unsent.py",
            '''
            """Mails that wait have an index of their own."""

            from alembic import op

            revision, down_revision = "0034", "0033"


            def upgrade() -> None:
                with op.get_context().autocommit_block():
                    op.execute(
                        "CREATE INDEX CONCURRENTLY IF NOT EXISTS notifications_unsent "
                        "ON notifications (id) WHERE sent_at IS NULL"
                    )


            def downgrade() -> None:
                op.drop_index("notifications_unsent")
        ''',
        ),
        bash(
            "alembic upgrade head && python tools/measure.py mailer",
            "before 1840 ms, after 0.4 ms",
            took=22.0,
        ),
        answer("1,840 ms before, 0.4 ms after. The index has 90 entries."),
    ],
)

STORY = Story(
    name="speed-round",
    title="Find what is slow, with agents",
    model=SONNET,
    branch="speed-round",
    steps=[
        prompt(
            "Half a day for speed. Let two agents look, one at the database and one at the web bundle, then fix what pays off most.",
            after=5,
        ),
        bash(
            "git checkout -qb speed-round && git log --oneline -1",
            "90f1c7e Show a window of arrival; recompute legs every night",
        ),
        todo("> Look: database and bundle", "- Fix what pays off most", "- Measure"),
        Now(),
        say("Two agents look side by side; neither of them changes anything."),
        together(_TABLES, _BUNDLE),
        think(
            "The mailer's query every 10 seconds is the clear winner. The bundle: load Reports lazily, drop moment. Two independent fixes."
        ),
        say(
            "The mailer reads 8.8 million rows every ten seconds to find 90. One agent fixes that; I'll take the bundle."
        ),
        _INDEX,
        edit(
            "web/src/pages/Reports.tsx",
            'import moment from "moment";',
            'const month = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });',
            line=4,
        ),
        edit(
            "web/src/main.tsx",
            'import { Reports } from "./pages/Reports";',
            'const Reports = lazy(() => import("./pages/Reports"));',
            line=9,
        ),
        bash(
            "npm --prefix web uninstall moment --silent && npm --prefix web run build --silent | tail -2",
            "dist/assets/Reports-x81a.js   66.02 kB │ gzip: 22.90 kB\ndist/assets/index-k20d.js    139.11 kB │ gzip: 44.80 kB",
            took=12.0,
        ),
        todo("x Look: database and bundle", "x Fix what pays off most", "x Measure"),
        answer(
            "Two things:\n\n- The mailer's query: 1,840 ms → 0.4 ms, every ten seconds\n- The first page loads 139 kB instead of 274 kB\n\nThe report by depot reads the whole table once a night; I left it alone."
        ),
        prompt("Very good. Is there anything similar in the poller?", after=_LATER),
        agent(
            "Explore",
            "Look for repeated queries in the poller",
            "Read waybill/poller.py and everything it calls. Which queries run once for each shipment although one would do? Do not change anything.",
            [
                read(
                    "waybill/poller.py",
                    "for number in numbers:\n    events = carrier.fetch(number)\n    with sessions.begin() as db:\n        shipment = find_shipment(db, number)",
                    line=64,
                    total=128,
                ),
                answer(
                    "`find_shipment` runs once for each shipment, but by primary key and in its own short transaction. That is intended. `carrier_settings` is read for each one as well, and it never changes during a round."
                ),
            ],
            model=HAIKU,
        ),
        edit(
            "waybill/poller.py",
            "        settings = carrier_settings(db, carrier.name)",
            "",
            line=70,
        ),
        bash(
            "pytest -q tests/test_poller.py",
            ".............                                                            [100%]\n13 passed in 0.31s",
            took=2.0,
        ),
        answer(
            "One: the carrier's settings were read for every shipment. They are read once per round now: 38,000 fewer queries a day."
        ),
    ],
)
