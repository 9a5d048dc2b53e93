"""Long outputs of other programs: the web tests, logs, a build, tables of the database."""

from itertools import islice

_WEB = {
    "src/components/Timeline.test.tsx": (
        "shows the newest event first",
        "shows the time of the depot",
        "names the place of an event",
        "leaves out a place that is unknown",
        "says what a kind means in plain words",
        "has a name for screen readers",
    ),
    "src/components/ShipmentForm.test.tsx": (
        "writes numbers in upper case",
        "does not send a form without a recipient",
        "shows what the server says is wrong",
        "can be used with a keyboard",
        "remembers the carrier of the last parcel",
    ),
    "src/components/Map.test.tsx": (
        "is there only while the parcel is on its tour",
        "shows the depot until the first scan",
        "has a text for those who cannot see it",
    ),
    "src/pages/Shipments.test.tsx": (
        "lists the newest first",
        "filters by status",
        "shows more on demand",
        "keeps what was chosen when the filter changes",
        "says when there is nothing yet",
        "opens a shipment on enter",
    ),
    "src/pages/Tracking.test.tsx": (
        "says that a number is unknown",
        "asks again every minute",
        "stops asking when the page is left",
        "shows when the parcel arrives",
        "shows no time for a parcel that was delivered",
        "offers the day of delivery for the calendar",
        "needs no login",
    ),
    "src/pages/Reports.test.tsx": (
        "counts deliveries by day",
        "shows the change to the day before",
        "leaves the first day empty",
        "exports the month that is shown",
    ),
    "src/api.test.ts": (
        "sends cookies to our own server only",
        "leaves out what is undefined",
        "throws what the server says",
        "gives nothing for 204",
    ),
}
_STATES = "created in_transit out_for_delivery delivered delivery_failed returned".split()


def web_suite(count: int, seconds: str) -> str:
    """The output of a run of the web tests, each by its name."""
    names = [f"{file} > {name}" for file, names in _WEB.items() for name in names]
    names += [
        f"src/components/ShipmentRow.test.tsx > a {status} parcel {what}"
        for status in _STATES
        for what in (
            "shows its status",
            "leads to its page",
            "can be chosen",
            "shows when it arrives",
            "fits on a phone",
            "has a name for screen readers",
            "keeps its place when others are loaded",
            "is printed with its label",
        )
    ]
    rows = [f" ✓ {name} {3 + len(name) * 7 % 40}ms" for name in islice(names, count)]
    parts = [" RUN  v2.1.4 $REPO/web", "", *rows, "", f"      Tests  {count} passed ({count})"]
    return "\n".join([*parts, f"   Duration  {seconds}s"])


def access_log(route: str, rows: int, slow: int) -> str:
    """Requests of one route with the seconds they took; every so many the mail server was slow."""
    lines = []
    for n in range(rows):
        minute, second = 2 + n * 7 // 60, n * 7 % 60
        took = 6.2 + n * 37 % 190 / 10 if n % slow == slow - 1 else 0.09 + n * 13 % 31 / 100
        lines.append(f"$DAY-1T09:{minute:02}:{second:02}Z POST {route} 202 {took:.3f}")
    return "\n".join(lines)


def poller_log(rows: int) -> str:
    """What the poller has noted of a bad hour."""
    lines = []
    for n in range(rows):
        at = f"03:{10 + n * 17 // 60:02}:{n * 17 % 60:02}"
        wait = (2, 4, 8, 16, 32, 60)[n % 6]
        lines.append(
            f"{at} waybill-poller[812]: waybill.poller: parcelio answered 503, next try in {wait} s"
        )
    return "\n".join(lines)


def build_log(image: str) -> str:
    """A build of the image, step by step."""
    steps = (
        ("web 1/5", "FROM node:22-slim", "0.0"),
        ("web 2/5", "COPY web/package*.json ./", "0.1"),
        ("web 3/5", "RUN npm ci", "21.4"),
        ("web 4/5", "COPY web ./", "0.3"),
        ("web 5/5", "RUN npm run build", "9.8"),
        ("stage-1 1/6", "FROM python:3.13-slim", "0.0"),
        ("stage-1 2/6", "COPY requirements.txt ./", "0.1"),
        ("stage-1 3/6", "RUN pip install --no-cache-dir -r requirements.txt", "24.9"),
        ("stage-1 4/6", "COPY --from=web /web/dist web/dist", "0.2"),
        ("stage-1 5/6", "COPY waybill waybill", "0.1"),
        ("stage-1 6/6", "COPY migrations migrations", "0.1"),
    )
    rows = ["#1 [internal] load build definition from Dockerfile", "#1 DONE 0.0s"]
    for n, (stage, command, seconds) in enumerate(steps, 5):
        rows += [f"#{n} [{stage}] {command}", f"#{n} DONE {seconds}s"]
        if "npm ci" in command:
            rows.insert(-1, f"#{n} 20.911 added 412 packages, and audited 413 packages in 20s")
        if "pip install" in command:
            rows.insert(-1, f"#{n} 24.102 Successfully installed 41 packages")
    return "\n".join(
        [*rows, "#16 exporting to image", f"#16 naming to {image} done", "#16 DONE 1.1s"]
    )


