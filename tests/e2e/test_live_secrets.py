"""No message of the live channel, and nothing that a server notes, has a secret in it."""

import random
from functools import partial
from pathlib import Path

from tests.cli.made import root
from tests.cli.servings import serving
from tests.e2e.test_served_secrets import WATCH, told
from tests.redact.secrets import planted
from tests.serve.live.listening import Page, page, save
from unspool.demo import Transcript

# The archive and the spool keep what was said as it was; everything else is ours.
_KEPT = ("index.db", "raw.db", "spool")


def noted(home: Path) -> str:
    """All that a server wrote down about its work."""
    files = (path for path in home.rglob("*") if path.is_file())
    ours = (path for path in files if not path.relative_to(home).parts[0].startswith(_KEPT))
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in ours)


def has(lines: int, it: Page) -> bool:
    """Whether a page was told of so many."""
    return len(it.events) >= lines


def test_no_secret_is_told_to_who_listens_or_noted(tmp_path: Path, home: Path) -> None:
    place, chance = root(tmp_path / "claude"), random.Random(5)
    made = Transcript(session="live", cwd="/home/dev/planted")
    with serving(place) as server, page(server) as it:
        it.subscribe("live")
        for number, one in enumerate(planted(150), 1):
            told(made, one, chance)
            if number % 30 == 0:
                save(made, place)  # more than 500 events at once would be fetched, not told
                assert it.until(partial(has, 9 * number))
        assert it.until(lambda it: bool(it.of("session_updated")))
        code, said = server.end()

    assert code == 0
    assert WATCH.out("\n".join(map(str, it.told))) == []
    assert WATCH.out(said) == []
    assert WATCH.out(noted(home / "unspool")) == []
