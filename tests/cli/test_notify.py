import json
import sys
from pathlib import Path

import pytest

from tests.waiting import until
from unspool.cli.notify import Notifier, words
from unspool.engine.settings import Notify, UserSettings
from unspool.model.alerts import Alert

# Appends what it is given to a file: its arguments, then its input.
KEEP = "import sys; open(sys.argv[1], 'a').write(repr(sys.argv[2:]) + sys.stdin.read())"


def alert(key: str = "k", message: str = "Bash failed") -> Alert:
    return Alert(rule="r", session="s", at=1, message=message, key=key)


def notifier(home: Path, *command: str, timeout: int = 20, at_once: int = 2) -> Notifier:
    notify = Notify(command=command, timeout=timeout, at_once=at_once)
    return Notifier(home, UserSettings(notify=notify), print)


def kept(path: Path, parts: int = 1) -> str:
    """What the command has written, as soon as it has."""
    came = until(lambda: path.exists() and path.read_text().count("\n") >= parts)
    return path.read_text() if came else ""


def said(made: list[str], count: int = 1) -> list[str]:
    until(lambda: len(made) >= count)
    return made


def test_a_command_gets_the_message_and_the_alert_as_json(tmp_path: Path) -> None:
    out = tmp_path / "out"
    notifier(tmp_path, sys.executable, "-c", KEEP, str(out), "{message}").notify([alert()])

    shown = kept(out)

    assert shown.startswith("['Bash failed']")
    assert json.loads(shown.removeprefix("['Bash failed']"))["key"] == "k"


def test_an_alert_is_told_once(tmp_path: Path) -> None:
    made = notifier(tmp_path)

    assert [len(made.notify([alert()])), len(made.notify([alert(), alert("l")]))] == [1, 1]


def test_an_alert_is_told_once_over_restarts(tmp_path: Path) -> None:
    notifier(tmp_path).notify([alert()])

    assert notifier(tmp_path).notify([alert()]) == []


def test_an_alert_is_told_by_one_of_two_processes(tmp_path: Path) -> None:
    first, second = notifier(tmp_path), notifier(tmp_path)

    assert [len(first.notify([alert()])), len(second.notify([alert()]))] == [1, 0]


def test_what_is_remembered_stays_bounded(tmp_path: Path) -> None:
    made = notifier(tmp_path)
    made.notify(alert(f"k{number}") for number in range(3_000))

    assert len(json.loads((tmp_path / "alerts.json").read_bytes())) == 2_000


def test_a_file_of_nonsense_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "alerts.json").write_text("{]")

    assert len(notifier(tmp_path).notify([alert()])) == 1


def test_a_home_nobody_can_write_to_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    trouble: list[str] = []
    made = Notifier(tmp_path / "file" / "home", UserSettings(), trouble.append)

    assert [len(made.notify([alert(key)])) for key in "abab"] == [1, 1, 0, 0]
    assert len(trouble) == 1


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (("/no/such/command",), "cannot be run: No such file or directory."),
        ((sys.executable, "-c", "raise SystemExit(3)"), "failed with exit code 3."),
    ],
)
def test_a_command_that_fails_is_told_once(
    command: tuple[str, ...], failure: str, tmp_path: Path
) -> None:
    trouble: list[str] = []
    made = Notifier(
        tmp_path, UserSettings(notify=Notify(command=command, at_once=1)), trouble.append
    )
    made.notify([alert("a"), alert("b")])
    made.close()

    assert [one.endswith(failure) for one in said(trouble)] == [True]


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    trouble: list[str] = []
    notify = Notify(command=(sys.executable, "-c", "import time; time.sleep(60)"), timeout=1)
    Notifier(tmp_path, UserSettings(notify=notify), trouble.append).notify([alert()])

    assert "took more than 1 s" in said(trouble)[0]


def test_telling_never_waits_for_the_command(tmp_path: Path) -> None:
    out, go = tmp_path / "out", tmp_path / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
    write = f"open({str(out)!r}, 'w').write('done\\n')"
    notifier(tmp_path, sys.executable, "-c", wait + write, timeout=60).notify([alert()])
    go.touch()

    assert kept(out) == "done\n"


def test_more_than_the_command_can_take_is_said(tmp_path: Path) -> None:
    trouble: list[str] = []
    notify = Notify(command=(sys.executable, "-c", "import time; time.sleep(2)"), at_once=1)
    made = Notifier(tmp_path, UserSettings(notify=notify), trouble.append)
    made.notify(alert(str(number)) for number in range(300))

    assert any("is too slow" in one for one in trouble)


def test_no_secret_and_no_escape_leaves_with_an_alert(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = notifier(tmp_path, sys.executable, "-c", KEEP, str(out), "{message}")
    made.notify([alert(message="Bash: \x1b[31mexport DB_PASSWORD=hunter2x")])

    assert kept(out).startswith("['Bash: export DB_PASSWORD=[redacted: password]']")


def test_no_shell_reads_a_message() -> None:
    hostile = alert(message="x; $(touch y) `z`")

    assert words(["say", "{rule}: {message}"], hostile) == ["say", "r: x; $(touch y) `z`"]


def test_a_message_is_never_an_option() -> None:
    assert words(["say", "{message}"], alert(message="--help")) == ["say", " --help"]


def test_a_message_that_looks_like_a_name_to_fill_in_stays_as_it_is() -> None:
    assert words(["{message}!"], alert(message="{session}")) == ["{session}!"]
