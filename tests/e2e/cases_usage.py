"""Which responses count, whose they are, and what they cost."""

import json
from typing import Any

from tests.e2e.cases import HOUR, PROJECT, Files, case, stamp
from unspool.demo import Transcript, tool_block

S0, S1 = (PROJECT, "s0"), (PROJECT, "s1")
USAGE = {"input_tokens": 1_000, "output_tokens": 9}
PAID = 3_135_000_000  # what it costs with sonnet-4-6: 3 and 15 dollars a million
TWICE = 2 * PAID


def paid(session: str = "s1", **options: object) -> Transcript:
    """A session whose one answer costs PAID."""
    return Transcript(session, **options).user("Do it").says("Done", usage=USAGE, id="m1")  # type: ignore[arg-type]


def copied(made: Transcript, session: str, **fields: object) -> Transcript:
    """Another session that begins with the lines of this one."""
    copy = Transcript(session, uuid_prefix=f"{session}-")
    for line in made.dicts():
        copy.raw(json.dumps({**line, "sessionId": session, **fields}).encode())
    return copy.wait(10)


def resumed(made: Transcript) -> Transcript:
    """Session s1, which goes on from this one as versions of 2025 did: with its lines."""
    again = Transcript("s1", uuid_prefix="b").raw(made.bytes(), newline=False)
    return again.wait(10).user("Go on").says("Gone on", usage=USAGE, id="m2")


@case(right={"usd": PAID, "tokens": 1_009, "listed": True, "opens": True})
def one_plain_session(files: Files) -> None:
    files.save(paid())


@case(seconds=HOUR, right={"usd": PAID, "tokens": 1_009})
def one_plain_session_an_hour_later(files: Files) -> None:
    files.save(paid())


@case(right={"usd": PAID, "tokens": 1_009, "bad_lines": 2})
def lines_nested_too_deep(files: Files) -> None:
    """Any interpreter can decode these, and some can decode thousands of levels."""
    made = paid()
    for levels in (250, 400):
        made.calls("Bash", {"a": "DEEP"}, usage=USAGE, id=f"deep-{levels}")
        *lines, last = made.bytes().splitlines(keepends=True)
        made = Transcript().raw(b"".join(lines), newline=False)
        made.raw(last.replace(b'"DEEP"', b"[" * levels + b"]" * levels), newline=False)
    files.save(made)


@case(
    right={"usd": {S0: PAID, S1: 0}, "forked_from": {S1: "s0"}},
)
def a_fork_that_names_its_origin(files: Files) -> None:
    """What is copied counts for the session that paid for it."""
    first = paid("s0")
    origin = {"sessionId": "s0", "messageUuid": "u2"}
    files.save(first, copied(first, "s1", forkedFrom=origin).user("Go on"))


@case(
    seconds=HOUR,
    right={"usd": {S0: PAID, S1: PAID}},
)
def a_fork_that_goes_on_an_hour_later(files: Files) -> None:
    """With an answer of its own, when the list no longer reads the file."""
    first = paid("s0")
    origin = {"sessionId": "s0", "messageUuid": "u2"}
    fork = copied(first, "s1", forkedFrom=origin)
    files.save(first, fork.user("Go on").says("Gone on", usage=USAGE, id="m2"))


@case(right={"usd": {S0: PAID, S1: PAID}})
def a_fork_that_nothing_marks(files: Files) -> None:
    """Its origin begins as a session does, with the prompt that was queued."""
    talk = paid("s0", entrypoint="sdk-cli")
    first = Transcript("s0").entry("queue-operation", operation="enqueue", content="Do it")
    first.raw(talk.bytes(), newline=False).wait(1)
    copy = copied(talk, "s1").user("Go on").says("Gone on", usage=USAGE, id="m2")
    files.save(first, copy)


@case(
    right={"usd": {S0: PAID, S1: PAID}},
)
def a_resumed_session_of_an_old_version(files: Files) -> None:
    """Its first lines still carry the other session's id."""
    first = paid("s0")
    files.save(first, resumed(first))


@case(
    right={"agents": {S1: {"zz": PAID, "aa": 0}}, "usd": PAID},
)
def an_agent_that_holds_the_lines_of_another(files: Files) -> None:
    """The response is of the agent that had it first."""
    main = Transcript("s1").user("Go")
    calls = [tool_block("Task", {"prompt": name}, f"call-{name}") for name in ("one", "two")]
    main.answers(calls, usage=False)
    first = Transcript("s1", agent="zz", start=stamp(5), uuid_prefix="z")
    first.user("one").says("Done", usage=USAGE, id="m1")
    second = Transcript("s1", agent="aa", start=stamp(5.5), uuid_prefix="a").user("two")
    _, answer = first.dicts()
    files.save(main, first, second.raw(json.dumps({**answer, "agentId": "aa"}).encode()))


