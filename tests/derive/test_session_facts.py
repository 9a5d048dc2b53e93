"""What a session did, where and when."""

from tests.derive.reads import entries_of
from tests.derive.session_facts import session_facts_of
from unspool.demo import Transcript, text_block
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.messages import read
from unspool.derive.session_facts import SessionFactsFold

BEGAN = "2026-01-01T00:00:00.000Z"


def test_recent_output_is_the_last_answer_cut_at_500() -> None:
    made = Transcript().user("go").says("first").says("x" * 501).thinks("hm").calls("Bash")

    assert session_facts_of(made).recent_output == "x" * 500


def test_an_answer_written_as_a_plain_string_is_recent_output_too() -> None:
    made = Transcript().user("go").says("one")
    lines = made.bytes().replace(b'[{"type":"text","text":"one"}]', b'"one"')

    assert session_facts_of(lines).recent_output == "one"


def test_the_directory_is_the_first_one_and_the_branch_the_latest() -> None:
    made = Transcript(cwd="/home/ada/app").user("go").says("hm", cwd="/elsewhere", gitBranch="fix")

    about = session_facts_of(made)

    assert (about.cwd, about.first_branch, about.git_branch) == ("/home/ada/app", "main", "fix")


def test_slug_version_and_entrypoint_are_the_latest_that_are_not_empty() -> None:
    made = Transcript(version="2.1.1").user("go", slug="old-slug").says("a", slug="calm-red-fox")
    about = session_facts_of(made.user("more", slug="", version="2.1.2", entrypoint="sdk-py"))

    assert (about.slug, about.version, about.entrypoint) == ("calm-red-fox", "2.1.2", "sdk-py")


def test_models_are_listed_in_order_of_first_use_without_synthetic_ones() -> None:
    made = Transcript().user("go").says("a", model="m1").says("b", model="m2")
    made.says("c", model="m1").synthetic("API error", error="overloaded")

    assert (session_facts_of(made).models, session_facts_of(made).model) == (("m1", "m2"), "m1")


def test_a_session_lasts_from_its_earliest_to_its_latest_time() -> None:
    made = Transcript(start=BEGAN).wait(60).user("go").at(BEGAN).says("early").wait(120).says("end")

    assert (iso(session_facts_of(made).start), iso(session_facts_of(made).end)) == (
        BEGAN,
        "2026-01-01T00:02:01.000Z",
    )


# devtools 17
def test_a_time_that_cannot_be_moves_neither_start_nor_end() -> None:
    made = Transcript(start=BEGAN).user("go").says("a", timestamp="0000-00-00T00:00:00.000000Z")
    made.says("b", timestamp="1970-01-01T00:00:00.000Z").says("c", timestamp=None)

    assert session_facts_of(made).start == session_facts_of(made).end == millis(BEGAN)


def test_a_file_without_times_has_no_start() -> None:
    made = Transcript().entry("ai-title", aiTitle="nothing yet")

    assert (session_facts_of(made).start, session_facts_of(made).last_activity) == (None, None)


def test_lines_beside_the_talk_and_old_progress_are_activity_but_no_end() -> None:
    made = Transcript(start=BEGAN).user("go").progress("bash_progress")
    made.at("2026-01-01T01:00:00.000Z").entry("queue-operation", operation="enqueue")

    about = session_facts_of(made)

    assert about.end == millis(BEGAN)
    assert iso(about.last_activity) == "2026-01-01T01:00:00.000Z"


def test_modified_files_are_named_once_in_order_and_reading_is_no_change() -> None:
    made = Transcript().user("go").calls("Edit", file_path="/b").calls("Read", file_path="/r")
    made.calls("Write", file_path="/a").calls("MultiEdit", file_path="/b")
    made.calls("NotebookEdit", notebook_path="/n.ipynb").calls("Edit", {"file_path": 7})

    assert session_facts_of(made).files_modified == ("/b", "/a", "/n.ipynb")


def test_lines_of_another_session_are_counted_as_foreign() -> None:
    made = Transcript().user("go").says("a", sessionId="s9").entry("mode", sessionId="s9")

    assert session_facts_of(made).foreign == 2


def test_an_agents_file_carries_its_parents_id_and_is_not_foreign() -> None:
    about = session_facts_of(Transcript(agent="a1").user("look").says("found"), agent="a1")

    assert (about.foreign, about.is_subagent, about.opening) == (0, True, "look")


