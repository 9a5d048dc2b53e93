"""Waits for an answer when the demo begins: what to do with invoices."""

from unspool.demo.script.steps import SONNET, Now, Story, answer, prompt, say, think, together
from unspool.demo.script.tools import ask, bash, edit, grep, write
from unspool.demo.stories.waybill_outputs import suite

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="delete-customer",
    title="Delete a customer's data on request",
    model=SONNET,
    branch="erase-customer",
    steps=[
        prompt(
            "A customer asks us to delete all their data. Build `waybill erase CUSTOMER`: shipments, events, notifications, mails.",
            after=5,
        ),
        together(
            grep(
                "owner_id",
                'waybill/models.py:34:    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"))\nwaybill/models.py:92:    owner_id: Mapped[int]',
                path="waybill/models.py",
            ),
            bash(
                "psql waybill_replica -c \"select conrelid::regclass, confdeltype from pg_constraint where confrelid = 'shipments'::regclass\"",
                "    conrelid     | confdeltype \n-----------------+-------------\n tracking_events | a\n notifications   | a\n(2 rows)",
                took=1.2,
            ),
        ),
        think(
            "No cascade, so the order matters: notifications, events, shipments, user. Invoices must be kept by law for some years; they reference the user. Deleting the user row would break them. That is a decision for the user."
        ),
        ask(
            "Invoices have to be kept, and they refer to the customer. What should happen to the customer's row?",
            "Invoices",
            {
                "Keep it, blank the name (recommended)": "Invoices stay valid, nothing else points to a person",
                "Move invoices to an archive": "The customer's row can go, but reports need the archive too",
                "Refuse while invoices exist": "Nothing is deleted until the last one expires",
            },
            answer="Keep it, blank the name (recommended)",
            waits=640,
        ),
        Now(before=545),
        write(
            "waybill/erase.py",
            '''
            """A customer -> nothing left but invoices without a name."""

            from sqlalchemy import delete, select, update
            from sqlalchemy.orm import Session

            from waybill.models import Notification, Shipment, TrackingEvent, User


            def erase(db: Session, user: User) -> dict[str, int]:
                """Delete what belongs to a customer; say how many rows of each table are gone."""
                own = select(Shipment.id).where(Shipment.owner_id == user.id)
                gone = {}
                for table in (Notification, TrackingEvent):
                    gone[table.__tablename__] = db.execute(
                        delete(table).where(table.shipment_id.in_(own))
                    ).rowcount
                gone["shipments"] = db.execute(delete(Shipment).where(Shipment.owner_id == user.id)).rowcount
                db.execute(update(User).where(User.id == user.id).values(name="", active=False))
                return gone
        ''',
        ),
        write(
            "tests/test_erase.py",
            """
            def test_nothing_of_a_customer_is_left_but_invoices(db, customer):
                gone = erase(db, customer)

                assert gone == {"notifications": 4, "tracking_events": 12, "shipments": 3}
                assert db.get(User, customer.id).name == ""
                assert len(invoices_of(db, customer)) == 2


            def test_others_keep_everything(db, customer, other):
                erase(db, customer)

                assert shipments_of(db, other) == 3
        """,
        ),
        bash(
            "pytest -q tests/test_erase.py",
            "..                                                                       [100%]\n2 passed in 0.84s",
            took=2.2,
        ),
        answer(
            "`waybill erase CUSTOMER` deletes notifications, events and shipments, blanks the name and keeps invoices. It prints what it removed."
        ),
        prompt("What about backups and the log files?", after=_LATER),
        bash(
            "grep -rlE 'recipient=' logs/ | head -3; ls /backup/waybill | wc -l",
            "logs/access.log\nlogs/access.log.1\n30",
            took=0.9,
        ),
        say(
            "The access logs contain recipients in the URL, and 30 nightly backups hold everything."
        ),
        ask(
            "Backups expire after 30 days anyway. Is that soon enough for a deletion request?",
            "Backups",
            {
                "Yes, note it in the answer to the customer": "Usual practice; the deletion is complete after 30 days",
                "No, erase again after each restore": "A list of erased customers is applied when a backup is restored",
            },
            answer="No, erase again after each restore",
            waits=260,
        ),
        edit(
            "deploy/restore.sh",
            'pg_restore -j4 -d waybill "$1"',
            'pg_restore -j4 -d waybill "$1"\nwaybill erase --again erased.txt',
            line=14,
        ),
        edit(
            "waybill/app.py",
            '    log.info("GET %s", request.url)',
            '    log.info("GET %s", request.url.path)',
            line=52,
        ),
        bash("pytest -v", suite(207, "19.77"), took=21.0),
        answer(
            "Erased customers are kept in a list of ids that is applied after every restore, and logs no longer contain what was searched for."
        ),
    ],
)
