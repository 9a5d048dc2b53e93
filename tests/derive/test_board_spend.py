"""What a session used, counted as its lines come, with little of it kept."""

from collections.abc import Iterable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import entries_of
from tests.recall.roots import PRICES
from unspool.demo import Transcript
from unspool.derive.board_spend import Spending
from unspool.derive.money.ledger import Ledger
from unspool.derive.money.metrics import metrics
from unspool.derive.money.pricer import Pricer
from unspool.derive.reading.messages import read
from unspool.model.message import Message

START = "2026-01-01T00:00:00.000Z"


def messages(made: Transcript) -> Iterator[Message]:
    for number, entries in enumerate(entries_of(made), 1):
        for entry in entries:
            if (message := read(entry, number)) is not None:
                yield message


def spending(told: Iterable[Message]) -> Spending:
    made = Spending(Pricer(PRICES))
    for message in told:
        made.feed(message)
    return made


def long(answers: int) -> Transcript:
    made = Transcript(start=START)
    for number in range(answers):
        made.user("go").answers(["a", "b"], outputs=[1, number + 2])
    return made


@given(st.sampled_from([0, 1, 512, 513, 700, 1_100]))
def test_what_is_settled_still_counts(answers: int) -> None:
    told = list(messages(long(answers)))
    ledger = Ledger()
    for message in told:
        ledger.feed(message)

    assert spending(told).total == metrics(ledger.responses(), PRICES)


def test_a_line_written_again_counts_once_even_when_it_was_settled() -> None:
    told = list(messages(long(600)))

    assert spending([*told, *told[:20]]).total == spending(told).total


def test_since_a_moment_counts_settled_quarters_too() -> None:
    made = long(600).wait(86_400)
    for _ in range(600):
        made.user("go").says("x")
    told = list(messages(made))
    tomorrow = (told[0].at or 0) + 86_400_000
    later = [message for message in told if (message.at or 0) >= tomorrow]

    assert spending(told).since(tomorrow) == spending(later).total


def test_a_copy_that_a_fork_made_was_not_spent_today() -> None:
    copy = {"forkedFrom": {"sessionId": "s0", "messageUuid": "u0"}}
    told = list(messages(Transcript(start=START).user("go").says("x", **copy)))

    assert spending(told).since(0).total_tokens == 0
    assert spending(told).total.total_tokens > 0


def test_lines_without_any_id_are_told_apart_by_their_file() -> None:
    bare = {"uuid": None, "id": "", "request": ""}
    (message,) = [one for one in messages(Transcript().says("x", **bare)) if one.tokens]
    made = Spending(Pricer(PRICES))
    made.feed(message, "a1")
    once = made.total.output_tokens
    made.feed(message, "a2")

    assert made.total.output_tokens == 2 * once > 0
