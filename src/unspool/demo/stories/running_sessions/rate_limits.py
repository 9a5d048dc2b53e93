"""Waits for approval when the demo begins: a branch is to go to staging."""

from unspool.demo.script.steps import SONNET, Now, Story, answer, prompt, say, think
from unspool.demo.script.tools import bash, edit, grep, read, write
from unspool.demo.stories.waybill_outputs import suite

_LATER = 330  # seconds until somebody comes back to a session that is done

STORY = Story(
    name="rate-limits",
    title="Rate limits for the public API",
    model=SONNET,
    branch="rate-limits",
    steps=[
        prompt(
            "Limit the public tracking route to 30 requests a minute for each address. No Redis: a single process serves it.",
            after=5,
        ),
        read(
            "waybill/api/tracking.py",
            """
            @router.get("/t/{number}")
            def track(number: str, db: Session = Depends(session)) -> TrackingPage:
                shipment = find_shipment(db, number)
                if shipment is None:
                    raise HTTPException(404)
                return TrackingPage.of(shipment)
        """,
            line=12,
            total=40,
        ),
        think(
            "A token bucket for each address, in memory, with the oldest dropped at some number of addresses. Behind a proxy the address is in X-Forwarded-For; only trust it if the setting says so."
        ),
        write(
            "waybill/rate_limit.py",
            '''
            """Requests of one address -> whether another one may pass: a bucket that refills."""

            from collections import OrderedDict
            from collections.abc import Callable

            MOST_ADDRESSES = 10_000


            class RateLimit:
                """So many requests a minute for each key; short bursts may use all of them."""

                def __init__(self, a_minute: int, clock: Callable[[], float]) -> None:
                    self._rate, self._most, self._clock = a_minute / 60, a_minute, clock
                    self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

                def allows(self, key: str) -> bool:
                    now = self._clock()
                    left, at = self._buckets.pop(key, (float(self._most), now))
                    left = min(self._most, left + (now - at) * self._rate)
                    self._buckets[key] = (max(left - 1, 0), now)
                    if len(self._buckets) > MOST_ADDRESSES:
                        self._buckets.popitem(last=False)
                    return left >= 1
        ''',
        ),
        write(
            "tests/test_rate_limit.py",
            """
            def test_after_the_last_request_one_has_to_wait(clock):
                limit = RateLimit(30, clock)

                assert [limit.allows("a") for _ in range(31)] == [True] * 30 + [False]


            def test_a_bucket_refills(clock):
                limit = RateLimit(30, clock)
                for _ in range(31):
                    limit.allows("a")
                clock.move(2)

                assert limit.allows("a")
        """,
        ),
        bash(
            "pytest -q tests/test_rate_limit.py",
            "..                                                                       [100%]\n2 passed in 0.06s",
            took=1.4,
        ),
        edit(
            "waybill/api/tracking.py",
            "def track(number: str, db: Session = Depends(session)) -> TrackingPage:",
            "def track(\n    number: str, db: Session = Depends(session), _: None = Depends(limited)\n) -> TrackingPage:",
            line=13,
        ),
        say("Tests pass. I'd like to see it on staging before I call it done."),
        bash(
            "git push origin rate-limits && ssh staging 'cd /srv/waybill && git fetch -q && git checkout -q rate-limits && systemctl --user restart waybill'",
            "To git.example.org:waybill/waybill\n * [new branch]      rate-limits -> rate-limits",
            about="Deploy the branch to staging",
            took=6.0,
            asks=430,
        ),
        Now(before=340),
        bash(
            "for i in $(seq 35); do curl -so /dev/null -w '%{http_code}\\n' https://staging.waybill.example/t/NL-4471-20; done | sort | uniq -c",
            "     30 200\n      5 429",
            took=9.0,
        ),
        answer(
            "It works on staging: 30 requests pass, the next 5 get 429. Set `WAYBILL_TRUSTED_PROXY` before this goes live, or all visitors share one bucket."
        ),
        prompt(
            "Good point. Refuse to serve behind a proxy without it.",
            after=_LATER,
        ),
        grep(
            "X-Forwarded",
            'waybill/app.py:31:    forwarded = request.headers.get("X-Forwarded-For")',
            path="waybill",
        ),
        edit(
            "waybill/app.py",
            '    forwarded = request.headers.get("X-Forwarded-For")',
            '    forwarded = request.headers.get("X-Forwarded-For")\n    if forwarded and not settings.trusted_proxy:\n        raise Misconfigured("Set WAYBILL_TRUSTED_PROXY: requests come through a proxy.")',
            line=31,
        ),
        bash(
            "pytest -v",
            suite(205, "19.40"),
            took=21.0,
        ),
        bash(
            'git commit -qam "Refuse requests of a proxy that is not trusted" && git push -q origin rate-limits',
            "",
            took=2.0,
            asks=150,
        ),
        answer(
            "The server answers 500 with a plain sentence in the log instead of limiting everybody together. 205 tests pass; the branch is pushed."
        ),
        prompt("And what do people see when they hit the limit?", after=_LATER),
        read(
            "web/src/pages/Tracking.tsx",
            'if (error) return <p role="alert">Something went wrong.</p>;',
            line=28,
            total=110,
        ),
        edit(
            "web/src/pages/Tracking.tsx",
            'if (error) return <p role="alert">Something went wrong.</p>;',
            'if (error?.status === 429)\n  return <p role="status">You have asked very often. We will try again in a minute.</p>;\nif (error) return <p role="alert">Something went wrong.</p>;',
            line=28,
        ),
        bash(
            "npm --prefix web test -- --run Tracking",
            " ✓ src/pages/Tracking.test.tsx (7 tests) 62ms\n      Tests  7 passed (7)",
            took=5.0,
        ),
        answer(
            'They used to see "Something went wrong". Now it is one calm sentence, and the page tries again by itself after a minute.'
        ),
    ],
)
