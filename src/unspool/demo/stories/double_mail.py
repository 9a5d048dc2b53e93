"""A bug hunt: recipients get the same mail twice."""

from unspool.demo.script.steps import FABLE, Story, answer, prompt, say, think, together
from unspool.demo.script.tools import bash, edit, fails, todo, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import EVENTS, access_log, northline_payload
from unspool.demo.stories.waybill_outputs import suite

_RECORD = """
    def record_event(db: Session, shipment: Shipment, event: CarrierEvent) -> TrackingEvent:
        row = TrackingEvent(
            shipment_id=shipment.id,
            kind=event.kind,
            occurred_at=event.occurred_at,
            location=event.location,
            raw=event.raw,
        )
        db.add(row)
        shipment.status = next_status(shipment.status, event.kind)
        return row
"""
_TEST = """
    def test_an_event_that_is_delivered_twice_sends_one_mail(client, outbox, shipment):
        body = northline_event(shipment.tracking_number, "out_for_delivery", id="NL-88121")

        first = client.post("/webhooks/northline", json=body)
        second = client.post("/webhooks/northline", json=body)

        assert (first.status_code, second.status_code) == (202, 202)
        assert [mail.subject for mail in outbox] == ["Your parcel arrives today"]


    def test_two_events_of_one_kind_are_two_events(client, outbox, shipment):
        for id in ("NL-1", "NL-2"):
            client.post("/webhooks/northline", json=northline_event(
                shipment.tracking_number, "delivery_failed", id=id))

        assert len(outbox) == 2
"""

