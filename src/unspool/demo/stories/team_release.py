"""A team: a lead and three members prepare a release side by side."""

from unspool.demo.script.steps import (
    FABLE,
    Story,
    TeamMessage,
    answer,
    prompt,
    say,
    think,
    together,
)
from unspool.demo.script.tools import agent, bash, edit, grep, read, todo, write
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_logs import SHIPMENTS, build_log
from unspool.demo.stories.waybill_outputs import suite

_TEAM = "release-1-8"

_LOG = """
    9be1440 Northline: customs is in transit
    c20d7f5 One interface for carriers

    A carrier is one module: parse, fetch, kinds. 31 recorded payloads give the same events.

    3f77a0e Import shipments from CSV

    POST /shipments/import takes up to 5,000 rows and reports those it cannot import.

    84e6b19 Poller: a transaction for each shipment

    No transaction is open while a carrier is asked, so migrations get their locks.

    2d0c5aa Times are shown in the zone of the depot

    They were shown in UTC. Events have a zone now; old ones keep Berlin.

    b1170ce Store a carrier's event once, and mail after the response

    Northline repeats an event when we take longer than 10 s; it was stored and mailed again.
"""

_SECURITY = agent(
    "general-purpose",
    "Check what the release exposes",
    "You check security. Go through all routes that were added since v1.7 and through our "
    "dependencies. Report only what is a real risk for a self-hosted installation.",
    [
        bash(
            "git diff v1.7..main --stat -- waybill/api && pip-audit -r requirements.txt",
            """
             waybill/api/exports.py   |  71 ++++++++++++++
             waybill/api/shipments.py |  33 ++++++
            Found 1 known vulnerability in 1 package
            Name   Version ID             Fix Versions
            jinja2 3.1.4   CVE-2025-27516 3.1.6
            """,
            took=11.2,
        ),
        grep(
            "Depends\\(user\\)",
            "waybill/api/exports.py:18:def export(user: User = Depends(user)):\nwaybill/api/shipments.py:53:def import_csv(file: UploadFile, user: User = Depends(user)):",
            path="waybill/api",
        ),
        whole("waybill/api/tracking.py"),
        together(whole("waybill/app.py"), whole("waybill/settings.py")),
        search("secret|password|token", "waybill"),
        think(
            "The public routes are /t/{number} and /webhooks. The first gives no names; numbers can be guessed, "
            "but all one learns is a status and depots. Uploads are limited to 2 MB by BodySize before anything "
            "is parsed. What remains is jinja2: our templates are our own files, so the hole cannot be reached, "
            "but the update costs nothing."
        ),
        edit("requirements.txt", "jinja2==3.1.4", "jinja2==3.1.6", line=14),
        bash("pip install -qr requirements.txt && pytest -v", suite(190, "17.80"), took=31.0),
        answer(
            "Both new routes require a signed-in user. jinja2 had a known vulnerability; it is on 3.1.6 now and all tests pass."
        ),
    ],
    name="security",
    team=_TEAM,
    colour="red",
)
_NOTES = agent(
    "general-purpose",
    "Write the release notes",
    "You write. Read the commits since v1.7 and write CHANGELOG.md for 1.8: what a user notices, "
    "in their words. Ask the others if a commit is unclear.",
    [
        bash(
            "git log --oneline v1.7..main",
            """
            9be1440 Northline: customs is in transit
            c20d7f5 One interface for carriers
            3f77a0e Import shipments from CSV
            84e6b19 Poller: a transaction for each shipment
            2d0c5aa Times are shown in the zone of the depot
            b1170ce Store a carrier's event once, and mail after the response
            """,
        ),
        bash("git log --format='%h %s%n%b' v1.7..main -- waybill web | head -60", _LOG),
        bash(
            "git log --format= --name-only v1.7..main | sort | uniq -c | sort -rn | head -12",
            "      9 waybill/webhooks.py\n      8 waybill/poller.py\n      7 waybill/carriers/northline.py\n      6 waybill/api/shipments.py\n      5 web/src/components/Timeline.tsx\n      4 waybill/models.py\n      4 tests/test_webhooks.py\n      3 waybill/notify.py\n      3 tests/test_poller.py\n      2 web/src/pages/Shipments.tsx\n      2 docs/import.md\n      1 pyproject.toml",
        ),
        bash(
            "head -20 CHANGELOG.md",
            "# Changelog\n\n## 1.7\n\n- Recipients choose the language of their mails.\n- A shipment can be archived.\n- Reports count deliveries in the zone of the depot.\n\n## 1.6\n\n- Parcelio.",
        ),
        edit(
            "CHANGELOG.md",
            "# Changelog",
            """
            # Changelog

            ## 1.8

            - Shipments can be imported from a CSV file.
            - Times on the tracking page are those of the depot. They were in UTC.
            - A recipient gets a mail once, even if the carrier repeats an event.
            - Parcels in customs are shown as on their way.
            - The poller no longer blocks migrations.
            """,
        ),
        answer(
            "CHANGELOG.md has five lines for 1.8. I left out the carrier interface: nobody notices it."
        ),
    ],
    name="notes",
    team=_TEAM,
    colour="blue",
)
_UPGRADE = agent(
    "general-purpose",
    "Try the upgrade from 1.7",
    "You try the upgrade. Start 1.7 with docker compose, load the sample data, upgrade to main and "
    "check that shipments, events and mails are as before. Report commands and times.",
    [
        bash(
            "docker compose -f deploy/compose.yml -p try17 up -d --wait && docker compose -p try17 exec -T app waybill load-sample",
            """
             Container try17-db-1   Healthy
             Container try17-app-1  Healthy
            12000 shipments, 61204 events loaded
            """,
            took=48.0,
        ),
        bash(
            "WAYBILL_TAG=main docker compose -f deploy/compose.yml -p try17 up -d --wait",
            """
             Container try17-app-1  Recreated
             Container try17-app-1  Error
            dependency failed to start: container try17-app-1 is unhealthy
            """,
            exit=1,
            took=64.0,
        ),
        bash(
            "docker compose -p try17 logs app --tail 5",
            """
            app-1  | INFO  [alembic.runtime.migration] Running upgrade 0028 -> 0029
            app-1  | INFO  [alembic.runtime.migration] Running upgrade 0029 -> 0030
            app-1  | INFO  [alembic.runtime.migration] Running upgrade 0030 -> 0031
            app-1  | psycopg.errors.CheckViolation: check constraint "shipments_status" of relation "shipments" is violated by some row
            """,
        ),
        bash(
            "docker compose -p try17 exec -T db psql -U waybill -c '\\d shipments'",
            SHIPMENTS,
            took=0.9,
        ),
        read(
            "waybill/sample.py",
            """
            STATES = ["created", "in_transit", "delivered", "lost"]
            """,
            line=9,
            total=88,
        ),
        say(
            "The sample data of 1.7 has a status `lost` that the application never writes. Real data cannot have it, but the upgrade must not stop there."
        ),
        edit(
            "migrations/versions/0031_validate_status.py",
            '    op.execute("ALTER TABLE shipments VALIDATE CONSTRAINT shipments_status")',
            """
                op.execute("UPDATE shipments SET status = 'delivery_failed' WHERE status = 'lost'")
                op.execute("ALTER TABLE shipments VALIDATE CONSTRAINT shipments_status")
            """,
            line=11,
        ),
        bash(
            "docker build -qt waybill:main . && WAYBILL_TAG=main docker compose -f deploy/compose.yml -p try17 up -d --wait && docker compose -p try17 exec -T app waybill check",
            """
             Container try17-app-1  Healthy
            shipments 12000 ok, events 61204 ok, mails 0 sent
            """,
            took=92.0,
        ),
        bash(
            "docker build --progress=plain -t waybill:main . 2>&1 | tail -40",
            build_log("waybill:main"),
            took=61.0,
        ),
        bash("docker compose -p try17 down -v", " Volume try17_db  Removed", took=4.0),
        answer(
            "The upgrade works, in 38 s with 12,000 shipments. I had to fix migration 0031: the sample data of 1.7 has a status `lost`."
        ),
    ],
    name="upgrade",
    team=_TEAM,
    colour="green",
)

