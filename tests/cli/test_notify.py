import json
import sys
from pathlib import Path
from time import monotonic

import msgspec
import pytest

from tests.cli.receivers import Receiver, receiving
from tests.cli.runs import here
from tests.waiting import until
from unspool.cli.notice_channels import words
from unspool.cli.notify import Notifier, findings
from unspool.engine.settings import Notify, UserSettings, settings
from unspool.model.alerts import Alert
from unspool.serve.runtime import Runtime

# Appends what it is given to a file: its arguments, then its input.
KEEP = "import sys; open(sys.argv[1], 'a').write(repr(sys.argv[2:]) + sys.stdin.read())"


def alert(key: str = "k", message: str = "Bash failed") -> Alert:
    return Alert(rule="r", session="s", at=1, message=message, key=key)


def notifier(home: Path, *command: str, timeout: int = 60, at_once: int = 2) -> Notifier:
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


def sending(home: Path, receiver: Receiver, say: list[str], timeout: int = 60) -> Notifier:
    notify = Notify(webhook=f"{receiver.url}/secret", timeout=timeout)
    return Notifier(home, UserSettings(notify=notify), say.append)


def test_two_processes_and_a_restart_send_a_notice_once(tmp_path: Path) -> None:
    with receiving() as receiver:
        for _ in range(2):  # the second time is after a restart
            both = [sending(tmp_path, receiver, []) for _ in range(2)]
            for one in both:
                one.notify([alert("a")])
            for one in both:
                one.close()

    assert len(receiver.posts) == 1


def test_a_dead_webhook_never_delays_and_is_told_once_and_to_the_doctor(tmp_path: Path) -> None:
    trouble: list[str] = []
    with receiving(0) as receiver:
        (tmp_path / "unspool.toml").write_text(f"[notify]\nwebhook = '{receiver.url}/secret'\n")
        made = sending(tmp_path, receiver, trouble, timeout=1)
        began = monotonic()
        made.notify(alert(str(number)) for number in range(300))
        took = monotonic() - began
        assert until(lambda: len(trouble) == 2)
        assert until(lambda: "did not answer" in "".join(details(tmp_path)))
        told = sorted(trouble)

    assert took < 60  # not a second for each
    host = "The webhook http://127.0.0.1/…"
    assert told == [
        f"{host} did not answer within 1 s.",
        f"{host} is too slow: some alerts were dropped.",
    ]


def details(home: Path) -> list[str]:
    return [line for one in findings(home) for line in one.details]


def test_the_doctor_and_so_the_health_page_tell_what_does_not_get_through(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = home / "unspool"
    place.mkdir()
    (place / "unspool.toml").write_text("[notify]\nntfy = 'http://127.0.0.1:1/secret'\n")
    Notifier(place, settings(place), print).notify([alert()])
    assert until((place / "notice-failures.json").exists)
    said = here(capsys, "doctor")

    assert "Some notices do not reach you." in said.out
    assert "The ntfy address http://127.0.0.1/… cannot be reached: Connection refused." in said.out
    assert "secret" not in said.out


def test_a_webhook_that_answers_again_is_well(tmp_path: Path) -> None:
    with receiving(500) as receiver:
        (tmp_path / "unspool.toml").write_text(f"[notify]\nwebhook = '{receiver.url}/secret'\n")
        sending(tmp_path, receiver, []).notify([alert("a")])
        assert until(lambda: details(tmp_path) == ["The webhook http://127.0.0.1/… answered 500."])
    with receiving() as receiver:
        sending(tmp_path, receiver, []).notify([alert("b")])
        assert until(lambda: details(tmp_path) == [])


def test_a_failure_of_what_is_no_longer_in_the_settings_is_none(tmp_path: Path) -> None:
    with receiving(500) as receiver:
        made = sending(tmp_path, receiver, [])
        made.notify([alert("a")])
        assert until((tmp_path / "notice-failures.json").exists)

    assert details(tmp_path) == []


def test_a_desktop_that_can_show_nothing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "unspool.toml").write_text("[notify]\ndesktop = true\n")

    assert details(tmp_path) == [
        "notify-send is not installed: there are no desktop notifications."
    ]


def served(home: Path) -> None:
    found = Runtime(
        url="http://localhost:4100", port=4100, pid=1, token="t-secret", ingest_token="i-secret",
        open="http://u-1.localhost:4100/enter#t=code-secret",
    )  # fmt: skip
    (home / "runtime.json").write_bytes(msgspec.json.encode(found))


def test_a_notice_leads_to_its_session_where_the_browser_is_signed_in(tmp_path: Path) -> None:
    served(tmp_path)
    about = msgspec.structs.replace(alert("a"), project="-dev-kettle", session="s1")
    with receiving() as receiver:
        made = sending(tmp_path, receiver, [])
        made.notify([about])
        made.notify([msgspec.structs.replace(alert("b"), session="")])
        assert until(lambda: len(receiver.posts) == 2)

    urls = [json.loads(post.body)["url"] for post in receiver.posts]
    assert urls == ["http://u-1.localhost:4100/s/-dev-kettle/s1", "http://u-1.localhost:4100/"]
    assert not any(b"secret" in post.body for post in receiver.posts)


def test_no_secret_leaves_in_a_message_or_a_title(tmp_path: Path) -> None:
    secret = "export DB_PASSWORD=hunter2x"
    hostile = msgspec.structs.replace(alert("a", secret), title=f"kettle: {secret}")
    with receiving() as receiver:
        sending(tmp_path, receiver, []).notify([hostile])
        assert until(lambda: receiver.posts)

    assert b"hunter2x" not in receiver.posts[0].body
    assert receiver.posts[0].body.count(b"[redacted: password]") == 4