@case(
    right={"usd": PAID, "today_usd": PAID},
)
def a_response_of_which_only_the_first_line_is_copied(files: Files) -> None:
    """It is a copy only where all its lines are."""
    origin = {"sessionId": "s0", "messageUuid": "u9"}
    made = Transcript("s1").user("Do it")
    made.answers(["One", "Two"], usage=USAGE, id="m1", each=[{"forkedFrom": origin}, {}])
    files.save(made)


@case(
    seconds=17_625_605,  # 2026-07-24, five seconds after midnight
    right={"usd": 9_007_500_000_000},
)
def a_response_over_the_midnight_of_a_new_price(files: Files) -> None:
    """It is priced by its earliest line; after that day there is no fast price."""
    made = Transcript("s1", model="claude-opus-4-7", start="2026-07-23T23:59:58.900Z").user("Do it")
    usage = {"input_tokens": 300_000, "output_tokens": 50, "speed": "fast"}
    made.answers(["One"], usage=usage, id="m1", stop=None, timestamp="2026-07-23T23:59:59.900Z")
    made.answers(["Two"], usage=usage, id="m1", timestamp="2026-07-24T00:00:00.100Z")
    files.save(made.at("2026-07-24T00:00:01.000Z"))


@case(right={"usd": 1_000 * 10**12, "capped": 1})
def a_response_of_a_billion_tokens(files: Files) -> None:
    """A response is capped once, before it is priced, and that is said."""
    usage = {"input_tokens": 10**9, "output_tokens": 1}
    files.save(Transcript("s1").user("Do it").says("Done", usage=usage, id="m1"))


@case(
    bare=False,
    right={"usd": TWICE},
)
def a_file_that_was_rewritten_without_a_response(files: Files) -> None:
    """Paid is paid."""
    made = Transcript("s1").user("Do it").says("One", usage=USAGE, id="m1")
    files.save(made.says("Two", usage=USAGE, id="m2"))
    files.index()
    again = Transcript("s1", uuid_prefix="b").user("Do it otherwise")
    path = again.path_in(files.root)
    path.unlink()
    files.save(again.says("Two", usage=USAGE, id="m2").wait(5))


@case(bare=False, right={"usd": PAID, "lower_bound": False, "responses": 1})
def a_file_that_was_rewritten_without_the_end_of_a_response(files: Files) -> None:
    """What was said of it is known, though one of its lines is gone."""
    made = Transcript("s1").user("Do it")
    made.answers(["One", "Two"], usage={**USAGE, "output_tokens": 1}, outputs=[1, 9], id="m1")
    first, second, _ = made.bytes().splitlines(keepends=True)
    files.save(made)
    files.index()
    path = made.path_in(files.root)
    path.unlink()
    files.save(Transcript("s1").raw(first + second, newline=False).wait(5))


@case(
    seconds=700,
    right={"responses": 600},
)
def a_response_that_goes_on_after_five_hundred_others(files: Files) -> None:
    """However late a line comes, it counts."""
    made = Transcript("s1").user("Do it")
    for number in range(600):
        made.says("x", usage=USAGE, id=f"m{number}")
    late = {"input_tokens": 1_000, "output_tokens": 500}
    files.save(made.says("x", usage=late, id="m0", uuid="late"))


@case(right={"usd": TWICE, "responses": 2})
def responses_without_an_id(files: Files) -> None:
    """Their lines are all there is to name them by."""
    none = Transcript.ABSENT
    made = Transcript("s1").user("Do it")
    for _ in range(2):
        made.says("Done", usage=USAGE, id=none, request=none, uuid=none)
    files.save(made)


@case(right={"usd": None, "unpriced": {S1: ["made-up-1"]}})
def a_model_without_a_price(files: Files) -> None:
    """Unpriced is unknown, never free."""
    files.save(paid(model="made-up-1"))


@case(right={"lower_bound": True})
def a_response_that_was_never_finished(files: Files) -> None:
    files.save(Transcript("s1").user("Do it").says("Do", usage=USAGE, id="m1", stop=None))


