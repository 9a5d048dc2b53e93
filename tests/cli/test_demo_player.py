import subprocess
import sys
from pathlib import Path

from tests.waiting import until
from unspool.cli.demo_quota import demo_home
from unspool.engine.quota import latest_quota


def test_it_writes_running_sessions_and_ends_with_the_process_that_started_it(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-P", "-m", "unspool.cli.demo_player", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as player:
        try:
            assert until(lambda: len(list(tmp_path.glob("sessions/*.json"))) == 4)
            assert until(lambda: len(list(tmp_path.glob("projects/*/*.jsonl"))) == 4)
            assert until(lambda: latest_quota(str(demo_home(tmp_path))) is not None)
            assert player.stdin is not None
            player.stdin.close()  # as when its parent is gone
            player.wait(60)
        finally:
            player.kill()
