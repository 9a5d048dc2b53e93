from tests.serve.pages.generated import looked
from tests.serve.served import Served


def test_every_component_is_there(site: Served) -> None:
    ids = {found.get("id") for found in looked(site, "/patterns").all("section")}

    assert {"status", "spool", "chip", "controls", "number", "tool", "diff", "figure"} <= ids