def table(name: str, rows: tuple[str, ...], *more: str) -> str:
    """A table as psql describes it; each row is "column type null default"."""
    widths = (16, 26, 10)
    head = "".join(
        f" {word:{w}}|" for word, w in zip(("Column", "Type", "Nullable"), widths, strict=True)
    )
    lines = [f'{"":20}Table "public.{name}"', head + " Default"]
    lines.append("+".join("-" * (w + 1) for w in widths) + "+" + "-" * 28)
    for row in rows:
        cells = [*row.split(" ~ "), "", "", ""][:4]
        lines.append(
            "".join(f" {cell:{w}}|" for cell, w in zip(cells, widths, strict=False))
            + f" {cells[3]}"
        )
    return "\n".join([*lines, *more])


SHIPMENTS = table(
    "shipments",
    (
        "id ~ bigint ~ not null ~ nextval('shipments_id_seq'::regclass)",
        "owner_id ~ bigint ~ not null",
        "tracking_number ~ text ~ not null",
        "carrier ~ text ~ not null",
        "status ~ text ~ not null ~ 'created'::text",
        "recipient ~ text ~ not null",
        "recipient_mail ~ text",
        "language ~ text",
        "notify ~ boolean ~ not null ~ true",
        "created_at ~ timestamp with time zone ~ not null ~ now()",
        "delivered_at ~ timestamp with time zone",
        "archived_at ~ timestamp with time zone",
    ),
    "Indexes:",
    '    "shipments_pkey" PRIMARY KEY, btree (id)',
    '    "shipments_delivered_at" btree (delivered_at)',
    '    "shipments_status" btree (carrier, status)',
    '    "shipments_tracking_number_key" UNIQUE CONSTRAINT, btree (tracking_number)',
    "Foreign-key constraints:",
    '    "shipments_owner_id_fkey" FOREIGN KEY (owner_id) REFERENCES users(id)',
    "Referenced by:",
    '    TABLE "notifications" CONSTRAINT "notifications_shipment_id_fkey" FOREIGN KEY (shipment_id) REFERENCES shipments(id)',
    '    TABLE "tracking_events" CONSTRAINT "tracking_events_shipment_id_fkey" FOREIGN KEY (shipment_id) REFERENCES shipments(id)',
)
EVENTS = table(
    "tracking_events",
    (
        "id ~ bigint ~ not null ~ nextval('tracking_events_id_seq'::regclass)",
        "shipment_id ~ bigint ~ not null",
        "kind ~ text ~ not null",
        "occurred_at ~ timestamp with time zone ~ not null",
        "location ~ text",
        "raw ~ jsonb",
        "created_at ~ timestamp with time zone ~ not null ~ now()",
    ),
    "Indexes:",
    '    "tracking_events_pkey" PRIMARY KEY, btree (id)',
    '    "tracking_events_shipment_id" btree (shipment_id)',
    "Foreign-key constraints:",
    '    "tracking_events_shipment_id_fkey" FOREIGN KEY (shipment_id) REFERENCES shipments(id)',
)


def northline_payload(number: int, kind: str, time: str, depot: str = "Depot South") -> str:
    """A webhook of Northline as it was recorded."""
    return f"""{{
  "event_id": "NL-{number}",
  "parcel": "NL-4471-20",
  "kind": "{kind}",
  "time": "{time}",
  "depot": {{
    "name": "{depot}",
    "code": "{depot[:1]}{len(depot):02}",
    "tz": "Europe/Berlin",
    "position": [52.47, 13.38]
  }},
  "vehicle": "tour-{number % 40:02}",
  "weight_grams": {900 + number % 700},
  "attempt": 1,
  "signature": "{number * 7919:016x}{number * 104729:016x}"
}}"""
