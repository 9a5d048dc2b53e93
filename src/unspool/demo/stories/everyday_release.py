"""Short sessions of every day: in the worktree of the release, and in the repository of servers."""

from unspool.demo.script.steps import (
    OPS,
    OPUS,
    RELEASE,
    SONNET,
    Story,
    answer,
    prompt,
    say,
    think,
    together,
)
from unspool.demo.script.tools import bash, edit, read, web_fetch, write
from unspool.demo.stories.waybill_files import whole
from unspool.demo.stories.waybill_logs import build_log, poller_log, web_suite
from unspool.demo.stories.waybill_outputs import suite

_CI = Story(
    name="pin-node",
    title="Pin Node 22 in CI",
    day=9,
    at="10:05",
    model=SONNET,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            "CI broke overnight: the web build fails with an unknown option. Nothing changed on our side.",
            after=5,
        ),
        bash(
            "gh run view --log-failed | tail -4",
            "web\tbuild\tnode: bad option: --experimental-strip-types\nweb\tbuild\tProcess completed with exit code 9\nweb\tsetup\tUsing node: 25.0.0",
            took=2.2,
            asks=6,
        ),
        say("The image moved to Node 25: our workflow asks for `node-version: latest`."),
        whole(".github/workflows/ci.yml"),
        bash(
            "grep -rn 'node' Dockerfile web/package.json | head",
            'Dockerfile:1:FROM node:22-slim AS web\nweb/package.json:6:  "engines": {"node": ">=22"},',
        ),
        edit(".github/workflows/ci.yml", "node-version: latest", "node-version: 22", line=18),
        bash(
            "git commit -qam 'CI: pin Node 22' && git push -q && gh run watch --exit-status | tail -1",
            "✓ ci completed with 'success'",
            took=96.0,
            asks=9,
        ),
        answer(
            "CI is green. It used `latest`, which became Node 25 last night; it is pinned to 22, as in the Dockerfile."
        ),
    ],
)

_IMAGE = Story(
    name="smaller-image",
    title="Make the Docker image smaller",
    day=7,
    at="16:30",
    model=OPUS,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt("The image is 1.4 GB. What is in it?", after=5),
        bash(
            "docker history waybill:1.7 --format '{{.Size}}\\t{{.CreatedBy}}' | head -5",
            "612MB\tRUN npm ci && npm run build\n318MB\tRUN pip install -r requirements.txt\n204MB\tRUN apt-get install -y build-essential libpq-dev",
            took=1.0,
        ),
        read(
            "Dockerfile",
            """
            FROM python:3.13
            WORKDIR /srv/waybill
            RUN apt-get update && apt-get install -y build-essential libpq-dev nodejs npm
            COPY requirements.txt requirements-dev.txt ./
            RUN pip install -r requirements.txt
            COPY . .
            RUN cd web && npm ci && npm run build
            CMD ["uvicorn", "waybill.app:app", "--host", "0.0.0.0"]
            """,
        ),
        bash(
            "docker run --rm waybill:1.7 du -xh -d2 / | sort -rh | head -12",
            "1.4G\t/\n612M\t/srv/waybill\n598M\t/srv/waybill/web\n431M\t/usr/lib\n322M\t/usr/local\n204M\t/usr/share\n96M\t/usr/include\n61M\t/usr/bin\n24M\t/var/lib\n11M\t/srv/waybill/.git\n4.0M\t/etc\n2.1M\t/srv/waybill/tests",
            took=4.0,
            asks=5,
        ),
        think(
            "598 MB are node_modules, which nothing needs after the build. 204 MB of compilers because psycopg "
            "was built from source once; we use psycopg[binary] now. Also .git and tests are copied: no "
            ".dockerignore. Two stages, and copy only what runs."
        ),
        say("Node modules and compilers stay in the image. A build in stages leaves them behind."),
        write(
            "Dockerfile",
            """
            FROM node:22-slim AS web
            WORKDIR /web
            COPY web/package*.json ./
            RUN npm ci
            COPY web ./
            RUN npm run build

            FROM python:3.13-slim
            WORKDIR /srv/waybill
            COPY requirements.txt ./
            RUN pip install --no-cache-dir -r requirements.txt
            COPY --from=web /web/dist web/dist
            COPY waybill waybill
            COPY migrations migrations
            CMD ["uvicorn", "waybill.app:app", "--host", "0.0.0.0"]
        """,
        ),
        write(
            ".dockerignore",
            ".git\n.venv\ntests\ndocs\nlogs\nweb/node_modules\nweb/dist\n**/__pycache__",
        ),
        bash(
            "docker build --progress=plain -t waybill:small . 2>&1 | tail -40",
            build_log("waybill:small"),
            took=62.0,
            asks=7,
        ),
        bash(
            "docker build -qt waybill:small . && docker images waybill --format '{{.Tag}} {{.Size}}'",
            "small 243MB\n1.7 1.41GB",
            took=84.0,
            asks=8,
        ),
        bash(
            "docker run --rm waybill:small python -m waybill.app openapi | head -c 60",
            '{"openapi":"3.1.0","info":{"title":"Waybill","version":"1.7',
            took=2.4,
        ),
        answer(
            "243 MB instead of 1.41 GB, and it starts. `psycopg[binary]` needs no compiler, so build-essential is gone as well."
        ),
    ],
)

