"""Two sessions of today that cannot go on: one at the weekly limit of its model, one after an API error."""

from unspool.demo.script.steps import (
    OPUS,
    Failure,
    Limit,
    Story,
    answer,
    prompt,
    say,
    think,
    together,
)
from unspool.demo.script.tools import bash, edit, read, todo, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import EVENTS, web_suite
from unspool.demo.stories.waybill_outputs import suite

LIMITED = Story(
    name="retention",
    title="Delete old events after two years",
    ago=96,
    model=OPUS,
    branch="event-retention",
    steps=[
        prompt(
            "tracking_events grows by 40 GB a year. Delete events of shipments that were delivered "
            "more than two years ago, in small batches, from the nightly job. Raw payloads can go "
            "after 90 days already.",
            after=5,
        ),
        together(
            read(
                "waybill/nightly.py",
                """
                class Nightly:
                    def __init__(self, at: time, job: Callable[[], object]) -> None:
                        self._at, self._job = at, job
                        self._done: date | None = None
                """,
                line=7,
                total=17,
            ),
            search("tracking_events|TrackingEvent"),
            whole("waybill/models.py"),
        ),
        whole("waybill/poller.py"),
        bash("psql waybill_replica -c '\\d tracking_events'", EVENTS, took=0.5, asks=6),
        together(whole("waybill/shipments.py"), whole("waybill/reports.py")),
        bash(
            "psql waybill_replica -Atc \"select pg_size_pretty(pg_total_relation_size('tracking_events')), "
            "count(*) filter (where delivered_at < now() - interval '2 years') from tracking_events join shipments s on s.id = shipment_id\"",
            "88 GB|31207455",
            about="How much would be deleted",
            took=38.0,
            asks=10,
        ),
        think(
            "31 million rows. Deleting in one go would bloat and lock. Batches of 5,000 by id, with a "
            "pause, at most 20 minutes a night. And the raw column: set to null in batches too."
        ),
        search(r"\braw\b", "waybill"),
        think(
            "Who reads `raw`? The webhook writes it, the zone of an event is its own column by now, and reports "
            "do not touch it. So after 90 days nothing is lost that the page shows. A foreign key points from "
            "events to shipments, not the other way round: deleting events needs no cascade. Reports over more "
            "than two years would become wrong; they count shipments, not events, so they stay right."
        ),
        todo(
            "> Job that deletes in batches",
            "- Raw payloads after 90 days",
            "- Setting for both periods",
            "- Metrics",
        ),
        write(
            "waybill/retention.py",
            '''
            """Old events -> gone, a few thousand at a time, for at most some minutes a night."""

            from collections.abc import Callable
            from datetime import timedelta

            from sqlalchemy import text
            from sqlalchemy.orm import Session, sessionmaker

            BATCH = 5_000
            KEEP_EVENTS, KEEP_RAW = timedelta(days=730), timedelta(days=90)

            _DELETE = text("""
                DELETE FROM tracking_events WHERE id IN (
                    SELECT e.id FROM tracking_events e JOIN shipments s ON s.id = e.shipment_id
                    WHERE s.delivered_at < now() - :keep LIMIT :batch)
            """)


            def delete_old_events(sessions: sessionmaker[Session], is_late: Callable[[], bool]) -> int:
                """Delete batch by batch until nothing is left or it is late; say how many."""
                total = 0
                while not is_late():
                    with sessions.begin() as db:
                        gone = db.execute(_DELETE, {"keep": KEEP_EVENTS, "batch": BATCH}).rowcount
                    total += gone
                    if gone < BATCH:
                        break
                return total
            ''',
        ),
        write(
            "tests/test_retention.py",
            """
            def test_events_of_old_deliveries_are_deleted(db, sessions):
                make_delivered(db, events=3, ago=timedelta(days=800))
                make_delivered(db, events=2, ago=timedelta(days=30))

                assert delete_old_events(sessions, is_late=lambda: False) == 3
                assert db.scalar(select(func.count()).select_from(TrackingEvent)) == 2


            def test_it_stops_when_it_is_late(db, sessions):
                make_delivered(db, events=3, ago=timedelta(days=800))

                assert delete_old_events(sessions, is_late=lambda: True) == 0
            """,
        ),
        whole("tests/conftest.py"),
        bash(
            "pytest -q tests/test_retention.py",
            "F.                                                                       [100%]\nE   assert 0 == 3\nFAILED tests/test_retention.py::test_events_of_old_deliveries_are_deleted\n1 failed, 1 passed in 0.92s",
            exit=1,
            took=2.2,
        ),
        say(
            "The test's shipments have no `delivered_at`: the column is only set by `next_status`. I'll set it in the factory."
        ),
        edit(
            "tests/factories.py",
            '    "status": "delivered",',
            '    "status": "delivered",\n    "delivered_at": NOW,',
            line=9,
        ),
        bash(
            "pytest -q tests/test_retention.py",
            "..                                                                       [100%]\n2 passed in 0.88s",
            took=2.1,
        ),
        bash(
            "python -m waybill.retention --database waybill_replica --explain",
            """
            Delete on tracking_events  (actual time=41.2..41.2 rows=0 loops=1)
              ->  Nested Loop  (actual time=0.4..22.9 rows=5000 loops=1)
                    ->  Index Scan using shipments_delivered_at on shipments s
                    ->  Index Scan using tracking_events_shipment_id on tracking_events e
            Execution Time: 43.7 ms
            """,
            took=3.0,
        ),
        answer(
            "A batch of 5,000 takes 44 ms, so the first clean-up will take a few nights. Raw payloads next?"
        ),
        prompt("Yes, and make both periods settings.", after=140),
        whole("waybill/settings.py"),
        edit(
            "waybill/settings.py",
            "class Settings(BaseSettings):",
            "class Settings(BaseSettings):\n    keep_events_days: int = 730\n    keep_raw_days: int = 90",
            line=12,
        ),
        bash("pytest -v", suite(207, "19.60"), took=22.0),
        bash(
            "git add -A && git commit -qm 'Delete events two years after delivery, a batch at a time'",
            "[event-retention 5e0c1d2] Delete events two years after delivery, a batch at a time\n 4 files changed, 71 insertions(+), 1 deletion(-)",
            asks=6,
        ),
        edit(
            "waybill/retention.py",
            "KEEP_EVENTS, KEEP_RAW = timedelta(days=730), timedelta(days=90)\n",
            "",
            line=11,
        ),
        Limit("Opus"),
    ],
)