STORY = Story(
    name="double-mail",
    title="Recipients get the same mail twice",
    day=9,
    at="13:40",
    model=FABLE,
    branch="fix/double-mail",
    formats=True,
    steps=[
        prompt(
            'For two days now, some recipients have been getting the mail "Your parcel arrives today" twice, a few '
            "seconds apart. Support has eleven tickets, all of them Northline shipments. Find out "
            "why before you change anything.",
            after=5,
        ),
        think(
            "Two mails a few seconds apart, one carrier only. Either the carrier sends the event "
            "twice, or we handle one event twice: a retry of the worker, or two processes. I'll "
            "look at the path from webhook to mail first, then at the data."
        ),
        say("I'll follow the path from the webhook to the mail, then check it against the data."),
        together(
            search(r"notify_recipient\("),
            whole("waybill/webhooks.py"),
            whole("waybill/shipments.py"),
        ),
        whole("waybill/notify.py"),
        whole("waybill/models.py"),
        bash("psql waybill_replica -c '\\d tracking_events'", EVENTS, took=0.6, asks=5),
        think(
            "Nothing here asks whether the event is known already. The event has an id from the "
            "carrier in `raw`, but tracking_events has no column for it. If Northline retries a "
            "webhook that we answer too slowly, we record it twice and mail twice."
        ),
        say(
            "Nothing on this path recognises an event that it has seen before. "
            "Let me see whether Northline really sends some twice."
        ),
        bash(
            """
            psql waybill_replica -c "select e.raw->>'event_id' as event, count(*), \\
              max(e.created_at) - min(e.created_at) as apart \\
              from tracking_events e join shipments s on s.id = e.shipment_id \\
              where s.carrier = 'northline' and e.created_at > now() - interval '7 days' \\
              group by 1 having count(*) > 1 order by 2 desc limit 6"
            """,
            """
               event   | count |      apart
            -----------+-------+-----------------
             NL-88121  |     3 | 00:00:31.204118
             NL-87640  |     2 | 00:00:10.118733
             NL-87633  |     2 | 00:00:10.094410
             NL-87502  |     2 | 00:00:10.201337
             NL-86911  |     2 | 00:00:10.067020
             NL-86908  |     2 | 00:00:10.312945
            (6 rows)
            """,
            about="Count events that Northline sent more than once",
            took=2.8,
            asks=14,
        ),
        say("Ten seconds apart, again and again: that is a timeout. When did it begin?"),
        together(
            bash(
                """
                psql waybill_replica -c "select date_trunc('day', created_at)::date as day, \\
                  count(*) filter (where n > 1) as repeated from (select created_at, count(*) \\
                  over (partition by raw->>'event_id') n from tracking_events) t \\
                  where created_at > now() - interval '10 days' group by 1 order by 1"
                """,
                """
                    day     | repeated
                ------------+----------
                 $DAY-5 |        0
                 $DAY-4 |        0
                 $DAY-2 |       14
                 $DAY-1 |       22
                (4 rows)
                """,
                about="Count repeated events by day",
                took=3.4,
            ),
            bash(
                "git log --oneline --since='12 days ago' -- waybill/webhooks.py waybill/notify.py",
                """
                7c1e0b4 Send mails in the request, drop the outbox table
                a93f2d1 Northline: accept events without a location
                """,
            ),
        ),
        bash(
            "git show 7c1e0b4 --stat --format='%h %s%n%n%b'",
            """
            7c1e0b4 Send mails in the request, drop the outbox table

            The outbox needed a process of its own, and nobody restarted it after the last update.

             migrations/versions/0028_drop_outbox.py | 24 ++++++++++++++++++
             waybill/mailer.py                       | 61 -----------------------------------------
             waybill/notify.py                       | 19 +++++++++------
             waybill/webhooks.py                     |  3 ++-
             4 files changed, 38 insertions(+), 69 deletions(-)
            """,
        ),
        bash(
            "grep 'POST /webhooks/northline' logs/access.log | tail -60",
            access_log("/webhooks/northline", 60, 11),
            about="Latest requests of the Northline webhook",
        ),
        think(
            "7c1e0b4 moved sending into the request. SMTP takes seconds at times; Northline waits "
            "10 s for an answer and then sends the event again. So there are two faults: we are "
            "slow, and we are not idempotent. The second is the one to fix first, it protects "
            "against every retry."
        ),
        bash(
            "jq . logs/events/NL-88121.json",
            northline_payload(88121, "TOUR", "$DAY-1T07:40:00"),
            about="The event that came three times",
        ),
        search("event_id|smtp", "waybill"),
        bash(
            "grep -h 'POST /webhooks/northline' logs/access.log | awk '{print $NF}' | sort -n | "
            'awk \'{a[NR]=$1} END {print "p50", a[int(NR*.5)], "p95", a[int(NR*.95)], '
            '"max", a[NR]}\'',
            "p50 0.184 p95 6.911 max 24.530",
            about="Response times of the Northline webhook",
            took=0.9,
        ),
        answer(
            "Found it. Two faults in a row:\n\n"
            "1. Commit `7c1e0b4` (last week) sends mails inside the webhook request. When the "
            "mail server is slow, we answer Northline after more than 10 s: p95 is 6.9 s, the "
            "worst was 24.5 s.\n"
            "2. Northline waits 10 s and then delivers the event again, with the same `event_id`. "
            "`record_event` does not check it, so the event is stored and mailed a second time. "
            "`NL-88121` came three times.\n\n"
            "All eleven tickets fit. I suggest a unique `(shipment_id, event_id)` on "
            "`tracking_events` and `INSERT … ON CONFLICT DO NOTHING`, and sending the mail after the response. Shall I go ahead?"
        ),
        prompt("Yes, both. Failing test first.", after=4_300),
        todo(
            "> Test: an event that is delivered twice sends one mail",
            "- Column event_id with a unique index",
            "- Skip known events in record_event",
            "- Send mails after the response",
        ),
        whole("tests/test_webhooks.py"),
        edit(
            "tests/test_webhooks.py",
            "    def test_an_unknown_shipment_is_accepted(client):",
            _TEST + "\n\n    def test_an_unknown_shipment_is_accepted(client):",
            line=64,
        ),
        bash(
            "pytest -q tests/test_webhooks.py",
            """
            .....F..                                                             [100%]
            =================================== FAILURES ===================================
            _________ test_an_event_that_is_delivered_twice_sends_one_mail _________________

            >       assert [mail.subject for mail in outbox] == ["Your parcel arrives today"]
            E       AssertionError: assert ['Your parcel ... arrives today'] == ['Your parcel...rrives today']
            E         Left contains one more item: 'Your parcel arrives today'

            tests/test_webhooks.py:73: AssertionError
            =========================== short test summary info ============================
            FAILED tests/test_webhooks.py::test_an_event_that_is_delivered_twice_sends_one_mail
            1 failed, 7 passed in 1.92s
            """,
            exit=1,
            took=3.1,
        ),
        think(
            "It fails because two mails are in the outbox, which is the bug as reported. Now the order: the "
            "column must exist before code writes it, and old rows need a value or the unique index fails on "
            "them. Rows without an event_id (Parcelio has none) must stay allowed, so the index is partial. "
            "19 copies on the replica have to go before the index can be created."
        ),
        say("The test fails for the right reason. Now the column."),
        bash(
            "ls migrations/versions | tail -3 && cat migrations/versions/0028_drop_outbox.py",
            '0026_language.py\n0027_archived_at.py\n0028_drop_outbox.py\n"""Mails are sent in the request: no outbox."""\n\nfrom alembic import op\n\nrevision, down_revision = "0028", "0027"\n\n\ndef upgrade() -> None:\n    op.drop_table("outbox")\n\n\ndef downgrade() -> None:\n    raise NotImplementedError("Mails that were waiting are gone")',
        ),
        write(
            "migrations/versions/0029_event_id.py",
            '''
            """Carrier events have an id: the same event is stored once."""

            import sqlalchemy as sa
            from alembic import op

            revision, down_revision = "0029", "0028"


            def upgrade() -> None:
                op.add_column("tracking_events", sa.Column("event_id", sa.Text(), nullable=True))
                op.execute("UPDATE tracking_events SET event_id = raw->>'event_id'")
                op.execute(
                    "DELETE FROM tracking_events a USING tracking_events b "
                    "WHERE a.id > b.id AND a.shipment_id = b.shipment_id AND a.event_id = b.event_id"
                )
                op.create_index(
                    "tracking_events_event_id", "tracking_events", ["shipment_id", "event_id"],
                    unique=True, postgresql_where=sa.text("event_id IS NOT NULL"),
                )


            def downgrade() -> None:
                op.drop_index("tracking_events_event_id")
                op.drop_column("tracking_events", "event_id")
            ''',
        ),
        edit(
            "waybill/shipments.py",
            _RECORD,
            """
                def record_event(
                    db: Session, shipment: Shipment, event: CarrierEvent
                ) -> TrackingEvent | None:
                    \"\"\"Store an event; None if the carrier has delivered it before.\"\"\"
                    known = (
                        insert(TrackingEvent)
                        .values(
                            shipment_id=shipment.id,
                            event_id=event.id,
                            kind=event.kind,
                            occurred_at=event.occurred_at,
                            location=event.location,
                            raw=event.raw,
                        )
                        .on_conflict_do_nothing()
                        .returning(TrackingEvent)
                    )
                    row = db.scalar(known)
                    if row is not None:
                        shipment.status = next_status(shipment.status, event.kind)
                    return row
            """,
            line=58,
        ),
        edit(
            "waybill/webhooks.py",
            """
                record_event(db, shipment, event)
                db.commit()
                notify_recipient(shipment, event)
                return Accepted(known=True)
            """,
            """
                row = record_event(db, shipment, event)
                db.commit()
                if row is not None:
                    background.add_task(notify_recipient, shipment.id, row.id)
                return Accepted(known=True)
            """,
            line=38,
        ),
        edit(
            "waybill/models.py",
            "    location: Mapped[str | None]\n    raw",
            "    location: Mapped[str | None]\n    event_id: Mapped[str | None]\n    raw",
            line=66,
        ),
        edit(
            "waybill/carriers/northline.py",
            '        "raw": payload,',
            '        "id": payload.get("event_id"),\n        "raw": payload,',
            line=57,
        ),
        bash(
            "alembic upgrade head && pytest -q tests/test_webhooks.py",
            "INFO  [alembic.runtime.migration] Running upgrade 0028 -> 0029, Carrier events have an id: the same event is stored once.\n....F....                                                                [100%]\nE   sqlalchemy.exc.DetachedInstanceError: Instance <Shipment> is not bound to a Session\nFAILED tests/test_webhooks.py::test_the_recipient_is_told[delivered]\n1 failed, 8 passed in 2.04s",
            exit=1,
            took=4.4,
        ),
        fails(
            edit(
                "waybill/notify.py",
                "def notify_recipient(shipment, event):",
                "def notify_recipient(shipment_id: int, event_id: int) -> None:",
            ),
            "String to replace not found in file.\nString: def notify_recipient(shipment, event):",
        ),
        say(
            "The task runs after the session is closed. It gets ids now, so it has to open a session of its own."
        ),
        edit(
            "waybill/notify.py",
            "def notify_recipient(shipment: Shipment, event: CarrierEvent) -> None:",
            "def notify_recipient(shipment_id: int, event_id: int) -> None:",
            line=26,
        ),
        edit(
            "waybill/notify.py",
            "    message = compose(shipment, event)",
            "    with sessions() as db:\n        shipment, event = db.get(Shipment, shipment_id), db.get(TrackingEvent, event_id)\n        message = compose(shipment, event)",
            line=30,
        ),
        bash(
            "pytest -q tests/test_webhooks.py tests/test_notify.py",
            ".................                                                        [100%]\n17 passed in 2.61s",
            took=4.0,
        ),
        bash(
            "alembic upgrade head && pytest -v",
            "INFO  [alembic.runtime.migration] Running upgrade 0028 -> 0029\n"
            + suite(138, "14.06"),
            took=19.4,
        ),
        bash(
            "git status --short && git diff --stat",
            " M tests/test_webhooks.py\n M waybill/carriers/northline.py\n M waybill/models.py\n M waybill/notify.py\n M waybill/shipments.py\n M waybill/webhooks.py\n?? migrations/versions/0029_event_id.py\n 6 files changed, 61 insertions(+), 22 deletions(-)",
        ),
        todo(
            "x Test: an event that is delivered twice sends one mail",
            "x Column event_id with a unique index",
            "x Skip known events in record_event",
            "x Send mails after the response",
        ),
        bash(
            'git add -A && git commit -qm "Store a carrier\'s event once, and mail after the response" '
            "&& git push -u origin fix/double-mail",
            """
            To git.example.org:waybill/waybill
             * [new branch]      fix/double-mail -> fix/double-mail
            branch 'fix/double-mail' set up to track 'origin/fix/double-mail'.
            """,
            took=2.2,
            asks=21,
        ),
        answer(
            "Done on `fix/double-mail`. An event is stored once, however often it is sent, and the "
            "webhook answers before the mail is sent. The migration also removes the copies that are in the table now: 19 rows on the replica. All 138 tests pass."
        ),
    ],
)
