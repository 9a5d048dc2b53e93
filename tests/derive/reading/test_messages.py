"""A line becomes a message: who spoke, when, in which pieces, at what cost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import heard, last_of, messages_of, placed
from unspool.decode.lines import decode
from unspool.demo import Transcript, text_block
from unspool.derive.reading.messages import read
from unspool.derive.story.chunks import spans
from unspool.model.message import Piece
from unspool.model.usage import Tokens

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
NAMES = st.sampled_from("type text thinking id name input tool_use_id content source".split())
KINDS = st.sampled_from("text thinking tool_use tool_result image document mcp_tool_result".split())
BLOCKS = st.lists(st.dictionaries(NAMES, KINDS | JSON, max_size=5), max_size=3)
FORK = {"sessionId": "s0", "messageUuid": "u0"}


# devtools 3
def test_an_answer_without_a_uuid_is_no_message_but_its_usage_counts() -> None:
    messages = messages_of(Transcript().calls("Bash", {"command": "ls"}, uuid=Transcript.ABSENT))
    (tokens,) = [message.tokens for message in messages]

    assert [message.pieces for message in messages] == [()]
    assert spans(messages) == []
    assert tokens is not None
    assert tokens.input == 10


# devtools 3
@pytest.mark.parametrize("uuid", [Transcript.ABSENT, "", None])
def test_a_user_line_without_a_uuid_is_no_message(uuid: Any) -> None:
    assert messages_of(Transcript().user("hi", uuid=uuid)) == []


# devtools 4
def test_progress_is_no_message_even_with_a_uuid() -> None:
    assert messages_of(Transcript().progress("bash_progress")) == []


# devtools 5
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_a_line_without_its_message_is_skipped(kind: str) -> None:
    made = Transcript().entry(kind, uuid="u9").user("hi")

    assert [message.head for message in messages_of(made)] == ["hi"]


# devtools 6
def test_an_answer_that_is_a_string_has_no_call() -> None:
    (line,) = Transcript().says("so").dicts()
    line["message"]["content"] = "four"
    (message,) = messages_of(json.dumps(line).encode())

    assert [(piece.kind, piece.tokens) for piece in message.pieces] == [("text", 1)]


def test_an_answer_without_content_has_no_pieces() -> None:
    assert last_of(Transcript().answers([[]])).pieces == ()


# devtools 10
def test_a_summary_after_compaction_is_compact() -> None:
    assert placed("This session continues", isCompactSummary=True) == ("compact", "meta")


# devtools 10
def test_a_title_of_type_summary_is_not_compact() -> None:
    assert messages_of(Transcript().entry("summary", summary="A title", leafUuid="u1")) == []


def test_a_summary_wrapped_in_a_reminder_is_still_compact() -> None:
    wrapped = "<system-reminder>so far</system-reminder>"

    assert placed(wrapped, isCompactSummary=True) == ("compact", "meta")


# devtools 17
@pytest.mark.parametrize("time", [Transcript.ABSENT, None, "", "yesterday", "0000-00-00T00:00:00Z"])
def test_a_missing_or_invalid_time_is_none_not_now(time: Any) -> None:
    assert heard("hi", timestamp=time).at is None


# devtools 26
@pytest.mark.parametrize("kind", ["summary", "file-history-snapshot", "queue-operation"])
def test_lines_beside_the_conversation_are_no_messages(kind: str) -> None:
    assert messages_of(Transcript().entry(kind, uuid="u1")) == []


# devtools 20
@pytest.mark.parametrize(("is_meta", "category"), [(False, "user"), (True, "ai")])
def test_an_image_alone_is_a_prompt_unless_it_was_injected(is_meta: bool, category: str) -> None:
    assert heard([{"type": "image"}], isMeta=is_meta).category == category


# devtools 27
def test_what_the_client_made_up_is_a_notice_and_costs_nothing() -> None:
    message = last_of(Transcript().synthetic("API Error: 529", "overloaded"))

    assert (message.category, message.voice, message.tokens) == ("ai", "notice", None)
    assert (message.head, message.pieces[0].kind) == ("API Error: 529", "notice")


# format 6
@pytest.mark.parametrize(("error", "failed"), [("rate_limit", True), (None, False)])
def test_an_error_is_one_and_a_filler_is_none(error: str | None, failed: bool) -> None:
    message = last_of(Transcript().synthetic("No response requested.", error))

    assert (message.tokens, message.pieces[0].is_error) == (None, failed)


def test_an_api_error_under_a_real_name_is_a_notice_that_was_billed() -> None:
    message = last_of(Transcript().says("Refused", isApiErrorMessage=True))

    assert (message.voice, message.tokens) == ("notice", Tokens(10, 5))


def test_a_notice_keeps_its_other_blocks() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, text_block(" so ")]
    message = last_of(Transcript().answers([blocks], isApiErrorMessage=True))

    assert ([piece.kind for piece in message.pieces], message.head) == (
        ["thinking", "notice"],
        "so",
    )


def test_a_notice_may_be_a_string_or_nothing() -> None:
    line = Transcript().synthetic("so").dicts()[0]
    found = []
    for content in ("gone", None):
        line["message"]["content"] = content
        found += messages_of(json.dumps(line).encode())

    assert [message.head for message in found] == ["gone", ""]


# devtools 41
def test_a_typical_flow_reads_as_it_happened() -> None:
    made = Transcript().user("go").calls("Bash", command="ls").returns("a").says("done")
    made.system("turn_duration", durationMs=5)

    assert [message.category for message in messages_of(made)] == [
        "user",
        "ai",
        "ai",
        "ai",
        "noise",
    ]


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({}, Tokens()),
        ({"input_tokens": None, "output_tokens": None}, Tokens()),
        ({"cache_read_input_tokens": 7, "speed": "fast"}, Tokens(cache_read=7, speed="fast")),
        ({"cache_creation_input_tokens": 9}, Tokens(cache_write=9)),
        ({"cache_creation_input_tokens": 9, "cache_creation": {}}, Tokens(cache_write=9)),
        (
            {"cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4}},
            Tokens(cache_write=7, write_5m=3, write_1h=4),
        ),
        ({"inference_geo": "us"}, Tokens(geo="us")),
        ({"server_tool_use": {"web_search_requests": 2}}, Tokens(web_searches=2)),
        ({"input_tokens": -5}, Tokens()),
    ],
)
def test_usage_is_read_with_its_gaps_filled(usage: dict[str, Any], tokens: Tokens) -> None:
    assert last_of(Transcript().says("a", usage=usage)).tokens == tokens


def test_an_answer_without_usage_has_no_tokens() -> None:
    assert last_of(Transcript().says("a", usage=False)).tokens is None


def test_what_an_answer_links_to_is_kept() -> None:
    message = last_of(Transcript(agent="a1").user("go").says("so", id="m1", request="r1", stop="x"))

    assert (message.uuid, message.parent_uuid, message.agent_id) == ("u2", "u1", "a1")
    assert (message.message_id, message.request_id, message.stop_reason) == ("m1", "r1", "x")
    assert message.is_sidechain


def test_what_a_prompt_links_to_is_kept() -> None:
    message = heard("hi", promptId="p1", isMeta=True, sourceToolUseID="t1", agentId="a1")

    assert (message.prompt_id, message.agent_id, message.source_tool_use_id) == ("p1", "a1", "t1")
    assert message.is_meta


def test_a_copied_line_says_where_it_came_from() -> None:
    made = Transcript().user("a", forkedFrom=FORK).says("b", forkedFrom=FORK)

    assert [message.forked_from for message in messages_of(made)] == [("s0", "u0")] * 2


# peers 2
def test_a_meta_line_keeps_the_result_it_holds() -> None:
    made = Transcript().calls("Skill", skill="pdf").returns("Launching", isMeta=True)

    assert [(p.kind, p.id) for p in last_of(made).pieces] == [("result", "toolu_1")]


# format 8
def test_results_of_parallel_calls_are_all_kept() -> None:
    results = [{"type": "tool_result", "tool_use_id": id, "content": id} for id in ("t1", "t2")]

    assert [piece.id for piece in heard(results).pieces] == ["t1", "t2"]


# format 9
def test_a_structured_result_speaks_of_the_first_result_alone() -> None:
    results = [{"type": "tool_result", "tool_use_id": id, "content": "x"} for id in ("t1", "t2")]
    first, second = heard(results, toolUseResult={"agentId": "a1"}).pieces

    assert (first.report is not None, second.report) == (True, None)


def test_a_result_without_an_id_takes_the_one_its_line_names() -> None:
    message = heard([{"type": "tool_result", "content": "x"}], sourceToolUseID="t1")

    assert message.pieces == (Piece(0, "result", 1, "t1"),)


# devtools 30
def test_text_beside_a_result_is_a_piece_of_its_own() -> None:
    made = [{"type": "tool_result", "tool_use_id": "t1"}, text_block("four"), text_block(" ")]

    assert [(p.n, p.kind, p.tokens) for p in heard(made).pieces] == [
        (0, "result", 0),
        (1, "text", 1),
    ]


# format 13
@pytest.mark.parametrize("kind", ["hologram", "marble-origami-x", ""])
def test_a_line_of_a_new_kind_is_no_message_and_no_trouble(kind: str) -> None:
    assert messages_of(Transcript().entry(kind, uuid="u1", message={"content": "x"})) == []


def test_each_record_of_a_damaged_line_is_a_message() -> None:
    line = Transcript().user("a").bytes().strip() + Transcript().user("b").bytes().strip()

    assert [(m.line, m.part, m.head) for m in messages_of(line)] == [
        (1, 0, "a"),
        (1, 1, "b"),
    ]


@given(st.sampled_from("user assistant system attachment".split()), JSON | BLOCKS, JSON | KINDS)
def test_no_line_raises_whatever_it_holds(kind: str, content: Any, other: Any) -> None:
    line = {"type": kind, "uuid": "u", "timestamp": other, "message": {"content": content}}
    line |= {"subtype": other, "content": content, "toolUseResult": other, "rendered": other}
    line["attachment"] = {"type": "file", "content": content, "prompt": content, "text": other}

    for entry in decode(json.dumps(line).encode()):
        message = read(entry, 1)
        assert message is None or message.line == 1
