"""Sessions that were forgotten: no surface knows them, and their forks own what they repeat."""

from tests.e2e.cases import HOUR, MINUTE, PROJECT, Files, case
from tests.e2e.cases_usage import PAID, USAGE, copied, paid
from unspool.demo import Transcript

S1 = (PROJECT, "s1")


def other() -> Transcript:
    """A session of its own, which is to be forgotten."""
    made = Transcript("s0000", uuid_prefix="f").user("Forget me")
    return made.says("Done", usage=USAGE, id="m0")


@case(right={"usd": PAID, "tokens": 1_009, "spent_today": PAID, "listed": True})
def one_of_two_sessions_is_forgotten(files: Files) -> None:
    files.save(paid(), other())
    files.index()
    files.forget("s0000")


@case(seconds=HOUR, right={"usd": PAID, "tokens": 1_009})
def a_session_is_forgotten_before_it_was_indexed(files: Files) -> None:
    files.save(paid(), other())
    files.forget("s0000")


@case(seconds=MINUTE, right={"usd": PAID, "spent_today": PAID})
def a_forgotten_session_goes_on(files: Files) -> None:
    """Claude Code writes on, and its hooks tell of it."""
    files.save(paid(), other())
    files.index()
    files.forget("s0000")
    files.save(other().wait(1).user("Go on").says("More", usage=USAGE, id="m9"))
    files.hook("PermissionRequest", 5, "s0000", tool_name="Bash", tool_input={"command": "ls"})
    files.register("s0000", "busy", 6)
    files.index()


@case(right={"usd": PAID, "tokens": 1_009})
def the_original_of_a_fork_is_forgotten(files: Files) -> None:
    """What nobody else has is the fork's."""
    first = paid("s0000")
    origin = {"sessionId": "s0000", "messageUuid": "u2"}
    files.save(first, copied(first, "s1", forkedFrom=origin).user("Go on"))
    files.index()
    files.forget("s0000")


@case(seconds=HOUR, right={"usd": 2 * PAID})
def the_original_of_a_fork_that_went_on_is_forgotten(files: Files) -> None:
    first = paid("s0000")
    origin = {"sessionId": "s0000", "messageUuid": "u2"}
    fork = copied(first, "s1", forkedFrom=origin)
    files.save(first, fork.user("Go on").says("Gone on", usage=USAGE, id="m2"))
    files.forget("s0000")


@case(right={"usd": {(PROJECT, "s0000"): PAID, S1: 0}})
def a_forgotten_original_is_restored(files: Files) -> None:
    """What it paid for is its own again."""
    first = paid("s0000")
    origin = {"sessionId": "s0000", "messageUuid": "u2"}
    files.save(first, copied(first, "s1", forkedFrom=origin).user("Go on"))
    files.index()
    files.forget("s0000")
    assert files.workspace.run("forget", "--restore", "s0000") is not None
