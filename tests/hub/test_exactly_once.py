"""Many machines, a hub that is killed, connections that break, answers that are lost."""

from pathlib import Path

import pytest

from tests.hub.crowd import check_exactly_once
from tests.hub.machines import HubDatabase


@pytest.mark.slow
def test_100_000_lines_of_fifty_machines_are_there_exactly_once(
    hub: HubDatabase, tmp_path: Path
) -> None:
    check_exactly_once(hub, tmp_path, 100_000)