def test_a_file_that_begins_with_another_sessions_lines_was_resumed_from_it() -> None:
    made = Transcript("s0").user("go", sessionId="s0").says("a", sessionId="s1")

    assert session_facts_of(made).resumed_from == "s0"


def test_a_renamed_file_was_not_resumed() -> None:
    assert session_facts_of(Transcript("s0").user("go"), session="copy").resumed_from == ""


def test_copied_lines_name_the_session_they_were_forked_from() -> None:
    origin = {"sessionId": "s0", "messageUuid": "old"}

    assert session_facts_of(Transcript().user("go", forkedFrom=origin)).forked_from == "s0"


def test_a_pointer_to_the_parents_history_is_a_fork() -> None:
    made = Transcript().entry("fork-context-ref", parentSessionId="s0", parentLastUuid="u")

    assert session_facts_of(made).forked_from == "s0"


def test_an_agent_that_copies_its_own_sessions_context_is_no_fork() -> None:
    made = Transcript(agent="a1").entry("fork-context-ref", parentSessionId="s1")

    assert session_facts_of(made, agent="a1").forked_from == ""


def test_a_file_of_nothing_but_an_agents_lines_is_a_subagent() -> None:
    agent = Transcript(agent="a1").user("look").says("found")

    assert session_facts_of(agent).is_subagent
    assert not session_facts_of(Transcript().user("go").bytes() + agent.bytes()).is_subagent


def test_leaving_plan_mode_is_noted_with_its_time() -> None:
    made = Transcript(start=BEGAN).user("plan").calls("ExitPlanMode", plan="1. do it")

    assert session_facts_of(made).has_exit_plan
    assert iso(session_facts_of(made).plan_at) == "2026-01-01T00:00:01.000Z"


def test_a_prompt_may_name_the_transcript_its_plan_was_made_in() -> None:
    asked = "Implement the following plan:\n\n" + "step\n" * 300
    asked += "If you need details, read the full transcript at: /claude/projects/-repo/ab-12.jsonl"

    assert session_facts_of(Transcript().user([text_block(asked)])).planned_in == "ab-12"


def test_prompts_and_the_first_answer_to_each_are_counted() -> None:
    made = Transcript().user("one").says("a").says("b").user("two").synthetic("oops", error="x")
    made.says("aside", isSidechain=True).compacts()

    assert session_facts_of(made).message_count == 3
    assert session_facts_of(made.says("c")).message_count == 4


# devtools 108
def test_a_file_of_nothing_but_noise_is_not_displayable() -> None:
    made = Transcript().user("<system-reminder>x</system-reminder>").system("turn_duration")
    made.synthetic("No response requested.").entry("summary", summary="s", leafUuid="u1")

    assert not session_facts_of(made).displayable


# devtools 108
def test_a_file_of_nothing_but_sidechain_lines_is_not_displayable() -> None:
    made = Transcript().user("go", isSidechain=True).says("a", isSidechain=True)

    assert not session_facts_of(made).displayable


# devtools 108
def test_one_answer_prompt_result_or_injected_text_makes_a_file_displayable() -> None:
    alone = (
        Transcript().says("hello"),
        Transcript().user("hello"),
        Transcript().returns("done", call="toolu_1"),
        Transcript().reminder("context"),
    )

    assert all(session_facts_of(made).displayable for made in alone)


def test_a_line_that_copies_leave_behind_shows_where_a_conversation_began() -> None:
    began = Transcript().entry("queue-operation", operation="enqueue").user("go")

    assert session_facts_of(began).began_here
    assert not session_facts_of(began.bytes().split(b"\n", 1)[1]).began_here


def test_lines_without_a_message_cost_nothing() -> None:
    made = b'{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/repo"}\n{"type":"odd"}\n{broken'

    assert (session_facts_of(made).cwd, session_facts_of(made).title) == ("/repo", "")


def test_asking_midway_changes_nothing() -> None:
    made = Transcript().user("go").calls("TaskCreate", subject="a").returns("").says("done")
    fold = SessionFactsFold("s1")
    for number, (entry,) in enumerate(entries_of(made), 1):
        fold.feed(entry, read(entry, number))
        fold.facts()

    assert fold.facts() == session_facts_of(made)
