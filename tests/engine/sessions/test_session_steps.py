"""The steps of the sessions of a root add up to what the sessions cost."""

import json
from pathlib import Path

import pytest

from tests.engine.roots import root_sessions
from unspool.demo import generate
from unspool.errors import SourceError
from unspool.source.prices import bundled


@pytest.mark.parametrize("seed", [1, 2])
def test_steps_add_up_to_their_session(tmp_path: Path, seed: int) -> None:
    generate(tmp_path / "root", mb=0.1, seed=seed, prices=json.loads(bundled()))
    root = root_sessions(tmp_path / "root")
    checked = 0
    for file in root.files():
        try:
            reader = root.open(file)
        except SourceError:
            continue  # nothing was said in it yet
        steps, total = reader.steps(), reader.document(limit=0, bodies=False).metrics.total
        if steps:
            checked += 1
            assert sum(step.pico for step in steps) == round((total.cost_usd or 0) * 10**12)
            assert min(min(step.cost) for step in steps) >= 0
    assert checked > 10
