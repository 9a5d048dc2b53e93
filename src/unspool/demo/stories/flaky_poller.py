"""A test that fails now and then: the same command again and again, until the cause is found."""

from unspool.demo.script.steps import FABLE, Story, answer, notice, prompt, say, think
from unspool.demo.script.tools import background, bash, edit, grep
from unspool.demo.stories.waybill_files import search, whole
from unspool.demo.stories.waybill_outputs import suite

_RUN = "pytest -q tests/test_poller.py -k backs_off"
_FAILED = """
    F                                                                        [100%]
    =================================== FAILURES ===================================
    ____________ test_the_poller_backs_off_after_an_error __________________________

    >       assert delays == [1.0, 2.0, 4.0]
    E       assert {0} == [1.0, 2.0, 4.0]

    tests/test_poller.py:58: AssertionError
    1 failed, 11 deselected in {1}s
"""


def _failed(delays: str, seconds: str) -> str:
    return _FAILED.replace("{0}", delays).replace("{1}", seconds)


STORY = Story(
    name="flaky-test",
    title="Poller back-off test fails now and then",
    day=3,
    at="10:35",
    model=FABLE,
    branch="fix/flaky-backoff",
    steps=[
        prompt(
            "test_the_poller_backs_off_after_an_error fails in about every fourth CI run. Make it "
            "reliable. Do not just add a retry.",
            after=5,
        ),
        bash(
            "gh run list --workflow ci --limit 12 --json conclusion,headSha,createdAt --jq '.[] | [.createdAt, .headSha[:7], .conclusion] | @tsv'",
            "\n".join(
                f"$DAY-{1 + n // 3}T{16 - n % 3 * 3:02}:1{n % 10}:00Z\t{n * 7919 + 0xA93F2D:07x}\t{'failure' if n % 4 == 1 else 'success'}"
                for n in range(12)
            ),
            took=1.8,
            asks=5,
        ),
        say(
            "Three of twelve, on commits that have nothing in common. First I want to see it fail here."
        ),
        bash(
            _RUN,
            ".                                                                        [100%]\n1 passed, 11 deselected in 7.31s",
            took=9.0,
        ),
        bash(_RUN, _failed("[1.0, 2.1, 4.0]", "7.44"), exit=1, took=9.1),
        say("It fails here too, on the second run. Maybe the tolerance is too small."),
        edit(
            "tests/test_poller.py",
            "        delays.append(round(time.monotonic() - last, 1))",
            "        delays.append(round(time.monotonic() - last))",
            line=51,
        ),
        bash(_RUN, _failed("[1, 2, 5]", "8.02"), exit=1, took=9.7),
        bash(_RUN, _failed("[1, 3, 4]", "8.31"), exit=1, took=9.9),
        bash(_RUN, _failed("[2, 2, 4]", "8.17"), exit=1, took=9.8),
        bash(_RUN, _failed("[1, 2, 5]", "8.09"), exit=1, took=9.7),
        think(
            "Four failures in a row, and hardly ever the same numbers. Rounding is not the problem, I made "
            "it worse. The test measures real time on a busy machine. And wait, why do the delays "
            "differ by up to a second? Sleep alone is not that imprecise. There may be jitter."
        ),
        say("Rounding isn't the problem; I was guessing. Let me read how the delay is computed."),
        search("backoff|sleep|jitter"),
        whole("tests/test_poller.py"),
        whole("waybill/poller.py"),
        think(
            "There is jitter on purpose: up to 0.25 s for each attempt. So the assertion can never "
            "be exact, and real sleeping makes the test take 7 s. Right fix: the poller takes sleep "
            "and its random source as arguments; the test passes a fake clock."
        ),
        answer(
            "The test is wrong by design. `backoff` adds up to a quarter of a second of jitter for "
            "each attempt, on purpose, and the test compares real time with exact numbers. It passes "
            "only when the jitter happens to be small and the machine is idle.\n\n"
            "I'd hand `sleep` and the jitter to the poller as arguments. Then the test is exact, and "
            "takes milliseconds instead of seven seconds. I'll revert my rounding first."
        ),
        prompt("Yes please.", after=70),
        bash("git checkout -q tests/test_poller.py"),
        search(r"poll_once\(|backoff\("),
        edit(
            "waybill/poller.py",
            """
            def backoff(attempt: int) -> float:
                return min(60.0, 2.0**attempt) + uniform(0, 0.25) * attempt
            """,
            """
            def backoff(attempt: int, jitter: Callable[[], float] = random) -> float:
                \"\"\"Seconds before the next attempt: twice as long each time, spread a little.\"\"\"
                return min(60.0, 2.0**attempt) + 0.25 * jitter() * attempt
            """,
            line=84,
        ),
        edit(
            "tests/test_poller.py",
            """
                delays, last = [], time.monotonic()

                def fetched(number):
                    nonlocal last
                    delays.append(round(time.monotonic() - last, 1))
                    last = time.monotonic()

                carrier.on_fetch = fetched
                poll_once(carrier)

                assert delays == [1.0, 2.0, 4.0]
            """,
            """
                delays: list[float] = []

                poll_once(carrier, sleep=delays.append, jitter=lambda: 0.0)

                assert delays == [1.0, 2.0, 4.0]


            def test_the_back_off_is_spread_so_that_pollers_do_not_meet():
                assert backoff(2, jitter=lambda: 1.0) == 4.5
            """,
            line=46,
        ),
        bash(
            _RUN,
            "..                                                                       [100%]\n2 passed, 11 deselected in 0.04s",
            took=1.3,
        ),
        edit(
            "waybill/poller.py",
            "def poll_once(carrier: Carrier) -> int:",
            "def poll_once(\n    carrier: Carrier,\n    sleep: Callable[[float], None] = time.sleep,\n    jitter: Callable[[], float] = random,\n) -> int:",
            line=72,
        ),
        bash(
            "pytest -v && ruff check . && mypy waybill",
            suite(187, "11.20")
            + "\nAll checks passed!\nSuccess: no issues found in 41 source files",
            took=21.0,
        ),
        say("Now two hundred runs in the background, while I look for other tests that sleep."),
        background(
            "for i in $(seq 200); do pytest -q tests/test_poller.py -p no:randomly || exit 1; done",
            "b7f3a1",
            about="Run the poller tests 200 times",
        ),
        grep(
            r"time\.sleep|asyncio\.sleep",
            "tests/test_notify.py:71:    time.sleep(0.5)  # the mail thread",
            path="tests",
        ),
        notice(
            "b7f3a1", 'Background command "Run the poller tests 200 times" completed (exit code 0)'
        ),
        answer(
            "200 runs, no failure. The file's twelve tests took 9 s before and take 0.3 s now. "
            "`tests/test_notify.py:71` sleeps as well and may be the next one; I left it alone."
        ),
    ],
)
