from __future__ import annotations

import json
from pathlib import Path

from unspool.demo import Transcript
from unspool.demo.lines import (
    ABSENT,
    Clock,
    encode,
    project_slug,
    tool_block,
    usage_of,
    without_absent,
)


# format 16
def test_everything_but_letters_and_digits_becomes_a_dash() -> None:
    assert project_slug("/home/d.v/my_app v2") == "-home-d-v-my-app-v2"


def test_an_emoji_is_two_units_and_so_two_dashes() -> None:
    assert project_slug("/a🎈b") == "-a--b"


def test_a_path_of_two_hundred_units_stays_whole() -> None:
    assert project_slug("/" + "a" * 199) == "-" + "a" * 199


def test_a_longer_path_is_cut_and_ends_in_its_hash() -> None:
    slug = project_slug("/" + "a" * 200)

    assert slug[:200] == "-" + "a" * 199
    assert slug[200] == "-"
    assert slug[201:].isalnum()


def test_two_long_paths_with_one_beginning_get_two_names() -> None:
    assert project_slug("/" + "a" * 200 + "x") != project_slug("/" + "a" * 200 + "y")


def test_a_hash_of_zero_is_written_as_zero() -> None:
    assert project_slug("\0" * 201).endswith("--0")


def test_the_clock_moves_one_second_per_reading() -> None:
    clock = Clock("2026-01-31T23:59:59.500Z")

    assert [clock.tick(), clock.tick()] == ["2026-01-31T23:59:59.500Z", "2026-02-01T00:00:00.500Z"]


def test_a_tool_block_without_an_id_leaves_it_to_the_transcript() -> None:
    assert tool_block("Bash", {}) == {"type": "tool_use", "name": "Bash", "input": {}}


def test_no_usage_given_is_the_default_usage() -> None:
    assert usage_of(None)["input_tokens"] == 10


def test_an_empty_usage_stays_empty() -> None:
    assert usage_of({}) == {}


def test_a_refused_usage_is_absent() -> None:
    assert without_absent({"usage": usage_of(False), "kept": None}) == {"kept": None}


def test_text_is_written_as_itself_not_as_escapes() -> None:
    assert encode({"a": "é🎈"}) == '{"a":"é🎈"}'.encode()


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    assert encode({"a": "\ud800"}) == b'{"a":"\\ud800"}'


def test_absent_is_not_none() -> None:
    assert without_absent({"gone": ABSENT, "null": None}) == {"null": None}


def test_lines_are_chained_to_their_parents() -> None:
    lines = Transcript().user("a").says("b").says("c").dicts()

    assert [line["parentUuid"] for line in lines] == [None, "u1", "u2"]


def test_names_carry_the_prefix() -> None:
    line = Transcript(uuid_prefix="x-").calls("Bash").dicts()[0]

    assert (line["uuid"], line["message"]["id"], line["requestId"]) == (
        "x-u1",
        "msg_x-1",
        "req_x-1",
    )
    assert line["message"]["content"][0]["id"] == "toolu_x-1"


def test_each_line_is_one_second_later() -> None:
    lines = Transcript(start="2026-05-01T10:00:00Z").user("a").says("b").dicts()

    assert [line["timestamp"] for line in lines] == [
        "2026-05-01T10:00:00.000Z",
        "2026-05-01T10:00:01.000Z",
    ]


def test_waiting_and_setting_the_clock_move_the_next_line() -> None:
    lines = Transcript().wait(0.25).user("a").at("2026-03-03T03:03:03Z").user("b").dicts()

    assert lines[0]["timestamp"] == "2026-01-01T00:00:00.250Z"
    assert lines[1]["timestamp"] == "2026-03-03T03:03:03.000Z"


def test_a_field_overrides_its_envelope_key() -> None:
    assert Transcript(branch="dev").user("a", cwd="/x").dicts()[0]["cwd"] == "/x"


def test_an_absent_field_leaves_its_key_out() -> None:
    made = Transcript().user("a", uuid=Transcript.ABSENT, timestamp=Transcript.ABSENT)

    assert {"uuid", "timestamp"}.isdisjoint(made.dicts()[0])


def test_a_line_without_a_uuid_is_nobodys_parent() -> None:
    made = Transcript().user("a").user("b", uuid=Transcript.ABSENT).user("c")

    assert made.dicts()[2]["parentUuid"] == "u1"


def test_a_given_timestamp_does_not_move_the_clock() -> None:
    made = Transcript().user("a", timestamp="2020-01-01T00:00:00.000Z").user("b")

    assert made.dicts()[1]["timestamp"] == "2026-01-01T00:00:00.000Z"


def test_metadata_stands_outside_the_chain() -> None:
    made = Transcript().user("a").entry("mode", mode="normal").says("b")

    assert made.dicts()[1] == {"type": "mode", "sessionId": "s1", "mode": "normal"}
    assert made.dicts()[2]["parentUuid"] == "u1"


def test_a_queue_operation_is_stamped_and_a_snapshot_has_no_session() -> None:
    queued, snapshot = Transcript().entry("queue-operation").entry("file-history-snapshot").dicts()

    assert "timestamp" in queued
    assert snapshot == {"type": "file-history-snapshot"}


def test_raw_bytes_are_written_as_given() -> None:
    made = Transcript().raw(b"\x00{}").raw(b'{"cut', newline=False)

    assert made.bytes() == b'\x00{}\n{"cut'
    assert made.dicts() == []


def test_every_line_ends_in_a_newline_and_reads_back() -> None:
    made = Transcript().user("\u2028é").says("b")

    assert [json.loads(line) for line in made.bytes().split(b"\n")[:-1]] == made.dicts()


def test_a_session_is_saved_below_its_project(tmp_path: Path) -> None:
    path = Transcript(session="abc", cwd="/home/me/app").user("a").save(tmp_path)

    assert path == tmp_path / "projects" / "-home-me-app" / "abc.jsonl"
    assert path.stat().st_size > 0


def test_an_agent_is_saved_below_its_session_with_its_sidecar(tmp_path: Path) -> None:
    path = Transcript(agent="a1").user("a").meta(toolUseId="toolu_1").save(tmp_path)

    assert path == tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl"
    assert json.loads(path.with_suffix(".meta.json").read_bytes()) == {"toolUseId": "toolu_1"}


def test_an_agents_lines_are_sidechains_with_its_id() -> None:
    line = Transcript(agent="a1").user("a").dicts()[0]

    assert (line["isSidechain"], line["agentId"]) == (True, "a1")
    assert "agentId" not in Transcript().user("a").dicts()[0]


def test_a_message_id_can_be_left_unused() -> None:
    assert Transcript().next_message().says("a").dicts()[0]["message"]["id"] == "msg_2"
