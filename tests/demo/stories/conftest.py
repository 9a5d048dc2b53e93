"""The demo's past, told once."""

import pytest

from tests.demo.stories.told import Told, tell


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """All stories of the past, as they are on a Tuesday afternoon."""
    return tell(tmp_path_factory.mktemp("demo") / "claude")