STORY = Story(
    name="team-release",
    title="Prepare release 1.8 with a team",
    day=2,
    at="13:20",
    model=FABLE,
    branch="release-1.8",
    steps=[
        prompt(
            "Prepare release 1.8. Use a team: one checks security, one writes the notes, one tries "
            "the upgrade from 1.7. Tell me when it is ready to tag.",
            after=5,
        ),
        bash(
            "git fetch -q --tags && git describe && git status --short | head",
            "v1.7-61-g9be1440",
            took=1.4,
        ),
        todo("> Security", "> Release notes", "> Upgrade from 1.7", "- Version"),
        bash(
            "git log --oneline v1.7..main | wc -l && git diff --shortstat v1.7..main",
            "61\n 84 files changed, 2911 insertions(+), 1404 deletions(-)",
        ),
        whole(".github/workflows/ci.yml", ("node-version: latest", "node-version: 22")),
        think(
            "Three tasks that do not touch each other's files: security may change requirements.txt, notes "
            "change CHANGELOG.md, the upgrade runs in containers of its own. The version is mine, last. Each "
            "reports when done; I read the results instead of trusting the summaries."
        ),
        say("Three members, three tasks that do not touch each other's files."),
        together(_SECURITY, _NOTES, _UPGRADE),
        TeamMessage(
            "notes",
            "blue",
            "release notes are written",
            "CHANGELOG.md has five lines for 1.8. I left out the carrier interface: nobody notices it.",
        ),
        think("Notes are done. Wait for security and upgrade before the version."),
        say("The notes read well. I'll set the version meanwhile."),
        edit("pyproject.toml", 'version = "1.7.0"', 'version = "1.8.0"', line=3),
        TeamMessage(
            "security",
            "red",
            "one dependency updated",
            "Both new routes require a signed-in user. jinja2 had a known vulnerability; it is on 3.1.6 now and all tests pass.",
        ),
        TeamMessage(
            "upgrade",
            "green",
            "upgrade works after a fix",
            "The upgrade works, in 38 s with 12,000 shipments. I had to fix migration 0031: the sample data of 1.7 has a status `lost`.",
        ),
        think(
            "The fix in 0031 changes data: 'lost' becomes 'delivery_failed'. Tell the user. Run everything once more on the result."
        ),
        bash(
            "pytest -q && ruff check . && npm --prefix web run build --silent && docker build -qt waybill:1.8.0 .",
            """
            190 passed in 18.02s
            All checks passed!
            dist/assets/index-B3fQ1z.js  211.40 kB │ gzip: 67.12 kB
            sha256:5d1f6e02c7b0
            """,
            took=71.0,
        ),
        bash(
            "git diff --stat && cat migrations/versions/0031_validate_status.py",
            ' CHANGELOG.md                                |  8 ++++++++\n migrations/versions/0031_validate_status.py |  1 +\n pyproject.toml                              |  2 +-\n requirements.txt                            |  2 +-\n 4 files changed, 11 insertions(+), 2 deletions(-)\n"""Validate the status of all shipments; reads them without a lock that blocks writers."""\n\nfrom alembic import op\n\nrevision, down_revision = "0031", "0030"\n\n\ndef upgrade() -> None:\n    op.execute("UPDATE shipments SET status = \'delivery_failed\' WHERE status = \'lost\'")\n    op.execute("ALTER TABLE shipments VALIDATE CONSTRAINT shipments_status")',
        ),
        bash(
            "psql waybill_replica -Atc \"select count(*) from shipments where status not in ('created', 'in_transit', 'out_for_delivery', 'delivered', 'delivery_failed', 'returned')\"",
            "0",
            about="Does anybody have such a status?",
            took=3.0,
            asks=4,
        ),
        bash(
            'git commit -qam "Release 1.8.0" && git log --oneline -1',
            "d81a2c9 Release 1.8.0",
            asks=12,
        ),
        write(
            "docs/upgrade-1.8.md",
            """
            # Upgrade to 1.8

            Back up the database, then start the new image: migrations run by themselves.
            With 4 million shipments they take about ten seconds, and nobody has to wait.
            Shipments with the status `lost`, which only sample data has, become `delivery_failed`.
        """,
        ),
        todo("x Security", "x Release notes", "x Upgrade from 1.7", "x Version"),
        answer(
            "1.8 is ready to tag as `d81a2c9`.\n\n"
            "- Security: jinja2 updated to 3.1.6, nothing else found\n"
            "- Notes: five lines in `CHANGELOG.md`\n"
            "- Upgrade from 1.7: works, 38 s with the sample data. Migration 0031 needed a fix: a "
            "status `lost`, which only sample data has, becomes `delivery_failed`"
        ),
    ],
)
