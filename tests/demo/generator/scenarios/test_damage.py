from __future__ import annotations

import json
from typing import Any

import pytest

from tests.demo.generator.made import Made


def refused(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip() and not _is_json(line)]


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def whole(text: bytes) -> Any:
    return json.JSONDecoder().raw_decode(text.decode())[0]


def test_two_records_are_glued_into_one_line(made: Made) -> None:
    line = refused(made.raw("glued"))[0]
    seam = line.index(b'}{"parentUuid"') + 1

    assert whole(line[:seam])["toolUseResult"]
    assert whole(line[seam:])["isMeta"]


def test_a_cut_record_is_followed_by_a_whole_one(made: Made) -> None:
    line = refused(made.raw("cut"))[0]

    assert whole(line[line.rindex(b'{"parentUuid"') :])["message"]["role"] == "user"


@pytest.mark.parametrize("trap", ["glued", "cut", "nul_prefix"])
def test_a_result_on_a_broken_line_still_answers_its_call(made: Made, trap: str) -> None:
    assert "no_result" not in made.states(trap)


# format 12
def test_a_record_stands_behind_nul_bytes(made: Made) -> None:
    line = refused(made.raw("nul_prefix"))[0]

    assert line.startswith(b"\0" * 512 + b"{")


def test_a_comment_is_no_record(made: Made) -> None:
    assert refused(made.raw("comment_line"))[0].startswith(b"// ")


def test_the_last_line_stops_half_way(made: Made) -> None:
    data = made.raw("truncated_tail")

    assert refused(data) == [data[data.rindex(b"\n") + 1 :]]


def test_the_last_line_lacks_only_its_newline(made: Made) -> None:
    data = made.raw("no_final_newline")

    assert not data.endswith(b"\n")
    assert refused(data) == []


def test_blank_lines_stand_between_the_others(made: Made) -> None:
    blank = [line for line in made.raw("blank_lines").split(b"\n")[:-1] if not line.strip()]

    assert blank == [b"", b"   ", b"\r"]


def test_a_line_ends_as_on_windows(made: Made) -> None:
    assert made.raw("windows_newlines").count(b"}\r\n") == 1


def test_a_file_begins_with_a_byte_order_mark(made: Made) -> None:
    assert made.raw("byte_order_mark").startswith(b"\xef\xbb\xbf{")


def test_separators_stand_inside_strings(made: Made) -> None:
    data = made.raw("separators")

    assert "one\u2028two\u2029three\x85four".encode() in data
    assert b"\\ud83c" in data


def test_time_runs_backwards_is_nought_or_is_missing(made: Made) -> None:
    lines = [line for line in made.lines("backwards_time") if "uuid" in line]
    times = [line.get("timestamp", "") for line in lines]

    assert "" in times
    assert "0000-00-00T00:00:00.000000Z" in times
    real = [each for each in times if each > "1"]
    assert real != sorted(real)


def test_two_lines_share_a_uuid(made: Made) -> None:
    uuids = [line["uuid"] for line in made.lines("repeated_uuid") if "uuid" in line]

    assert len(uuids) - len(set(uuids)) == 1


def test_lines_of_another_session_and_version_are_among_the_others(made: Made) -> None:
    lines = [line for line in made.lines("foreign_lines") if "uuid" in line]

    assert len({line["sessionId"] for line in lines}) == 2
    assert "9.9.9" in {line["version"] for line in lines}


# format 13
def test_unknown_kinds_are_among_the_known(made: Made) -> None:
    data = made.raw("unknown_things")

    assert all(word in data for word in (b"zeppelin-state", b"hologram", b"tea_leaves", b"moon"))


def test_a_worktree_moves_the_session(made: Made) -> None:
    lines = made.lines("moved_worktree")
    kinds = {line["type"] for line in lines}

    assert {"worktree-state", "relocated"} <= kinds
    assert len({line["cwd"] for line in lines if "cwd" in line}) == 2


# format 16
def test_projects_have_names_that_are_hard_to_write(made: Made) -> None:
    names = {path.name for path in (made.path / "projects").iterdir()}

    assert "-home-dev-my-app-v2--new-" in names
    assert "-home-dev--t-------" in names
    assert any(len(name) > 200 for name in names)


def test_some_sessions_never_began(made: Made) -> None:
    folder = made.folder("stub").parent
    sizes = sorted(path.stat().st_size for path in folder.glob("*.jsonl"))

    assert sizes[0] == 0
    assert (made.truth.counts["emptyFiles"], made.truth.counts["stubs"]) == (1, 2)
