from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, server_context
from unspool.engine.usage.cost import CostQuery
from unspool.serve.api.cost import cost_answer


def responses(site: Served) -> int:
    totals = cost_answer(site.context, CostQuery()).totals
    return totals.responses if totals else 0


def test_what_was_spent_just_now_is_counted(site: Served, place: Path) -> None:
    before = responses(site)
    indexed(root(place, talk("session-three", day=3)))

    assert responses(site) == before + 3


def test_what_another_root_spent_is_not_counted(site: Served, tmp_path: Path) -> None:
    theirs = root(tmp_path / "theirs", talk("session-three", day=3))
    indexed(theirs)
    with server_context(theirs) as made:
        assert responses(Served(made)) == 3
    assert responses(site) == 6