@case(right={"usd": TWICE})
def appended_line_by_line(files: Files) -> None:
    """One index, brought up to date after each line."""
    made = Transcript("s1").user("Do it").calls("Bash", {"command": "ls"}, usage=USAGE)
    made.returns("a").says("Done", usage=USAGE)
    path = made.path_in(files.root)
    path.parent.mkdir(parents=True)
    for line in made.bytes().splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(line)
        files.index()
    files.save(made)


def reported(*answers: Transcript) -> Transcript:
    """Session s1, whose agent a1 is reported by progress lines, as versions of early 2026 did."""
    made = Transcript("s1").user("Do it").calls("Task", {"prompt": "Look"}, id="t1", usage=False)
    for one in answers:
        for line in one.dicts():
            told = {key: line[key] for key in ("type", "message", "uuid", "timestamp", "requestId")}
            made.progress("agent_progress", call="t1", agentId="a1", message=told)
    return made.returns("Seen", call="t1").says("Done", usage=False)


def answer_of_agent(id: str, **options: Any) -> Transcript:
    """One answer of agent a1 that costs PAID."""
    return Transcript("s1", agent="a1", uuid_prefix=id).says("Seen", usage=USAGE, id=id, **options)


@case(
    right={
        "usd": TWICE,
        "tokens": 2_018,
        "responses": 2,
        "agent_count": 0,
        "lower_bound": True,
        "reported_responses": 2,
    }
)
def an_agent_whose_file_is_gone_and_whose_answers_were_reported(files: Files) -> None:
    """What progress lines say was paid for, and no file has, counts; there may be more."""
    files.save(reported(answer_of_agent("m1"), answer_of_agent("m2"), answer_of_agent("m2")))


@case(
    right={
        "usd": TWICE,
        "agents": {S1: {"a1": TWICE}},
        "lower_bound": False,
        "reported_responses": 0,
    }
)
def an_agent_that_has_a_file_and_was_reported(files: Files) -> None:
    """Each answer counts once, as the agent's own file has it."""
    own = Transcript("s1", agent="a1").user("Look")
    own.says("Seen", usage=USAGE, id="m1").says("Seen", usage=USAGE, id="m2")
    told = answer_of_agent("m1", stop=None), answer_of_agent("m2", stop=None)
    files.save(own, reported(*told))


@case(right={"usd": {S0: PAID, S1: 0}})
def a_resumed_session_that_repeats_what_was_reported(files: Files) -> None:
    """The session that had the report first paid for it."""
    first = Transcript("s0").user("Do it").calls("Task", {"prompt": "Look"}, id="t1", usage=False)
    (line,) = answer_of_agent("m1").dicts()
    first.progress("agent_progress", call="t1", agentId="a1", message=line)
    again = Transcript("s1", uuid_prefix="b").raw(first.bytes(), newline=False).wait(10)
    files.save(first, again.user("Go on"))


SEARCH = {"query": "words", "results": [], "durationSeconds": 1.5, "searchCount": 3}


@case(right={"usd": PAID + 3 * 10**10, "tokens": 1_009, "unpriced": {S1: []}})
def a_web_search(files: Files) -> None:
    """A search costs a cent; the result says how many there were, and the answer says none."""
    made = Transcript("s1").user("Look it up")
    made.calls("WebSearch", {"query": "words"}, id="t1", usage=USAGE)
    files.save(made.returns("Found", call="t1", result=SEARCH).says("Done", usage=False))


@case(right={"usd": {S0: PAID + 3 * 10**10, S1: 0}})
def a_web_search_that_a_fork_repeats(files: Files) -> None:
    """Each search counts once, for the session that made it."""
    first = Transcript("s0").user("Look it up")
    first.calls("WebSearch", {"query": "words"}, id="t1", usage=USAGE)
    first.returns("Found", call="t1", result=SEARCH)
    origin = {"sessionId": "s0", "messageUuid": "u2"}
    files.save(first, copied(first, "s1", forkedFrom=origin).user("Go on"))


@case(right={"usd": PAID})
def a_result_with_a_search_count_that_is_no_web_search(files: Files) -> None:
    """An agent's result says how often it searched files."""
    made = Transcript("s1").user("Do it").calls("WebSearch", {}, id="t1", usage=USAGE)
    stats = {"agentId": "a1", "toolStats": {"searchCount": 5}, "searchCount": 5}
    files.save(made.returns("Found", call="t1", result=stats).says("Done", usage=False))
