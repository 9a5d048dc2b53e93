"""Which messages a rewind left behind, and what a fork copied."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.derive.reads import entries_of, messages_of
from tests.examples import examples
from unspool.demo import Transcript, tool_block
from unspool.derive.reading.messages import read
from unspool.derive.story.threads import Lineage, ThreadFold, Threads, forks, shared, threads
from unspool.model.document import SessionLink
from unspool.model.message import Message
from unspool.model.transcript import Entry, Progress


def labels(transcript: Transcript) -> dict[str, int]:
    return threads(messages_of(transcript)).labels


def rewound() -> Transcript:
    """u1 go, u2 a, u3 wrong, u4 b (left behind), u5 right, u6 c."""
    made = Transcript().user("go").says("a").user("wrong").says("b")
    return made.user("right", parentUuid="u2").says("c")


def originals(*messages: Message) -> set[str]:
    fold = ThreadFold()
    for message in messages:
        fold.feed(message)
    return fold.originals()


def test_a_straight_conversation_has_no_branches() -> None:
    made = threads(messages_of(Transcript().user("go").says("a").user("more").says("b")))

    assert (made.leaf, made.branches, made.branch_of("u1")) == ("u4", 0, 0)


# peers 7
def test_what_a_rewind_left_behind_is_a_branch() -> None:
    made = threads(messages_of(rewound()))

    assert (made.leaf, made.branches, made.labels) == ("u6", 1, {"u3": 1, "u4": 1})


def test_each_attempt_left_behind_is_a_branch_numbered_in_reading_order() -> None:
    made = rewound().user("third", parentUuid="u2").says("d")

    assert labels(made) == {"u3": 1, "u4": 1, "u5": 2, "u6": 2}


def test_a_rewind_inside_what_was_left_behind_makes_two_branches() -> None:
    made = Transcript().user("go").says("a").user("x").says("b").user("y")
    made.user("z", parentUuid="u4").user("right", parentUuid="u2")

    assert labels(made) == {"u3": 1, "u4": 1, "u5": 2, "u6": 1}


def test_two_answers_to_one_prompt_are_two_branches() -> None:
    made = Transcript().user("go").says("first try").says("second try", parentUuid="u1")

    assert labels(made) == {"u2": 1}


def test_calls_and_results_left_behind_go_with_their_branch() -> None:
    made = Transcript().user("go").user("wrong").calls("Bash", command="ls").returns("a")
    made.attachment("hook_success", hookEvent="PostToolUse")

    assert labels(made.user("right", parentUuid="u1")) == {"u2": 1, "u3": 1, "u4": 1, "u5": 1}


# format 8
def test_parallel_calls_and_all_their_results_are_on_the_path() -> None:
    both = [tool_block("Bash", {"command": "ls"}), tool_block("Read", {"file_path": "/a"})]
    made = Transcript().user("go").answers(both).returns("1", call=1).returns("2", call=2)

    assert labels(made.says("done")) == {}
    assert labels(made.says("done", parentUuid="u4")) == {"u6": 1}


# format 8
def test_lines_of_one_response_that_hang_from_one_parent_are_no_branches() -> None:
    both = [tool_block("Bash", {"command": "ls"}, "t1"), tool_block("Read", {"a": 1}, "t2")]
    made = Transcript().user("go").answers(both[:1], id="m1").returns("1", call="t1")
    made.answers(both[1:], id="m1", parentUuid="u1").returns("2", call="t2")

    assert labels(made.says("done", parentUuid="u3")) == {}


# format 7
def test_a_compaction_continues_the_chain_by_its_logical_parent() -> None:
    made = Transcript().user("go").says("a").user("wrong").says("b")
    made.system("compact_boundary", parentUuid=None, logicalParentUuid="u2").user("go on")
    made.says("c").user("again", parentUuid="u6")

    assert labels(made) == {"u3": 1, "u4": 1, "u7": 2}


def test_a_compaction_without_a_logical_parent_continues_the_line_before() -> None:
    made = Transcript().user("go").says("a").system("compact_boundary", parentUuid=None)

    assert labels(made.user("x").says("b").user("y", parentUuid="u3")) == {"u4": 1, "u5": 1}


def test_a_parent_nobody_knows_is_the_line_before() -> None:
    made = Transcript().user("go", parentUuid="elsewhere").says("a").user("x", parentUuid="lost")

    assert labels(made.says("b")) == {}


def test_old_progress_lines_are_walked_through() -> None:
    made = Transcript().user("go").calls("Bash", command="ls").user("wrong").user("wrong again")
    fold = ThreadFold()
    for message in messages_of(made.user("right", parentUuid="p2")):
        fold.feed(message)
        if message.uuid == "u3":
            fold.feed_link("p1", "u2")
        if message.uuid == "u4":
            fold.feed_link("p2", "p1")

    assert fold.threads().labels == {"u3": 1, "u4": 1}


def test_progress_without_a_known_parent_hangs_from_the_line_before() -> None:
    fold = ThreadFold()
    for message in messages_of(Transcript().user("go").says("a").user("x", parentUuid="p1")):
        fold.feed(message)
        if message.uuid == "u2":
            fold.feed_link(None, "u1")
            fold.feed_link("p1", "lost")

    assert fold.threads().labels == {}


def test_an_agents_own_file_has_branches_of_its_own() -> None:
    made = Transcript(agent="a1").user("go").says("one").says("two", parentUuid="u1")

    assert threads(messages_of(made)).labels == {"u2": 1}


def test_a_line_written_twice_counts_where_it_stood_last() -> None:
    made = Transcript().user("go").says("a").user("x").says("b")

    assert labels(made.user("x", uuid="u3", parentUuid="u1")) == {"u2": 1, "u4": 2}


def test_notices_and_commands_that_lead_nowhere_are_no_branches() -> None:
    made = Transcript().user("go").synthetic("API error", error="overloaded")
    made.user("<command-name>/cost</command-name>", parentUuid="u1").says("a", parentUuid="u1")

    assert labels(made) == {}


def test_links_in_a_circle_end() -> None:
    made = Transcript().user("go", parentUuid="u2").says("a").says("b", parentUuid="u1")

    assert threads(messages_of(made)) == Threads("u3")


@given(st.lists(st.integers(-1, 12), min_size=1, max_size=12))
def test_whatever_the_links_say_the_leaf_is_on_the_path_and_branches_are_numbered(
    parents: list[int],
) -> None:
    made = Transcript()
    for number, parent in enumerate(parents):
        say = made.says if number % 2 else made.user
        say("x", parentUuid=f"u{parent}" if parent >= 0 else None)

    found = threads(messages_of(made))

    assert found.branch_of(found.leaf) == 0
    assert set(found.labels.values()) == set(range(1, found.branches + 1))


def test_a_message_without_a_uuid_is_in_no_thread() -> None:
    made = Transcript().user("go").says("a", uuid=Transcript.ABSENT)

    assert threads(messages_of(made)).leaf == "u1"


# format 3
def test_a_file_with_the_same_uuids_is_a_copy_of_the_one_that_was_there_first() -> None:
    first = originals(*messages_of(Transcript("s1").user("go").says("a")))
    copy = originals(*messages_of(Transcript("s2").user("go").says("a").user("other")))

    assert shared(first, copy) == 2
    assert forks([Lineage("s2", copy, written=9), Lineage("s1", first, written=5)]) == {
        "s2": SessionLink("s1", 0.9, "2 of 3 lines shared")
    }


# format 3
def test_the_file_that_holds_the_lines_of_its_start_is_the_original() -> None:
    lines = {"u1", "u2"}
    here = Lineage("z", lines, born=1, began_here=True, written=9)

    assert forks([Lineage("a", lines, born=1, written=5), here]).keys() == {"a"}


def test_a_session_whose_birth_nobody_knows_is_the_copy() -> None:
    assert forks([Lineage("a", {"1", "2"}), Lineage("b", {"1", "2"}, born=5)]).keys() == {"a"}


def test_remapped_copies_are_known_by_the_uuid_they_name() -> None:
    origin = {"sessionId": "s1", "messageUuid": "u1"}
    copy = messages_of(Transcript("s2", uuid_prefix="new-").user("go", forkedFrom=origin))

    assert originals(*copy) == {"u1"}
    assert forks([Lineage("s2", {"u1"}, forked_from="s1")]) == {
        "s2": SessionLink("s1", 1.0, "forkedFrom")
    }


def test_a_fork_of_a_fork_comes_from_the_fork() -> None:
    sessions = [Lineage("a", {"1", "2"}, born=1), Lineage("b", {"1", "2", "3"}, born=2)]
    sessions.append(Lineage("c", {"1", "2", "3", "4"}, born=3))

    assert {id: link.session_id for id, link in forks(sessions).items()} == {"b": "a", "c": "b"}


def test_one_shared_line_is_weak_proof() -> None:
    sessions = [Lineage("a", {"1", "2"}, born=1), Lineage("b", {"1", "3"}, born=2)]

    assert forks(sessions)["b"].confidence == 0.5


def test_a_session_alone_may_name_the_one_it_was_copied_from() -> None:
    assert forks([Lineage("a", {"1"}, born=1)]) == {}
    assert forks([Lineage("a", {"1"}, forked_from="b")])["a"].session_id == "b"


def test_sessions_with_nothing_in_common_are_no_forks() -> None:
    assert forks([Lineage("a", {"1"}, born=1), Lineage("b", {"2"}, forked_from="b")]) == {}


LINKS = st.tuples(st.integers(-2, 16), st.sampled_from("uarnp"), st.integers(0, 3))


@settings(max_examples=examples(300))
@given(st.lists(LINKS, min_size=1, max_size=16), st.sets(st.integers(0, 16)))
def test_threads_asked_as_lines_come_are_those_found_at_the_end(
    lines: list[tuple[int, str, int]], asked: set[int]
) -> None:
    made, grown, feeds = Transcript(), ThreadFold(), list[Callable[[ThreadFold], None]]()
    for number, line in enumerate(lines):
        write(made, number, *line)
    for number, entries in enumerate(entries_of(made)):
        feeds.append(feed_of(entries[0], number))
        feeds[-1](grown)
        if number in asked:
            whole = ThreadFold()
            for feed in feeds:
                feed(whole)

            assert grown.threads() == whole.threads()
            assert grown.originals() == whole.originals()


def write(made: Transcript, number: int, parent: int, kind: str, response: int) -> None:
    """A line that hangs from any line: from the one before, a later, missing or repeated one."""
    fields: dict[str, Any] = {"uuid": f"u{number}" if number % 7 else f"u{parent}"}
    if parent >= -1:
        fields["parentUuid"] = f"u{parent}" if parent >= 0 else None
    if kind == "u":
        made.user("x", **fields)
    elif kind == "a":
        made.says("x", id=f"m{response}", **fields)
    elif kind == "r":
        made.user([{"type": "tool_result", "tool_use_id": "t", "content": "x"}], **fields)
    elif kind == "n":
        made.attachment("hook_success", hookEvent="PostToolUse", **fields)
    else:
        made.entry("progress", data={"type": "bash_progress"}, **fields)


def feed_of(entry: Entry, number: int) -> Callable[[ThreadFold], None]:
    """What a transcript's fold does with a line."""
    message = read(entry, number)
    if message is not None:
        return lambda fold: fold.feed(message)
    if isinstance(entry, Progress):
        return lambda fold: fold.feed_link(entry.uuid, entry.parent_uuid)
    raise AssertionError(entry)
