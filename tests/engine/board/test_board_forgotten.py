"""A session that is forgotten leaves the board at once, with what it spent, and stays away."""

from pathlib import Path

from msgspec.structs import replace

from tests.engine.live import Live
from unspool.demo import Transcript
from unspool.model.session import BoardSpend
from unspool.source.forgotten import forget, restore

START = "2026-01-01T00:00:00.000Z"
USAGE = {"input_tokens": 1_000, "output_tokens": 9}


def talk(session: str = "s1") -> Transcript:
    return Transcript(session, start=START, uuid_prefix=session).user("Build it")


def living(root: Path) -> Live:
    made = Live(root, elsewhere=lambda _: {("-repo", "s1"): BoardSpend(tokens=7)})
    made.roots = [replace(one, tombstones=str(root / "forgotten.jsonl")) for one in made.roots]
    return made


def key(live: Live) -> tuple[str, str, str]:
    return live.roots[0].path, "-repo", "s1"


def on_board(live: Live, seconds: float) -> list[str]:
    return [row.session.id for row in live.board(seconds).rows]


def test_it_leaves_with_what_it_spent(tmp_path: Path) -> None:
    live = living(tmp_path).wrote(talk().says("Done", usage=USAGE, id="m1")).wrote(talk("s2"))
    assert sorted(on_board(live, 3)) == ["s1", "s2"]
    assert live.board(4).today.tokens == 1_009
    forget(live.roots[0].tombstones, [key(live)], 1)

    assert on_board(live, 5) == ["s2"]
    assert live.board(30).today == BoardSpend()


def test_nothing_brings_it_back_but_a_restoration(tmp_path: Path) -> None:
    made = talk()
    live = living(tmp_path).wrote(made).runs("s1", "busy", 1)
    assert on_board(live, 2) == ["s1"]
    forget(live.roots[0].tombstones, [key(live)], 1)

    live.hook("PermissionRequest", 3, tool_name="Bash", tool_input={"command": "ls"})
    assert on_board(live.runs("s1", "busy", 4), 5) == []
    restore(live.roots[0].tombstones, [key(live)], 1)
    assert on_board(live.wrote(made.says("Done"), 6), 7) == ["s1"]
