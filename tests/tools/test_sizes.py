"""The size check, run on small trees."""

from pathlib import Path

import pytest

from tools.sizes import main


def write(root: Path, name: str, lines: int) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n" * lines)


@pytest.mark.parametrize("room", ["src/unspool/derive", "tests", "tools", "benchmarks"])
def test_a_module_past_the_wall_fails(tmp_path: Path, room: str) -> None:
    write(tmp_path, f"{room}/long.py", 401)

    assert main(tmp_path) == 1


def test_a_module_at_the_wall_passes(tmp_path: Path) -> None:
    write(tmp_path, "src/unspool/long.py", 400)

    assert main(tmp_path) == 0


def test_a_module_past_the_habit_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "src/unspool/habit.py", 200)
    write(tmp_path, "src/unspool/longer.py", 201)

    assert main(tmp_path) == 0
    assert capsys.readouterr().out == "note  src/unspool/longer.py: 201 lines, habit is 200\n"


@pytest.mark.parametrize("name", ["templates/parts/step.html", "static/live.js"])
def test_a_template_and_an_es_module_stop_at_120(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"src/unspool/show/{name}", 121)

    assert main(tmp_path) == 1


@pytest.mark.parametrize("name", ["prices.json", "schema.sql"])
def test_data_may_be_as_long_as_it_is(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"src/unspool/{name}", 5_000)

    assert main(tmp_path) == 0
