import json
from pathlib import Path

import pytest

from tests.cli.runs import here
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]


def spent(capsys: Capsys, mode: str) -> float:
    document = json.loads(here(capsys, "cost", "--json", "--mode", mode).out)
    found: float = document["totals"]["totalCost"]
    return found


def test_a_tier_is_of_each_field_and_not_of_the_request(root: Path, capsys: Capsys) -> None:
    usage = {"input_tokens": 150_000, "cache_read_input_tokens": 150_000, "output_tokens": 0}
    Transcript(session="s1", model="claude-sonnet-4-5").says("x", usage=usage).save(root)

    assert spent(capsys, "devtools") == pytest.approx(0.15 * 3 + 0.15 * 0.3)
    assert spent(capsys, "billing") == pytest.approx(0.15 * 6 + 0.15 * 0.6)