_WORDING = Story(
    name="mail-wording",
    title="Friendlier mail for a failed delivery",
    day=5,
    at="16:10",
    model=SONNET,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            "The mail for a failed delivery sounds like a threat. Make it friendlier, and say what happens next.",
            after=5,
        ),
        read(
            "waybill/templates/delivery_failed.txt",
            "Delivery failed. Collect your parcel within 7 days or it will be returned.",
        ),
        whole("waybill/notify.py"),
        edit(
            "waybill/templates/delivery_failed.txt",
            "Delivery failed. Collect your parcel within 7 days or it will be returned.",
            "We missed you today.\n\nYour parcel waits for you at {{ depot }} until {{ until }}. No need to do anything if that\nsuits you; with the link below you can have it brought on another day instead.",
        ),
        bash(
            "pytest -q tests/test_notify.py",
            "........                                                                 [100%]\n8 passed in 0.71s",
            took=2.0,
        ),
        answer("It now says where the parcel is, until when, and that nothing needs to be done."),
    ],
)

_DEPS = Story(
    name="weekly-updates",
    title="Weekly dependency updates",
    day=4,
    at="09:15",
    model=OPUS,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            "Do this week's dependency updates, one commit for Python and one for the web.", after=5
        ),
        together(
            bash(
                "pip list --outdated | tail -n +3",
                "fastapi     0.121.0 0.121.2 wheel\nsqlalchemy  2.0.43  2.0.44  wheel\npytest      8.4.1   9.0.0   wheel",
                took=3.1,
            ),
            bash(
                "npm --prefix web outdated",
                "Package  Current  Wanted  Latest\nvite       7.1.9  7.1.12  7.1.12\nreact     19.2.0  19.2.0  19.2.0",
                exit=1,
                took=2.8,
            ),
        ),
        web_fetch(
            "https://docs.sqlalchemy.example/changelog/2.0.44",
            "What could break for users of ORM sessions, insert with returning, and psycopg?",
            "2.0.44 is a maintenance release. ORM: fixes a refresh of column properties with load_only. "
            "PostgreSQL: on_conflict_do_nothing with RETURNING keeps the order of rows. No deprecations; "
            "nothing is removed.",
        ),
        bash(
            "cat requirements.txt",
            "alembic==1.17.0\nasgiref==3.10.0\nfastapi==0.121.0\nsqlalchemy==2.0.43\nhttpx==0.28.1\npsycopg[binary]==3.2.12\npydantic==2.12.3\npydantic-settings==2.11.0\nprometheus-client==0.23.1\npython-multipart==0.0.20\nPyYAML==6.0.3\nreportlab==4.4.4\nuvicorn==0.38.0\njinja2==3.1.4",
        ),
        edit(
            "requirements.txt",
            "fastapi==0.121.0\nsqlalchemy==2.0.43",
            "fastapi==0.121.2\nsqlalchemy==2.0.44",
            line=3,
        ),
        bash(
            "pip install -qr requirements.txt && pytest -v && git commit -qam 'Update Python dependencies'",
            suite(186, "17.60"),
            took=41.0,
        ),
        bash(
            "npm --prefix web update vite && npm --prefix web test -- --run && git commit -qam 'Update vite'",
            web_suite(84, "6.61"),
            took=28.0,
            asks=4,
        ),
        bash(
            "git log --oneline -2 && git push -q && gh run watch --exit-status | tail -3",
            "f20b7d4 Update vite\n6c11e90 Update Python dependencies\n✓ web in 1m12s\n✓ python in 2m31s\n✓ ci completed with 'success'",
            took=154.0,
            asks=8,
        ),
        answer(
            "Two commits. pytest 9 is a major version, so I left it for a day when somebody has time to read its notes."
        ),
    ],
)

_SEED = Story(
    name="sample-data",
    title="Sample data with returns",
    day=1,
    at="10:40",
    model=SONNET,
    cwd=RELEASE,
    branch="release",
    steps=[
        prompt(
            "load-sample has no returned shipments, so nobody sees that page in a demo. Add some.",
            after=5,
        ),
        read(
            "waybill/sample.py",
            'STATES = ["created", "in_transit", "delivered", "lost"]',
            line=9,
            total=88,
        ),
        whole("waybill/shipments.py"),
        edit(
            "waybill/sample.py",
            'STATES = ["created", "in_transit", "delivered", "lost"]',
            'STATES = ["created", "in_transit", "delivered", "delivery_failed", "returned"]',
            line=9,
        ),
        bash(
            "waybill load-sample --dry-run | sort | uniq -c",
            "    610 created\n   2914 in_transit\n   7702 delivered\n    388 delivery_failed\n    386 returned",
            took=2.0,
        ),
        bash(
            "pytest -q tests/test_sample.py && git commit -qam 'Sample data has returns'",
            ".....                                                                    [100%]\n5 passed in 1.20s",
            took=3.0,
        ),
        answer(
            "About 3 % are returned now. I also dropped `lost`: the application never writes it."
        ),
    ],
)

