"""A transcript read on as it grows, for the board."""

from pathlib import Path

import pytest

from tests.engine.roots import append, saved
from unspool.demo import Transcript
from unspool.derive.transcript import TranscriptFold
from unspool.engine.growing import Growing, Replaced, agent_of


def growing(path: Path) -> Growing:
    made = Growing(str(path), TranscriptFold("s1"))
    made.read()
    return made


def test_it_takes_in_whole_lines_and_waits_for_the_rest(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript().user("one"))
    made, more = growing(path), Transcript(uuid_prefix="b-").user("two").bytes()
    append(path, more[:-20])
    made.read()
    assert made.fold.messages == 1

    append(path, more[-20:])
    made.read()
    assert made.fold.messages == 2


def test_another_file_in_its_place_is_not_read_on(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript().user("one").says("x"))
    made = growing(path)
    path.write_bytes(Transcript(uuid_prefix="b-").user("other").bytes())

    with pytest.raises(Replaced):
        made.read()


def test_a_file_that_is_gone_or_closed_changes_nothing(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript().user("one"))
    made = growing(path)
    path.unlink()
    made.read()
    path.symlink_to(tmp_path)
    made.read()

    assert made.fold.messages == 1


def test_an_errand_is_told_by_the_sidecar_else_by_the_prompt_else_by_the_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent-a1.jsonl"
    path.write_bytes(Transcript("s1", agent="a1").user("Look for x").bytes())

    assert Growing(str(path), TranscriptFold("s1", "a1")).errand == "a1"
    made = Growing(str(path), TranscriptFold("s1", "a1"))
    made.read()
    assert made.errand == "Look for x"
    (tmp_path / "agent-a1.meta.json").write_text('{"description": "Find it"}')
    assert made.errand == "Find it"


def test_an_agent_is_named_by_its_file() -> None:
    assert agent_of("/x/agent-a1b.c.jsonl") == "a1b.c"