FAILED = Story(
    name="openapi-client",
    title="Generate the web client from OpenAPI",
    ago=205,
    model=OPUS,
    branch="openapi-client",
    steps=[
        prompt(
            "web/src/api.ts is written by hand and drifts from the server. Generate its types from our OpenAPI document.",
            after=5,
        ),
        together(
            bash("python -m waybill.app openapi | jq '.paths | length'", "23", took=1.6),
            whole("web/src/api.ts"),
        ),
        together(whole("waybill/api/schemas.py"), search(r"from \"\\.\\./api\"", "web")),
        bash(
            "python -m waybill.app openapi | jq '.components.schemas.ShipmentOut'",
            """
            {
              "properties": {
                "id": {"type": "integer", "title": "Id"},
                "tracking_number": {"type": "string", "title": "Tracking Number"},
                "status": {
                  "enum": ["created", "in_transit", "out_for_delivery", "delivered", "delivery_failed", "returned"],
                  "type": "string",
                  "title": "Status"
                },
                "eta_from": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
                "eta_to": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}
              },
              "type": "object",
              "required": ["id", "tracking_number", "status", "eta_from", "eta_to"],
              "title": "ShipmentOut"
            }
            """,
            took=1.7,
        ),
        think(
            "The document is good enough: enums are there, nullable fields too. Generate types only, not a "
            "client: `api.ts` has twenty lines of fetch that everybody understands. The generated file is "
            "checked in, so that a review sees when the server's answer changes."
        ),
        bash(
            "npm --prefix web install -D openapi-typescript --silent && npx --prefix web openapi-typescript openapi.json -o web/src/schema.d.ts",
            "✨ openapi-typescript 7.4.4\n🚀 openapi.json → web/src/schema.d.ts [61.2ms]",
            took=11.0,
            asks=13,
        ),
        edit(
            "web/src/api.ts",
            "export type Shipment = {\n  id: number;\n  tracking_number: string;\n  status: string;\n};",
            'import type { components } from "./schema";\n\nexport type Shipment = components["schemas"]["ShipmentOut"];',
            line=1,
        ),
        bash(
            "npm --prefix web run check",
            """
             src/pages/Shipments.tsx(31,17): error TS2367: This comparison appears to be unintentional because the types '"created" | "in_transit" | "delivered"' and '"done"' have no overlap.
             src/components/ShipmentForm.tsx(58,9): error TS2322: Type 'string' is not assignable to type '"northline" | "parcelio"'.
             """,
            exit=2,
            took=9.0,
        ),
        say(
            'The first is a real bug: the list compares with a status `done` that does not exist, so the filter "Delivered" has never shown anything.'
        ),
        whole("web/src/pages/Shipments.tsx"),
        edit(
            "web/src/pages/Shipments.tsx",
            'shipment.status === "done"',
            'shipment.status === "delivered"',
            line=31,
        ),
        whole("web/src/components/ShipmentForm.tsx"),
        edit(
            "web/src/components/ShipmentForm.tsx",
            'useState("northline")',
            'useState<Carrier>("northline")',
            line=22,
        ),
        bash(
            "npm --prefix web run check && npm --prefix web test -- --run",
            web_suite(83, "6.93"),
            took=17.0,
        ),
        answer(
            'Types come from the server now. It already found a bug: the filter "Delivered" compared with `done` and never matched.'
        ),
        prompt("Nice catch. Add a CI step that fails when schema.d.ts is out of date.", after=180),
        whole(".github/workflows/ci.yml", ("node-version: latest", "node-version: 22")),
        edit(
            ".github/workflows/ci.yml",
            "      - run: npm run check\n        working-directory: web",
            "      - run: npm run schema && git diff --exit-code src/schema.d.ts\n        working-directory: web\n      - run: npm run check\n        working-directory: web",
            line=24,
        ),
        Failure(
            "API Error: 529 Overloaded. This is usually temporary. Try again in a moment.",
            "overloaded",
            529,
            tries=4,
        ),
    ],
)