_BACKUP = Story(
    name="restore-drill",
    title="Restore last night's backup",
    day=1,
    at="17:55",
    model=SONNET,
    cwd=OPS,
    branch="main",
    steps=[
        prompt(
            "Monthly drill: restore last night's backup into a scratch database and tell me whether it is complete.",
            after=5,
        ),
        bash(
            "ls -lh /backup/waybill | tail -2",
            "-rw------- 1 dev dev 9.8G waybill-nightly-1.dump\n-rw------- 1 dev dev 9.8G waybill-nightly-0.dump",
            asks=5,
        ),
        bash(
            "createdb drill && time pg_restore -j4 -d drill /backup/waybill/waybill-nightly-0.dump",
            "\nreal    11m48.2s",
            took=708.0,
            asks=9,
        ),
        bash(
            'for t in shipments tracking_events notifications; do echo $t $(psql drill -Atc "select count(*) from $t") $(psql waybill_replica -Atc "select count(*) from $t"); done',
            "shipments 4118850 4121307\ntracking_events 96402118 96455240\nnotifications 8804417 8809003",
            took=62.0,
        ),
        bash(
            'psql drill -Atc "select version_num from alembic_version" && psql drill -c "select relname, n_live_tup from pg_stat_user_tables order by 2 desc"',
            "0032\n     relname     | n_live_tup\n-----------------+------------\n tracking_events |   96402118\n notifications   |    8804417\n shipments       |    4118850\n invoices        |      21077\n users           |       1204\n alembic_version |          1\n(6 rows)",
            took=1.4,
        ),
        say(
            "A little fewer than the replica has now: the difference should be what came in since 02:00."
        ),
        bash(
            "psql waybill_replica -Atc \"select count(*) from shipments where created_at > current_date + time '02:00'\" && dropdb drill",
            "2457",
            took=2.1,
            asks=4,
        ),
        answer(
            "The backup is complete: 4,118,850 shipments, and the 2,457 that are missing came in after 02:00. Restoring took 11 min 48 s. The scratch database is dropped."
        ),
    ],
)

_MORNING = Story(
    name="error-report",
    title="Overnight errors",
    ago=318,
    model=SONNET,
    cwd=OPS,
    branch="main",
    steps=[
        prompt("Anything in last night's logs that I should know about?", after=5),
        bash(
            "journalctl --user -u waybill -u waybill-poller --since yesterday -p warning --no-pager | cut -c1-110 | sort | uniq -c | sort -rn | head -4",
            "     41 waybill-poller: parcelio answered 503, next try in 8 s\n      3 waybill: slow request GET /labels.pdf 4.2 s\n      1 waybill-poller: recompute_legs took 9 s",
            took=1.3,
            asks=4,
        ),
        bash(
            "journalctl --user -u waybill-poller --since '03:05' --until '03:30' --no-pager | cut -c8-",
            poller_log(41),
            took=1.0,
        ),
        read(
            "runbooks/carriers.md",
            """
            # A carrier does not answer

            The poller tries again by itself: after 2, 4, 8, 16, 32 and then every 60 seconds.
            Nothing is lost as long as it does not give up; "giving up" in the log is a page.

            | carrier   | status page                  | who to call      |
            |-----------|------------------------------|------------------|
            | Northline | status.northline.example     | the account desk |
            | Parcelio  | status.parcelio.example      | nobody at night  |

            After an outage of more than an hour run `waybill poll --once` for that carrier.
            """,
        ),
        bash(
            "journalctl --user -u waybill --since yesterday --no-pager | grep 'slow request'",
            "08:41:20 waybill: slow request GET /labels.pdf 4.2 s\n11:02:57 waybill: slow request GET /labels.pdf 4.1 s\n16:18:33 waybill: slow request GET /labels.pdf 4.4 s",
            took=0.8,
        ),
        bash(
            "journalctl --user -u waybill-poller --since yesterday --no-pager | grep -c 'giving up'",
            "0",
            exit=1,
            took=0.8,
        ),
        answer(
            "Nothing serious. Parcelio was down from 03:10 to 03:22 (41 retries, none given up). The nightly job ran for the first time, in 9 s."
        ),
    ],
)

STORIES = [_CI, _IMAGE, _WORDING, _DEPS, _SEED, _BACKUP, _MORNING]
