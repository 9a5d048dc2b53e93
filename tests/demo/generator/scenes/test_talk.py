from __future__ import annotations

import json

from tests.demo.generator.made import Made, readable, texts


def test_a_slash_command_and_its_output_are_user_lines(made: Made) -> None:
    said = texts(made.lines("slash_command"))

    assert "<command-name>/cost" in said
    assert "<local-command-stdout>" in said
    assert "<local-command-caveat>" in said


def test_a_newer_command_prints_into_a_system_line(made: Made) -> None:
    lines = [line for line in made.lines("local_command") if line.get("subtype") == "local_command"]

    assert "<local-command-stdout>" in lines[0]["content"]


def test_a_shell_command_is_typed_at_the_prompt(made: Made) -> None:
    said = texts(made.lines("bash_mode"))

    assert "<bash-input>" in said
    assert "<bash-stdout>" in said


def test_a_queued_prompt_comes_before_the_result(made: Made) -> None:
    lines = made.lines("queued_prompt")
    queued = next(at for at, line in enumerate(lines) if line.get("promptSource") == "queued")
    result = lines[queued + 1]["message"]["content"][0]

    assert result["type"] == "tool_result"
    assert made.session("queued_prompt")["tools"][result["tool_use_id"]] == "ok"


def test_a_reminder_is_hidden_in_a_user_line(made: Made) -> None:
    assert "<system-reminder>" in texts(made.lines("reminders"))


def test_a_compaction_is_a_boundary_and_a_summary(made: Made) -> None:
    lines = made.lines("compaction")
    at = next(n for n, line in enumerate(lines) if line.get("subtype") == "compact_boundary")

    assert lines[at]["logicalParentUuid"] in {line.get("uuid") for line in lines[:at]}
    assert lines[at + 1]["isCompactSummary"]
    assert made.session("compaction")["compactions"] == 1


def test_a_small_compaction_names_the_results_it_dropped(made: Made) -> None:
    lines = made.lines("microcompaction")
    boundary = next(line for line in lines if line.get("subtype") == "microcompact_boundary")

    assert (
        set(boundary["microcompactMetadata"]["compactedToolIds"])
        <= made.session("microcompaction")["tools"].keys()
    )


def test_a_rewind_gives_one_line_two_children(made: Made) -> None:
    lines = [line for line in made.lines("rewind") if line["type"] == "assistant"]
    parents = [line["parentUuid"] for line in lines]

    assert len(parents) - len(set(parents)) == 1


def test_a_plan_is_carried_out_in_a_session_of_the_same_nickname(made: Made) -> None:
    plan, built = made.lines("plan_pair"), made.related("plan_pair", "planOf")
    first = readable(made.file(built).read_bytes())[0]

    assert first["message"]["content"].startswith("Implement the following plan:\n\n# ")
    assert first["slug"] == plan[0]["slug"]
    assert (made.path / "plans" / f"{first['slug']}.md").is_file()


def test_notes_of_many_kinds_stand_beside_the_talk(made: Made) -> None:
    kinds = {line["type"] for line in made.lines("notes")}

    assert {"custom-title", "agent-name", "tag", "pr-link", "bridge-session"} <= kinds
    assert "queued_command" in json.dumps(made.lines("notes"))
