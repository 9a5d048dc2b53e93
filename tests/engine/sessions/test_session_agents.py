"""A session with many agents: what each of them takes does not grow with their number."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tests.engine.roots import root_sessions
from unspool.demo import Transcript
from unspool.engine.sessions.session import SessionReader


def session(path: Path, count: int) -> SessionReader:
    """A session that sent so many agents one by one."""
    main = Transcript().user("go")
    for number in range(count):
        main.calls("Task", id=f"t{number}", prompt=f"part {number}").returns("fine")
        agent = Transcript(agent=f"a{number:03}", uuid_prefix=f"{number}-").user(f"part {number}")
        agent.calls("Bash", id=f"b{number}", command="ls").returns("x").says("fine").save(path)
    main.save(path)
    return root_sessions(path).open("s1")


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called, those of the interpreter included."""
    count = 0

    def counted(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def read_all(found: SessionReader) -> list[str]:
    """What `show` reads."""
    agents = found.document().subagents
    return [found.agent(agent.id).document(bodies=False).session.id for agent in agents]


def test_twice_the_agents_take_twice_the_work(tmp_path: Path) -> None:
    few, many = (session(tmp_path / str(count), count) for count in (40, 80))
    read_all(few), read_all(many)  # what is made once
    least, most = calls_of(lambda: read_all(few)), calls_of(lambda: read_all(many))

    assert (len(read_all(few)), len(read_all(many))) == (40, 80)
    assert most < 2.2 * least
