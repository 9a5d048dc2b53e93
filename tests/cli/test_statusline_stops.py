"""A status line of a session that a usage limit or an API error stopped."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.statuslines import HEAVY, answered, given, process, shown, talk, told, transcript
from unspool.cli import config
from unspool.derive.reading.clock import iso
from unspool.engine.quota import record_quota
from unspool.model.usage import Quota, QuotaWindow

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one session that cost a dollar and a half."""
    answered(answered(talk().user("hi"), 1), 0.5).save(tmp_path)
    return tmp_path


def append(root: Path, made: Any) -> None:
    with transcript(root).open("ab") as file:
        file.write(made.bytes())


LIMIT, FAILURE = "5-hour limit reached ∙ resets 3pm", "API Error: 500 Internal"


def stopped(root: Path, sentence: str, kind: str, **fields: Any) -> Any:
    """The session, whose last request failed a while ago."""
    made = talk(minutes=20, prefix="stop").user("go on").synthetic(sentence, error=kind, **fields)
    append(root, made)
    return made


@pytest.mark.parametrize("kind", ["rate_limit", "server_error"])
def test_a_session_that_stopped_says_why(root: Path, capsys: Capsys, kind: str) -> None:
    state = {"rate_limit": "limited", "server_error": "failed"}[kind]
    stopped(root, FAILURE, kind)

    assert f"Opus | \x1b[31m{FAILURE}\x1b[0m | $1.50" in shown(capsys, given(root)).out
    assert told(capsys, given(root))["status"] == {
        "state": state,
        "until": None,
        "error": FAILURE,
    }


def test_a_limit_says_when_it_is_reset_by_the_reading_it_was_just_given(
    root: Path, capsys: Capsys
) -> None:
    stopped(root, LIMIT, "rate_limit")
    reset = config.now() // 1_000 + 3_600
    limits = {"five_hour": {"used_percentage": 100, "resets_at": reset}}
    clock = time.strftime("%H:%M", time.localtime(reset))

    assert told(capsys, given(root))["status"]["until"] is None
    # Said too long after the stop to be about it, unless it is about the same window.
    record_quota(
        str(config.unspool_home()),
        Quota(config.now() - 1_500_000, QuotaWindow(100, reset * 1_000)),
    )
    assert told(capsys, given(root, rate_limits=limits))["status"]["until"] == iso(reset * 1_000)
    line = shown(capsys, given(root)).out
    assert "usage limit, resets " in line
    assert clock in line


@pytest.mark.parametrize("follows", ["answer", "prompt", "command", "result"])
def test_what_follows_brings_the_session_back(root: Path, capsys: Capsys, follows: str) -> None:
    made = stopped(root, LIMIT, "rate_limit")
    more = talk(minutes=10, prefix="more")
    if follows == "answer":
        more.says("There")
    elif follows == "prompt":
        more.user("Go on")
    elif follows == "command":
        more.user("<command-name>/continue</command-name>")
    else:
        more.returns("ok", call="t1")
    append(root, more)

    assert made is not None
    assert told(capsys, given(root))["status"] is None


def test_notes_reminders_and_lines_of_agents_do_not(root: Path, capsys: Capsys) -> None:
    stopped(root, LIMIT, "rate_limit")
    more = talk(minutes=10, prefix="more").system("turn_duration", durationMs=5_000)
    more.reminder("Mind the gap").entry("last-prompt", lastPrompt="go on")
    more.says("There", isSidechain=True, agentId="a1")
    append(root, more)

    assert told(capsys, given(root))["status"]["state"] == "limited"


def test_a_stop_that_is_over_is_not_told(root: Path, capsys: Capsys) -> None:
    sentence = f"Claude AI usage limit reached|{config.now() // 1_000 - 60}"
    stopped(root, sentence, "rate_limit")

    assert told(capsys, given(root))["status"] is None


def test_a_secret_in_an_error_is_not_shown(root: Path, capsys: Capsys) -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 12
    stopped(root, f"API Error: 401 invalid key {secret}", "authentication_failed")

    assert secret not in shown(capsys, given(root)).out
    assert secret not in shown(capsys, given(root), "--json").out


def test_where_it_is_stopped_the_model_is_not_loaded(root: Path) -> None:
    stopped(root, LIMIT, "rate_limit")
    said, loaded = process(given(root))

    assert LIMIT in said
    assert not loaded & HEAVY
