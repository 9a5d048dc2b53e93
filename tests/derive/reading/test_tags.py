"""Tags are found, read and taken out; what is left is what a person wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.reading import tags
from unspool.derive.reading.tags import (
    command,
    digest,
    inner,
    is_teammate,
    mentions,
    notifications,
    output,
    reported,
    sanitise,
    teammates,
    visible,
    without,
)

PIECES = st.lists(
    st.sampled_from(
        "<system-reminder> </system-reminder> <command-name> </command-name> <bash-stdout> "
        "</bash-stdout> <task-notification> </task-notification> <local-command-caveat> "
        "</local-command-caveat> <teammate-message x=1 > a".split()
    ),
    max_size=12,
)
DONE = "<task-notification><task-id> a1 </task-id><status>completed</status></task-notification>"


def test_the_inside_of_a_tag_is_read() -> None:
    assert inner("x<a>one</a><a>two</a>", "a") == "one"


def test_the_inside_is_searched_from_a_place_on() -> None:
    assert inner("<a>one</a><a>two</a>", "a", 1) == "two"


def test_a_tag_that_never_closes_reaches_to_the_end() -> None:
    assert inner("<a>one", "a") == "one"


def test_a_tag_that_is_not_there_has_no_inside() -> None:
    assert inner("one", "a") is None


def test_whole_spans_are_taken_out() -> None:
    assert without("1<a>x</a>2<b>y</b>3<a>z</a>", ("a", "b")) == "123"


def test_a_span_that_never_closes_is_left_in() -> None:
    assert without("1<a>x</a>2<a>y", ("a",)) == "12<a>y"


def test_reminders_and_caveats_are_not_visible() -> None:
    text = "<system-reminder>a</system-reminder> b <local-command-caveat>c</local-command-caveat>"

    assert visible(text) == "b"


def test_text_without_tags_is_only_trimmed() -> None:
    assert (visible(" a "), sanitise(" a ")) == ("a", "a")


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<command-name>/x</command-name><command-args> a b </command-args>", "/x a b"),
        ("<command-message>x</command-message><command-name>/y</command-name>", "/y"),
        ("<command-message>x</command-message>", "/x"),
        ("<command-name>x</command-name>", "/x"),
        ("<command-name> </command-name>", None),
        ("words", None),
    ],
)
def test_a_command_reads_as_it_was_typed(text: str, typed: str | None) -> None:
    assert command(text) == typed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<local-command-stdout> a </local-command-stdout>", "a"),
        ("<local-command-stderr>a</local-command-stderr>", "a"),
        ("<bash-input>ls</bash-input>", "ls"),
        ("<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>", "a\nb"),
        ("<bash-stdout></bash-stdout>\n<bash-stderr>b</bash-stderr>", "b"),
        ("<bash-stdout>a <bash-stderr></bash-stdout>", "a <bash-stderr>"),
        ("<bash-stdout></bash-stdout>", ""),
        ("<bash-stdout>cut", "cut"),
        ("see <bash-stdout>a</bash-stdout>", None),
        ("words", None),
    ],
)  # fmt: skip
def test_output_is_the_inside_of_its_tags(text: str, told: str | None) -> None:
    assert output(text) == told


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("<command-name>/x</command-name> <command-args>1</command-args>", "/x 1"),
        ("<command-args>1</command-args> left", "left"),
        ("<local-command-stdout>out</local-command-stdout>", "out"),
        ("<system-reminder>r</system-reminder>ask", "ask"),
        (f"before {DONE} after", "before  after"),
        ("run <command-name>/x</command-name> now", "run  now"),
        ("<b> Read the output file to retrieve the result: /tmp/a.txt", "<b>"),
        ("a < b", "a < b"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nexplain it", "explain it"),
        ("<ide_selection>lines 3 to 4:\nx = 1</ide_selection> why?", "why?"),
        ("<ide_diagnostics>[]</ide_diagnostics>fix", "fix"),
        ("<user-prompt-submit-hook>ok</user-prompt-submit-hook>go", "go"),
        ("<user-memory-input> always use uv </user-memory-input>", "# always use uv"),
        ("<user-memory-input># use uv</user-memory-input>", "# use uv"),
        ("<ci-monitor-event>\nCI failed on #7\n</ci-monitor-event>", "CI failed on #7"),
        ("<ci-monitor-event>\n<status>failure</status>\n</ci-monitor-event>", "status: failure"),
        ("<ci-monitor-event>CI failed</ci-monitor-event> mend it", "CI failed\n\nmend it"),
        ('<channel source="chat" user="ann">hello</channel>', "hello"),
        ("<scheduled-task name='x'", "<scheduled-task name='x'"),
        ('<scheduled-task name="nightly">Sweep', "Sweep"),
    ],
)
def test_text_is_cleaned_for_a_reader(text: str, clean: str) -> None:
    assert sanitise(text) == clean


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("<teammate-message>", True),
        ("Another Claude session sent a message:\n<teammate-message>", True),
        ("see <teammate-message>", False),
        ("Another Claude session sent a message", False),
    ],
)
def test_a_teammates_text_begins_with_its_tag_or_its_preface(text: str, is_one: bool) -> None:
    assert is_teammate(text) is is_one


def test_a_teammate_message_is_read_in_any_order_of_attributes() -> None:
    (sent,) = teammates('<teammate-message color="red" summary="a > b" teammate_id="ann">hi </x>')

    assert (sent.id, sent.color, sent.summary, sent.text) == ("ann", "red", "a > b", "hi </x>")


def test_every_teammate_message_of_a_text_is_read() -> None:
    one = '<teammate-message teammate_id="a">1</teammate-message>'

    assert [sent.text for sent in teammates(f"{one} and {one.replace('1', '2')}")] == ["1", "2"]


def test_a_message_of_another_session_is_read_like_a_teammates() -> None:
    text = '<cross-session-message from="uds:/x" from-name="ann">hi</cross-session-message>'

    (sent,) = teammates(text)
    assert is_teammate(text)
    assert (sent.id, sent.text) == ("ann", "hi")


def test_an_opening_that_is_none_is_no_teammate_message() -> None:
    assert teammates("<teammate-message teammate_id=ann>hi") == []


def test_a_notification_says_which_task_ended_how() -> None:
    (report,) = notifications(f"{DONE[:-20]}<tool-use-id>t1</tool-use-id></task-notification>")

    assert (report.agent_id, report.tool_use_id, report.status) == ("a1", "t1", "completed")


def test_every_notification_of_a_text_is_read() -> None:
    agent = "<agent-notification><agent-id>a2</agent-id></agent-notification>"

    assert [report.agent_id for report in notifications(DONE + DONE + agent)] == ["a1", "a1", "a2"]


def test_an_id_that_never_ends_is_cut() -> None:
    (report,) = notifications("<task-notification><task-id>" + "x" * 9999)

    assert len(report.agent_id) == tags._MOST_WORD


def test_no_text_holds_reports_without_end() -> None:
    assert len(notifications(DONE * 9999)) == tags._MOST_REPORTS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<task-notification><summary> s </summary><result>r</result>", "s\n\nr"),
        ("<task-notification><status>ok</status></task-notification> see log", "see log"),
        ("<task-notification><status>ok</status></task-notification>", "ok"),
        (
            "<task-notification><task-id>a1</task-id><status>ok</status></task-notification>",
            "a1: ok",
        ),
    ],
)
def test_a_report_reads_as_its_summary_and_result(text: str, told: str) -> None:
    assert reported(text) == told


# devtools 84
def test_a_path_mentioned_twice_is_named_once() -> None:
    assert mentions("see @src/a.ts and @src/a.ts, then @b.ts.") == ("src/a.ts", "b.ts")


# devtools 85
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@README.md", ("README.md",)),
        ("mail me@foo.com", ()),
        ("(@./a/b.ts)", ("./a/b.ts",)),
        ("@../up.md and @~/notes.md", ("../up.md", "~/notes.md")),
        ('@"a file.md"', ("a file.md",)),
        ("@types/node @org/pkg", ("types/node", "org/pkg")),
        ("a@@b", ()),
        ("@ alone", ()),
        ("none", ()),
    ],
)
def test_what_follows_an_at_sign_may_be_a_file(text: str, named: tuple[str, ...]) -> None:
    assert mentions(text) == named


def test_no_text_names_files_without_end() -> None:
    assert len(mentions(" ".join(f"@f{n}" for n in range(999)))) == tags._MOST_MENTIONS


def test_prompts_are_equal_whatever_surrounds_them() -> None:
    assert digest(" a\n") == digest("a") != digest("b")


def test_nothing_is_equal_to_nothing() -> None:
    assert (digest(""), digest("  \n")) == ("", "")


def test_half_a_character_has_a_digest() -> None:
    assert digest("\ud800") != digest("\ud801")


@given(PIECES)
def test_a_cleaned_text_is_never_longer(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert len(sanitise(text)) <= len(text)


@given(PIECES)
def test_no_whole_reminder_is_left(pieces: list[str]) -> None:
    left = without("".join(pieces), ("system-reminder",))

    assert "</system-reminder>" not in left.partition("<system-reminder>")[2]


# Each is cheap once through and ruinous when tried again from every opening.
@pytest.mark.parametrize(
    "bait",
    [
        "<system-reminder>", "</system-reminder>", "<system-reminder></system-reminder>",
        "<local-command-caveat>", "<task-notification>", "<task-notification><task-id>",
        "<ide_selection>", "<user-memory-input>", "<ci-monitor-event>", "<ci-monitor-event>\n<a>\n",
        "<ci-monitor-event a=\"", "<cross-session-message ", "<channel ",
        "<bash-stdout>", "<bash-stdout></bash-stdout>", "<command-name>", "<command-name>/",
        "<teammate-message", '<teammate-message a="', '<teammate-message a="b" ',
        '<teammate-message a="b">', "<teammate-message ", "@a", "@", '@"', "@./", "@a ", " ", "<",
        "Read the output file to retrieve the result: ",
    ],
)  # fmt: skip
def test_a_megabyte_of_openings_is_read_in_one_pass(bait: str) -> None:
    text = bait * (1_000_000 // len(bait))

    for read in (visible, sanitise, command, output, reported, teammates):
        read(text)
    assert len(mentions(text)) <= tags._MOST_MENTIONS
    assert len(notifications(text)) <= tags._MOST_REPORTS


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("a &gt; b &amp;&amp; c &lt;d&gt; &quot;e&quot;", 'a > b && c <d> "e"'),
        ("once: &amp;gt;", "once: &gt;"),
        ("<b> means &lt;", "<b> means &lt;"),  # a bracket: it was never escaped
    ],
)
def test_a_report_that_was_escaped_is_read_as_it_was_written(told: str, read: str) -> None:
    text = f"<task-notification><summary>Done</summary><result>{told}</result></task-notification>"

    assert reported(text) == f"Done\n\n{read}"
