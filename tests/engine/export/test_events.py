from typing import Any

from msgspec import structs

from unspool.decode.lines import decode
from unspool.demo import Transcript, tool_block
from unspool.derive.reading.clock import iso
from unspool.engine.archive.redacted import TextCleaner, cleaner
from unspool.engine.export.events import EventStream
from unspool.model.files import WatchEvent
from unspool.model.live import LiveEvent
from unspool.model.usage import Quota, QuotaWindow
from unspool.redact import Redactor

MAIN = WatchEvent(path="/r/projects/-p/s1.jsonl", kind="main", project_id="-p", session_id="s1")


def told(
    talk: Transcript, file: WatchEvent = MAIN, clean: TextCleaner | None = None
) -> list[LiveEvent]:
    stream = EventStream(file, clean or cleaner(None))
    lines = talk.bytes().splitlines()
    return list(stream.feed((0, len(line), decode(line)) for line in lines))


def said(talk: Transcript) -> list[tuple[Any, ...]]:
    return [(one.kind, one.name, one.text, one.state) for one in told(talk)]


def test_prompts_and_answers_are_told_with_who_spoke() -> None:
    assert said(Transcript().user("Boil it.").thinks("hm").says("It boils.")) == [
        ("prompt", "You", "Boil it.", ""),
        ("answer", "Claude", "It boils.", ""),
    ]


def test_a_call_is_told_with_what_it_was_given_and_its_result_with_how_it_went() -> None:
    talk = Transcript().calls("Bash", command="make tea").returns("brewed")

    assert said(talk) == [("call", "Bash", "make tea", ""), ("result", "Bash", "", "ok")]


def test_a_result_says_how_long_it_took() -> None:
    talk = Transcript().calls("Bash", command="make tea").wait(4).returns("brewed")

    assert told(talk)[1].duration_ms == 5_000


LIMIT = "5-hour limit reached ∙ resets 3pm"


def test_a_limit_and_an_error_are_states_of_the_session() -> None:
    talk = Transcript().user("Go").synthetic(LIMIT, error="rate_limit").user("Again")
    talk.synthetic("API Error: 500", error="server_error")

    assert said(talk)[1::2] == [("limited", "", LIMIT, ""), ("failed", "", "API Error: 500", "")]


def test_a_limit_says_when_it_is_reset_even_if_only_the_quota_does() -> None:
    made = Transcript().user("Go").synthetic(LIMIT, error="rate_limit")
    at = int(made.clock.next.timestamp() * 1_000)
    quota = [Quota(at - 60_000, QuotaWindow(100, at + 3_600_000))]
    stream = EventStream(MAIN, cleaner(None), lambda: quota)
    lines = made.bytes().splitlines()

    *_, one = stream.feed((0, len(line), decode(line)) for line in lines)
    assert (one.kind, one.until) == ("limited", iso(at + 3_600_000))


def test_an_error_of_an_agent_stops_no_session() -> None:
    file = structs.replace(MAIN, path="/r/projects/-p/s1/agent-a1.jsonl", kind="subagent")
    talk = Transcript(agent="a1").synthetic("API Error: 500", error="server_error")

    assert [one.kind for one in told(talk, file)] == ["notice"]


def test_a_failure_says_what_was_said_about_it() -> None:
    talk = Transcript().calls("Read", file_path="/a").returns("File does not exist.", failed=True)

    assert said(talk)[1] == ("result", "Read", "File does not exist.", "error")


def test_a_command_that_failed_says_how_it_ended() -> None:
    talk = Transcript().calls("Bash", command="false").returns("Exit code 1", failed=True)

    assert said(talk)[1] == ("result", "Bash", "exit 1", "error")


def test_a_result_whose_call_nobody_saw_is_told_all_the_same() -> None:
    talk = Transcript().calls("Bash", command="ls").returns("x")
    lines = talk.bytes().splitlines()
    [one] = EventStream(MAIN, cleaner(None)).feed([(0, 0, decode(lines[1]))])

    assert (one.kind, one.name, one.state) == ("result", "", "ok")


def test_parallel_calls_and_their_results_are_told_apart() -> None:
    talk = Transcript().answers(
        [tool_block("Read", {"file_path": "/a"}, "t1"), tool_block("Grep", {"pattern": "b"}, "t2")]
    )
    talk.returns("x", call="t2").returns("y", call="t1")

    assert [one.name for one in told(talk)] == ["Read", "Grep", "Grep", "Read"]


def test_an_interruption_and_a_compaction_are_told() -> None:
    found = said(Transcript().user("go").interrupted().compacts())

    assert ("notice", "", "Interrupted by you.", "") in found
    assert ("notice", "", "The conversation was compacted.", "") in found


def test_reminders_are_not_told() -> None:
    assert said(Transcript().reminder("be nice")) == []


def test_a_line_written_twice_is_told_once() -> None:
    stream = EventStream(MAIN, cleaner(None))
    line = 0, 0, decode(Transcript().user("hello").bytes().strip())

    assert len([*stream.feed([line]), *stream.feed([line])]) == 1


def test_an_agents_lines_bear_its_name() -> None:
    file = WatchEvent(
        path="/r/projects/-p/s1/subagents/agent-a1b2.jsonl",
        kind="subagent",
        session_id="s1",
        is_subagent=True,
    )

    assert told(Transcript(agent="a1b2").user("look"), file)[0].agent_id == "a1b2"


def test_secrets_are_taken_out_of_every_field_before_anything_is_cut() -> None:
    token, login = "gh" + "p_" + "a1B2c3D4" * 5, "postgres://app:" + "hunter2x" * 3 + "@db"
    talk = Transcript().user(f"say {token}").calls("Bash", command=f"{'x' * 480} {login}")
    found = told(talk.returns("ok").calls(token, x=1), clean=cleaner(Redactor()))

    assert found[0].text == "say [redacted: github token]"
    assert "hunter" not in found[1].text
    assert found[-1].name == "[redacted: github token]"


def test_damaged_lines_tell_nothing_and_break_nothing() -> None:
    stream = EventStream(MAIN, cleaner(None))

    lines = [(0, 0, decode(line)) for line in (b"", b"{", b"[]", b'{"type":"user"}')]

    assert list(stream.feed(lines)) == []


def test_a_project_has_no_secret_in_its_name() -> None:
    token = "sk-ant-" + "a1B2c3D4" * 6
    file = structs.replace(MAIN, project_id=f"-home-{token}")

    (one,) = told(Transcript().user("Boil it."), file, cleaner(Redactor()))

    assert one.project_id == "-home-[redacted: anthropic key]"


def test_lines_of_an_agent_in_the_main_file_are_told_as_the_agent_s() -> None:
    talk = Transcript().user("Boil it.").user("look", parentUuid=None, isSidechain=True)
    talk.says("seen", isSidechain=True).says("Done.")

    assert [one.agent_id for one in told(talk)] == ["", "inline-u2", "inline-u2", ""]
