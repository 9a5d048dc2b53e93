"""A migration that fails half-way on staging, is rolled back, and is done in small steps."""

from unspool.demo.script.steps import FABLE, Story, answer, prompt, say, think, together
from unspool.demo.script.tools import bash, edit, todo, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import SHIPMENTS, poller_log
from unspool.demo.stories.waybill_outputs import suite

_LOCKED = """
    INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030, Status of a shipment is an enum.
    Traceback (most recent call last):
      File "/srv/waybill/.venv/lib/python3.13/site-packages/sqlalchemy/engine/base.py", line 1967, in _exec_single_context
        self.dialect.do_execute(cursor, str_statement, effective_parameters, context)
    psycopg.errors.LockNotAvailable: canceling statement due to lock timeout
    [SQL: ALTER TABLE shipments ALTER COLUMN status TYPE shipment_status USING status::shipment_status]
"""

STORY = Story(
    name="failed-migration",
    title="Migrate shipment status to an enum",
    day=7,
    at="11:15",
    model=FABLE,
    branch="status-enum",
    steps=[
        prompt(
            "Turn `shipments.status` from text into a Postgres enum and run the migration on "
            "staging. The table has 4.1 million rows.",
            after=5,
        ),
        bash(
            'psql waybill_staging -c "select status, count(*) from shipments group by 1 order by 2 desc"',
            """
                  status      |  count
            ------------------+---------
             delivered        | 3784201
             in_transit       |  241877
             out_for_delivery |   38110
             created          |   27904
             delivery_failed  |    9013
             returned         |    4466
            (6 rows)
            """,
            took=4.9,
            asks=9,
        ),
        bash("psql waybill_staging -c '\\d shipments'", SHIPMENTS, took=0.7),
        together(whole("waybill/models.py"), search("status", "waybill")),
        bash(
            "ls migrations/versions | tail -4 && sed -n 1,40p migrations/env.py",
            '0026_language.py\n0027_archived_at.py\n0028_drop_outbox.py\n0029_event_id.py\n"""Alembic: one transaction for each migration, with a timeout for locks."""\n\nfrom alembic import context\nfrom sqlalchemy import create_engine, pool\n\nfrom waybill.models import Base\nfrom waybill.settings import settings\n\n\ndef run() -> None:\n    engine = create_engine(settings.database, poolclass=pool.NullPool)\n    with engine.connect() as connection:\n        context.configure(\n            connection=connection,\n            target_metadata=Base.metadata,\n            transaction_per_migration=True,\n        )\n        with context.begin_transaction():\n            context.run_migrations()\n\n\nrun()',
        ),
        think(
            "Six clean values. The simple migration: create type, alter column using a cast. That "
            "rewrites the table under an ACCESS EXCLUSIVE lock. On staging with the poller running "
            "it may have to wait for the lock; I'll set lock_timeout so that it gives up instead of "
            "queueing everyone behind it."
        ),
        write(
            "migrations/versions/0030_status_enum.py",
            '''
            """Status of a shipment is an enum."""

            from alembic import op

            revision, down_revision = "0030", "0029"
            STATES = "created in_transit out_for_delivery delivered delivery_failed returned".split()


            def upgrade() -> None:
                op.execute("SET lock_timeout = '5s'")
                op.execute(f"CREATE TYPE shipment_status AS ENUM {tuple(STATES)}")
                op.execute(
                    "ALTER TABLE shipments ALTER COLUMN status TYPE shipment_status "
                    "USING status::shipment_status"
                )


            def downgrade() -> None:
                op.execute("ALTER TABLE shipments ALTER COLUMN status TYPE text")
                op.execute("DROP TYPE shipment_status")
            ''',
        ),
        bash(
            "alembic upgrade head && pytest -q tests/test_shipments.py",
            """
            INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030, Status of a shipment is an enum.
            .......................                                                  [100%]
            23 passed in 2.71s
            """,
            took=5.5,
        ),
        say("It works on the empty local database. Now staging, with the lock timeout."),
        bash(
            "ssh staging 'cd /srv/waybill && alembic upgrade head'",
            _LOCKED,
            exit=1,
            took=9.8,
            asks=33,
        ),
        say("Something holds a lock on `shipments`. I'll see who before I try again."),
        bash(
            """
            ssh staging "psql waybill -c \\"select pid, state, now() - xact_start as open_for, \\
              left(query, 60) as query from pg_stat_activity \\
              where datname = 'waybill' and state <> 'idle' order by 3 desc\\""
            """,
            """
              pid  |        state        |    open_for     |                            query
            -------+---------------------+-----------------+--------------------------------------------------------------
             20714 | idle in transaction | 00:41:07.221094 | SELECT shipments.id, shipments.tracking_number FROM shipments
             21950 | active              | 00:00:00.012377 | select pid, state, now() - xact_start as open_for, left(quer
            (2 rows)
            """,
            about="Who holds the lock",
            took=1.7,
        ),
        bash(
            "ssh staging 'ps -o pid,etime,args -p $(pgrep -f waybill.poller)'",
            """
                PID     ELAPSED COMMAND
                812  3-04:12:55 python -m waybill.poller --carrier parcelio
            """,
            took=0.9,
        ),
        whole("waybill/poller.py"),
        think(
            "The poller keeps one transaction open for its whole round. So every migration that "
            "needs an exclusive lock waits for it. Stop the poller for the migration."
        ),
        say(
            "The poller has had a transaction open for 41 minutes. I'll stop it for the migration."
        ),
        bash(
            "ssh staging 'systemctl --user stop waybill-poller && cd /srv/waybill && alembic upgrade head'",
            """
            INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030, Status of a shipment is an enum.
            sqlalchemy.exc.OperationalError: (psycopg.errors.DiskFull) could not extend file "base/16402/24811.3": No space left on device
            HINT:  Check free disk space.
            [SQL: ALTER TABLE shipments ALTER COLUMN status TYPE shipment_status USING status::shipment_status]
            """,
            exit=1,
            took=141.0,
            asks=18,
        ),
        think(
            "The rewrite needs as much free space as the table with its indexes. It failed inside "
            "the transaction, so the table should be unchanged, but CREATE TYPE too? All in one "
            "transaction: rolled back. Check the state, give the disk back, restart the poller, "
            "and do not try a third time like this."
        ),
        say(
            "Out of disk in the middle of the rewrite. I'll stop here and put staging back in order."
        ),
        bash(
            """
            ssh staging "df -h /var/lib/postgresql | tail -1; \\
              psql waybill -Atc 'select version_num from alembic_version'; \\
              psql waybill -c '\\d shipments' | grep status"
            """,
            """
            /dev/vdb1        40G   37G  3.0G  93% /var/lib/postgresql
            0029
             status          | text                     |           | not null | 'created'::text
            """,
            about="State of staging after the failure",
            took=1.9,
        ),
        bash(
            "ssh staging 'systemctl --user start waybill-poller && systemctl --user is-active waybill-poller'",
            "active",
            took=1.2,
            asks=6,
        ),
        bash(
            """
            ssh staging "psql waybill -Atc \\"select pg_size_pretty(pg_table_size('shipments')), \\
              pg_size_pretty(pg_indexes_size('shipments')), pg_size_pretty(pg_database_size('waybill'))\\""
            """,
            "2914 MB|3102 MB|31 GB",
            about="How much a rewrite needs",
            took=1.3,
        ),
        bash(
            "ssh staging 'journalctl --user -u waybill-poller -n 24 --no-pager'",
            poller_log(24),
            took=1.1,
        ),
        answer(
            "The migration failed twice and staging is back where it was: revision 0029, `status` "
            "is text, the poller is running.\n\n"
            "1. First it could not get the lock. The poller keeps a transaction open for its whole "
            "round, 41 minutes at the time.\n"
            "2. With the poller stopped, the rewrite of 4.1 million rows ran out of disk: it needs "
            "about 6 GB, 3.0 GB are free. Postgres rolled it back.\n\n"
            "An `ALTER … TYPE` rewrites the whole table, in production too. I'd rather not: a "
            "`CHECK` constraint gives the same guarantee without a rewrite, and it can be "
            "validated without blocking anyone."
        ),
        prompt(
            "Agreed, use a CHECK constraint. And the poller must not hold transactions that long.",
            after=5_200,
        ),
        todo(
            "> Replace 0030 by a CHECK constraint, NOT VALID first",
            "- Validate it in a migration of its own",
            "- Poller: one transaction for each shipment",
            "- Run it on staging",
        ),
        bash(
            "git rm -qf migrations/versions/0030_status_enum.py && alembic downgrade 0029",
            "INFO  [alembic.runtime.migration] Running downgrade 0030 -> 0029, Status of a shipment is an enum.",
            took=2.1,
        ),
        write(
            "migrations/versions/0030_status_check.py",
            '''
            """Status of a shipment is one of six words: checked for new rows, validated in 0031."""

            from alembic import op

            revision, down_revision = "0030", "0029"
            STATES = "created in_transit out_for_delivery delivered delivery_failed returned".split()


            def upgrade() -> None:
                op.execute("SET lock_timeout = '5s'")
                op.execute(
                    "ALTER TABLE shipments ADD CONSTRAINT shipments_status "
                    f"CHECK (status IN {tuple(STATES)}) NOT VALID"
                )


            def downgrade() -> None:
                op.drop_constraint("shipments_status", "shipments")
            ''',
        ),
        write(
            "migrations/versions/0031_validate_status.py",
            '''
            """Validate the status of all shipments; reads them without a lock that blocks writers."""

            from alembic import op

            revision, down_revision = "0031", "0030"


            def upgrade() -> None:
                op.execute("ALTER TABLE shipments VALIDATE CONSTRAINT shipments_status")


            def downgrade() -> None:
                pass
            ''',
        ),
        together(whole("tests/test_poller.py"), search(r"poll_round|poll_once")),
        think(
            "A transaction for each shipment, opened after the carrier has answered. The list of numbers is "
            "read first and may be a few minutes old by the time its turn comes: a shipment that was "
            "delivered meanwhile just gets no new events, `next_status` sees to that. Tests pass a session; "
            "they need a sessionmaker now."
        ),
        edit(
            "waybill/poller.py",
            """
            def poll_round(carrier: Carrier, db: Session) -> int:
                changed = 0
                for shipment in open_shipments(db, carrier.name):
                    for event in carrier.fetch(shipment.tracking_number):
                        changed += record_event(db, shipment, event) is not None
                    time.sleep(carrier.pause)
                db.commit()
                return changed
            """,
            """
            def poll_round(carrier: Carrier, sessions: sessionmaker[Session]) -> int:
                with sessions() as db:
                    numbers = [one.tracking_number for one in open_shipments(db, carrier.name)]
                changed = 0
                for number in numbers:
                    events = carrier.fetch(number)  # slow: no transaction is open meanwhile
                    with sessions.begin() as db:
                        shipment = find_shipment(db, number)
                        changed += sum(record_event(db, shipment, one) is not None for one in events)
                    time.sleep(carrier.pause)
                return changed
            """,
            line=61,
        ),
        edit(
            "waybill/poller.py",
            "            with measured(carrier.name), sessions() as db:\n                return poll_round(carrier, db)",
            "            with measured(carrier.name):\n                return poll_round(carrier, sessions)",
            line=77,
        ),
        bash(
            "pytest -q tests/test_poller.py",
            "FFF..F....F                                                              [100%]\nE   TypeError: 'Session' object is not callable\n5 failed, 6 passed in 8.11s",
            exit=1,
            took=9.6,
        ),
        edit(
            "tests/test_poller.py",
            "def test_a_round_asks_for_every_open_shipment(db, carrier):",
            "def test_no_transaction_is_open_while_the_carrier_is_asked(sessions, carrier):\n    make_shipment(carrier=carrier.name)\n    carrier.on_fetch = lambda _: held.append(open_transactions())\n    held: list[int] = []\n\n    poll_round(carrier, sessions)\n\n    assert held == [0]\n\n\ndef test_a_round_asks_for_every_open_shipment(sessions, carrier):",
            line=13,
        ),
        bash(
            "sed -i 's/poll_round(carrier, db)/poll_round(carrier, sessions)/; s/(db, carrier)/(sessions, carrier)/' tests/test_poller.py && pytest -q tests/test_poller.py",
            "............                                                             [100%]\n12 passed in 7.92s",
            took=9.4,
        ),
        bash(
            "alembic upgrade head && pytest -v",
            "INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030\nINFO  [alembic.runtime.migration] Running upgrade 0030 -> 0031\n"
            + suite(140, "15.37"),
            took=21.0,
        ),
        bash(
            "ssh staging 'cd /srv/waybill && git checkout -q status-enum && systemctl --user restart "
            "waybill-poller && time alembic upgrade head'",
            """
            INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030, Status of a shipment is one of six words: checked for new rows, validated in 0031.
            INFO  [alembic.runtime.migration] Running upgrade 0030 -> 0031, Validate the status of all shipments; reads them without a lock that blocks writers.

            real    0m8.114s
            """,
            took=12.4,
            asks=27,
        ),
        bash(
            "ssh staging 'sleep 60; journalctl --user -u waybill-poller --since -1min --no-pager | grep -c round; psql waybill -Atc \"select max(now() - xact_start) from pg_stat_activity where datname = current_database()\"'",
            "3\n00:00:00.031544",
            about="The poller after the change",
            took=61.5,
        ),
        todo(
            "x Replace 0030 by a CHECK constraint, NOT VALID first",
            "x Validate it in a migration of its own",
            "x Poller: one transaction for each shipment",
            "x Run it on staging",
        ),
        answer(
            "Staging is on 0031. Adding the constraint took 40 ms, validating 4.1 million rows took "
            "8 seconds, and the poller kept running. It now opens a transaction for each "
            "shipment, after the slow call to the carrier. All 140 tests pass."
        ),
    ],
)
