import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.fuzz_decode import mutate, try_line

REPOSITORY = Path(__file__).parents[2]


def test_a_thousand_hostile_lines_do_no_harm() -> None:
    chance = random.Random(7)

    for _ in range(1_000):
        try_line(mutate(chance))


@pytest.mark.slow
def test_hostile_lines_do_no_harm_for_a_minute(tmp_path: Path) -> None:
    command = [sys.executable, "tests/fuzz/fuzz_decode.py", "200000", "60", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}
    ran = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, check=False)

    assert ran.returncode == 0, ran.stderr.decode()
