from pathlib import Path

import pytest

from tests.cli.made import root
from tests.serve.pages.generated import looked
from tests.serve.served import Served, served
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso

MAIN = ["/", "/sessions", "/projects", "/search", "/files", "/spend", "/tools", "/health"]


@pytest.mark.parametrize("path", [*MAIN, "/patterns"])
def test_every_page_has_the_way_to_the_others_and_back(site: Served, path: str) -> None:
    made = looked(site, path)
    current = [one["href"] for one in made.all("a") if one.get("aria-current") == "page"]

    assert set(MAIN) <= set(made.hrefs)
    assert current[:1] == [path] * (path in MAIN)
    assert f"/theme?to=dark&back=%2F{path[1:]}" in made.hrefs


def test_todays_dollars_and_the_running_block_stand_above_every_page(tmp_path: Path) -> None:
    now = Transcript("now", start=iso(config.now() - 60_000) or "")
    usage = {"input_tokens": 0, "output_tokens": 1_000_000}
    now.user("go").says("done", model="claude-opus-4-6", usage=usage)
    with served(root(tmp_path / "claude", now)) as site:
        text = looked(site, "/patterns").text

    assert "today $25.00" in " ".join(text.split())
    assert "5 h block $25.00" in " ".join(text.split())


def test_without_anything_spent_today_there_is_no_block(site: Served) -> None:
    text = " ".join(looked(site, "/patterns").text.split())

    assert "today $0.00" in text
    assert "5 h block" not in text
