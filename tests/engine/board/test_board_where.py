"""What a row says to somebody who has to answer: all that is asked, and where."""

from pathlib import Path

from tests.engine.live import DEAD, Live
from unspool.demo import Transcript
from unspool.model.session import BoardProcess

COMMAND = "make \\\n  release" + " and more" * 100


def called(command: str = COMMAND) -> Transcript:
    return Transcript("s1").user("go").calls("Bash", command=command)


def test_a_waiting_row_has_the_whole_command_of_its_hook(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called("other"))
    live.hook("PermissionRequest", 2, tool_name="Bash", tool_input={"command": COMMAND})

    assert live.row(4).asks == COMMAND


def test_without_a_hook_the_transcript_has_it(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).runs("s1", "waiting", 2)

    assert live.row(3).asks == COMMAND


def test_who_does_not_wait_asks_nothing(tmp_path: Path) -> None:
    assert Live(tmp_path).wrote(called()).runs("s1", "busy", 2).row(3).asks == ""


def test_a_row_names_the_process_of_its_session(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).runs("s1", "waiting", 2, tmux="api:2", entrypoint="cli")
    pid = int(next(tmp_path.glob("sessions/*.json")).stem)

    assert live.row(3).process == BoardProcess(pid=pid, tmux="api:2", entrypoint="cli")


def test_a_process_that_ended_is_not_named(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called())

    assert live.row(1).process is None
    assert live.runs("s1", "waiting", 2, pid=DEAD).row(3).process is None
