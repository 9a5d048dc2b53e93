from pathlib import Path

from tests.engine.roots import listed, saved
from unspool.demo import Transcript
from unspool.engine.sessions.related import read_all, read_start
from unspool.model.files import TranscriptFile

PLAN = "Implement the following plan:\n\n1. paint"


def file(root: Path, made: Transcript) -> TranscriptFile:
    return listed(saved(root, made)[0])


def test_reading_the_start_stops_at_the_first_prompt(tmp_path: Path) -> None:
    made = Transcript().user(PLAN)
    for _ in range(60):
        made.says("x" * 1_000)
    found = read_start(file(tmp_path, made))

    assert found.plan.first_text.startswith("Implement the following plan")
    assert 1 <= len(found.lineage.originals) < 20


# peers 14
def test_a_prompt_after_sixty_lines_is_still_found(tmp_path: Path) -> None:
    made = Transcript()
    for _ in range(60):
        made.system("informational", content="x" * 500)

    assert read_start(file(tmp_path, made.user(PLAN))).plan.first_text == PLAN


# peers 14
def test_a_prompt_after_a_line_of_two_megabytes_is_still_found(tmp_path: Path) -> None:
    made = Transcript().system("informational", content="x" * 2_000_000).user(PLAN)

    assert read_start(file(tmp_path, made)).plan.first_text == PLAN


def test_a_slug_that_comes_after_the_prompt_is_seen(tmp_path: Path) -> None:
    made = Transcript().user(PLAN)
    for number in range(60):
        made.says("x" * 1_000, slug="calm-fox" if number > 40 else Transcript.ABSENT)

    assert read_start(file(tmp_path, made)).plan.slug == "calm-fox"


def test_a_slug_somebody_quotes_is_not_one(tmp_path: Path) -> None:
    made = Transcript().user('the line says {"slug":"calm-fox"}')

    assert read_start(file(tmp_path, made)).plan.slug == ""


def test_a_session_without_a_prompt_has_no_opening(tmp_path: Path) -> None:
    assert read_start(file(tmp_path, Transcript().entry("mode", mode="plan"))).plan.first_text == ""


def test_reading_all_knows_what_comes_late(tmp_path: Path) -> None:
    made = Transcript().user("plan it")
    for _ in range(60):
        made.says("x" * 1_000)
    one = file(tmp_path, made.calls("ExitPlanMode", plan="1. paint"))

    assert (read_start(one).plan.has_exit_plan, read_all(one).plan.has_exit_plan) == (False, True)
    assert len(read_all(one).lineage.originals) == 62
