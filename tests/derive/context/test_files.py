import pytest

from tests.derive.context.contexts import Disk
from unspool.derive.context.files import LARGEST_MENTION, PhaseFiles, estimate_tokens

NOTHING: set[str] = set()


def test_a_file_weighs_a_quarter_of_its_characters_rounded_up() -> None:
    assert [estimate_tokens(chars) for chars in (-1, 0, 1, 4, 5)] == [0, 0, 1, 1, 2]


def test_global_files_come_with_the_first_turn_alone() -> None:
    files = PhaseFiles(Disk(globals={"user": 400, "project": 5}), NOTHING)

    assert [files.take_tokens([], []), files.take_tokens([], [])] == [(102, 0), (0, 0)]


def test_a_directory_file_comes_with_the_first_read_below_it() -> None:
    below = {"/repo/src/CLAUDE.md": 40}
    files = PhaseFiles(Disk(directories={"/repo/src/a": below, "/repo/src/b": below}), NOTHING)

    assert files.take_tokens(["/repo/src/a"], []) == (10, 0)
    assert files.take_tokens(["/repo/src/a", "/repo/src/b"], []) == (0, 0)


def test_a_mention_brings_its_directory_files_when_the_file_exists() -> None:
    near = {"src/a": {"/repo/src/CLAUDE.md": 40}, "lib/b": {"/repo/lib/CLAUDE.md": 40}}
    files = PhaseFiles(Disk(directories=near, mentions={"src/a": 4}), NOTHING)

    assert files.take_tokens([], ["src/a", "lib/b"]) == (10, 1)


def test_a_mention_counts_once_however_it_is_written() -> None:
    files = PhaseFiles(Disk(mentions={"a.md": 40}), NOTHING)

    assert files.take_tokens([], ["a.md", "./a.md", "a.md"]) == (0, 10)
    assert files.take_tokens([], ["a.md"]) == (0, 0)


@pytest.mark.parametrize(("weight", "counted"), [(LARGEST_MENTION, 25_000), (25_001, 0)])
def test_a_mention_that_is_too_large_is_not_counted_at_all(weight: int, counted: int) -> None:
    files = PhaseFiles(Disk(mentions={"a.md": weight * 4}), NOTHING)

    assert files.take_tokens([], ["a.md"]) == (0, counted)


@pytest.mark.parametrize(
    ("recorded", "left"), [("claude_md", (0, 1)), ("mentioned_files", (2, 0)), ("skills", (2, 1))]
)
def test_the_disk_is_not_asked_for_what_the_transcript_recorded(
    recorded: str, left: tuple[int, int]
) -> None:
    files = PhaseFiles(Disk(globals={"user": 8}, mentions={"a.md": 4}), {recorded})

    assert files.take_tokens([], ["a.md"]) == left


def test_a_mentioned_file_called_like_a_source_is_still_a_file() -> None:
    files = PhaseFiles(Disk(globals={"user": 8}, mentions={"user": 4}), NOTHING)

    assert files.take_tokens([], ["user"]) == (2, 1)


def test_a_file_that_was_recorded_is_not_weighed_again_but_others_are() -> None:
    near = {"a/x": {"/repo/a/CLAUDE.md": 40}, "b/x": {"/repo/b/CLAUDE.md": 400}}
    files = PhaseFiles(Disk({"user": 8}, near), NOTHING, {"/repo/a/CLAUDE.md"})

    assert files.take_tokens(["a/x", "b/x"], []) == (102, 0)
