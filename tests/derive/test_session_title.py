"""What a session is called."""

from tests.derive.session_facts import session_facts_of
from unspool.demo import Transcript, text_block

COMMAND = "<command-name>/review</command-name><command-args>the diff</command-args>"


def title(transcript: Transcript) -> str:
    return session_facts_of(transcript).title


# devtools 107
def test_a_custom_title_wins_over_all_others() -> None:
    made = Transcript().entry("custom-title", customTitle="Mine").user("go")
    made.entry("ai-title", aiTitle="Guessed").entry("agent-name", agentName="Other")

    assert title(made) == "Mine"


def test_a_title_is_cut_at_500_too() -> None:
    assert title(Transcript().entry("custom-title", customTitle="x" * 600)) == "x" * 500


def test_an_agents_name_is_a_custom_title() -> None:
    made = Transcript().user("go").entry("agent-name", agentName="Mine")
    made.entry("ai-title", aiTitle="Guessed")

    assert title(made) == "Mine"


def test_the_last_generated_title_wins_over_the_prompt() -> None:
    made = Transcript().user("go").entry("ai-title", aiTitle="One").entry("ai-title", aiTitle="Two")

    assert title(made) == "Two"


def test_a_summary_is_a_title_where_it_names_a_line_of_this_file() -> None:
    made = Transcript().entry("summary", summary="Ours", leafUuid="u2")
    made.entry("summary", summary="Theirs", leafUuid="elsewhere").user("go").says("done")

    assert title(made) == "Ours"


def test_a_summary_of_another_file_is_no_title() -> None:
    made = Transcript().entry("summary", summary="Theirs", leafUuid="elsewhere").user("go")

    assert title(made) == "go"


# devtools 107
def test_the_first_prompt_is_the_title_cut_at_500_and_the_goal_cut_at_200() -> None:
    about = session_facts_of(Transcript().user("x" * 600).says("ok").user("later"))

    assert (about.title, about.goal) == ("x" * 500, "x" * 200)


# devtools 107
def test_command_output_and_interruptions_are_skipped() -> None:
    made = Transcript().user("<local-command-stdout>out</local-command-stdout>").interrupted()
    made.user("[Request interrupted by user for tool use]").user("the real one")

    assert title(made) == "the real one"


# devtools 107
def test_a_command_is_the_title_when_there_is_no_prompt() -> None:
    assert title(Transcript().user(COMMAND)) == "/review the diff"


def test_a_command_noted_by_the_client_is_a_title_in_need_and_its_words_never() -> None:
    made = Transcript().system("local_command", content="Set model to x")

    assert title(made) == ""
    assert title(made.system("local_command", content=COMMAND)) == "/review the diff"


# devtools 107
def test_a_prompt_after_a_command_is_the_title() -> None:
    bare = "<command-name>/review</command-name><command-args></command-args>"

    assert title(Transcript().user(bare).user("now fix it")) == "now fix it"


def test_a_command_that_was_given_a_task_is_the_title_whatever_follows() -> None:
    assert title(Transcript().user(COMMAND).user("now fix it")) == "/review the diff"


def test_a_command_that_sets_up_the_client_is_a_title_in_need_only() -> None:
    setup = "<command-name>/model</command-name><command-args>opus</command-args>"

    assert title(Transcript().user(setup)) == "/model opus"
    assert title(Transcript().user(setup).user("fix it")) == "fix it"


def test_a_team_member_is_called_by_what_its_lead_asks_for() -> None:
    ask = '<teammate-message teammate_id="team-lead"{}>Find the leak.\nSoon.</teammate-message>'

    assert title(Transcript().user(ask.format(' summary="Hunt the leak"'))) == "Hunt the leak"
    assert title(Transcript().user(ask.format(""))) == "Find the leak.\nSoon."
    prefaced = f"Another Claude session sent a message:\n{ask.format('')}"
    assert title(Transcript().user(prefaced).says("ok")) == "Find the leak.\nSoon."


def test_a_teammates_status_is_no_title() -> None:
    status = '<teammate-message teammate_id="ann">{"type":"idle_notification"}</teammate-message>'

    assert title(Transcript().user(status)) == ""


def test_a_session_that_a_program_started_is_called_by_what_it_sent() -> None:
    event = "<ci-monitor-event>\nCI failed for pull request #7\n</ci-monitor-event>"

    assert title(Transcript().user(event).says("ok")) == "CI failed for pull request #7"
    assert title(Transcript().user(event).user("leave it")) == "leave it"


def test_what_an_editor_shows_is_no_part_of_a_title() -> None:
    opened = text_block("<ide_opened_file>The user opened a.py in the IDE.</ide_opened_file>")

    assert title(Transcript().user([opened, text_block("explain this file")])) == (
        "explain this file"
    )
    assert title(Transcript().user([opened])) == ""


def test_a_note_for_the_memory_is_a_title_in_need_only() -> None:
    made = Transcript().user("<user-memory-input>always use uv</user-memory-input>")

    assert title(made) == "# always use uv"
    assert title(made.user("fix it")) == "fix it"


# devtools 107
def test_injected_text_teammates_and_reminders_are_never_titles() -> None:
    made = Transcript().user("Caveat: injected", isMeta=True).reminder("do not")
    made.user('<teammate-message teammate_id="x" summary="s">hi</teammate-message>')
    made.user("<system-reminder>r</system-reminder> the real one")

    assert title(made) == "the real one"


def test_a_note_in_brackets_is_a_title_in_need_only() -> None:
    made = Transcript().user("[Session resumed]")

    assert title(made) == "[Session resumed]"
    assert title(made.user("[1] is wrong, fix it")) == "[1] is wrong, fix it"


def test_a_prompt_typed_while_the_model_worked_can_be_the_title() -> None:
    made = Transcript().attachment("queued_command", prompt="from the queue", commandMode="prompt")

    assert title(made) == "from the queue"


# peers 14
def test_a_prompt_that_comes_late_is_still_the_title() -> None:
    made = Transcript()
    for n in range(80):
        made.entry("queue-operation", operation="enqueue", content=str(n))

    assert title(made.user("finally")) == "finally"


# peers 14
def test_a_prompt_of_a_megabyte_is_still_the_title() -> None:
    made = Transcript().user([text_block("fix " + "y" * 1_100_000)])

    assert title(made).startswith("fix yyy")


# peers 13
def test_a_reminder_before_the_prompt_is_not_part_of_it() -> None:
    made = Transcript().user("<system-reminder>r</system-reminder>Implement the following plan")

    assert session_facts_of(made).opening == "Implement the following plan"


# peers 12
def test_a_shell_line_is_not_the_opening() -> None:
    made = Transcript().user("<bash-input>ls</bash-input>").user("Implement the following plan")

    assert session_facts_of(made).opening == "Implement the following plan"
