import json
import os
import socket
from email.header import decode_header, make_header
from pathlib import Path
from time import monotonic

import pytest

from tests.cli.receivers import noting_program, receiving
from unspool.cli.notice_channels import Channel, Notice, channels, desktop_command, shown_address
from unspool.engine.settings import Notify
from unspool.model.alerts import Alert

URL = "http://u-1.localhost:4100/s/-dev-kettle/s1"


def notice(message: str = "Asks you: which lid?", title: str = "kettle: Fix the lid") -> Notice:
    alert = Alert(
        rule="question", session="s1", at=5, message=message, key="k", project="p", title=title
    )
    return Notice(alert=alert, url=URL)


def only(notify: Notify) -> Channel:
    (found,) = channels(notify)
    return found


def test_a_webhook_gets_json_with_a_text_and_the_address_of_the_session() -> None:
    with receiving() as receiver:
        assert only(Notify(webhook=f"{receiver.url}/hook?key=1")).send(notice()) == ""

    (post,) = receiver.posts
    assert (post.path, post.headers["Content-Type"]) == ("/hook?key=1", "application/json")
    assert json.loads(post.body) == {
        "text": f"unspool: kettle: Fix the lid\nAsks you: which lid?\n{URL}",
        "rule": "question",
        "message": "Asks you: which lid?",
        "title": "kettle: Fix the lid",
        "session": "s1",
        "project": "p",
        "at": 5,
        "url": URL,
    }


def test_no_text_of_a_session_calls_everybody_in_slack() -> None:
    with receiving() as receiver:
        only(Notify(webhook=receiver.url)).send(notice("<!channel> & <http://x|y>"))

    assert "&lt;!channel&gt; &amp; &lt;http://x|y&gt;" in json.loads(receiver.posts[0].body)["text"]


def test_ntfy_gets_the_message_a_title_and_what_a_click_opens() -> None:
    with receiving() as receiver:
        assert only(Notify(ntfy=f"{receiver.url}/topic")).send(notice("Wörter")) == ""

    (post,) = receiver.posts
    assert (post.path, post.body.decode()) == ("/topic", "Wörter")
    assert (post.headers["Title"], post.headers["Click"]) == ("unspool: kettle: Fix the lid", URL)


def test_a_title_in_any_script_arrives_at_ntfy() -> None:
    with receiving() as receiver:
        only(Notify(ntfy=f"{receiver.url}/topic")).send(notice(title="ケトル"))

    title = receiver.posts[0].headers["Title"]
    assert str(make_header(decode_header(title))) == "unspool: ケトル"


@pytest.mark.parametrize("status", [301, 404, 500])
def test_an_answer_that_is_no_success_is_told_and_not_followed(status: int) -> None:
    with receiving(status) as receiver:
        assert only(Notify(webhook=receiver.url)).send(notice()) == f"answered {status}."

    assert len(receiver.posts) == 1


def test_a_server_that_never_answers_is_given_up() -> None:
    began = monotonic()
    with receiving(0) as receiver:
        said = only(Notify(webhook=receiver.url, timeout=1)).send(notice())

    assert said == "did not answer within 1 s."
    assert monotonic() - began < 30


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    assert only(Notify(ntfy=f"http://127.0.0.1:{port}/t")).send(notice()) == (
        "cannot be reached: Connection refused."
    )


def test_an_address_is_never_shown_whole() -> None:
    secret = "https://hooks.example.com/services/T0/B0/secret?token=secret"

    assert shown_address(secret) == "https://hooks.example.com/…"
    assert "secret" not in only(Notify(webhook=secret)).name


def test_the_desktop_gets_title_message_and_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting_program(tmp_path / "bin" / "notify-send")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("NOTED", str(tmp_path / "noted"))

    assert only(Notify(desktop=True)).send(notice("a <b>x</b> & y")) == ""
    assert json.loads((tmp_path / "noted").read_text()) == [
        "--app-name=unspool",
        "--",
        "unspool: kettle: Fix the lid",
        f"a &lt;b&gt;x&lt;/b&gt; &amp; y\n{URL}",
    ]


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_no_text_is_an_option_or_a_command_of_the_desktop(platform: str) -> None:
    hostile = '--help"; do shell script "x'
    *fixed, title, body = desktop_command(notice(hostile, hostile), platform)

    assert not any(hostile in word for word in fixed)
    assert (title[:9], body[:7]) == ("unspool: ", " --help")


def test_a_desktop_without_the_program_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert only(Notify(desktop=True)).send(notice()) == (
        "cannot be run: No such file or directory."
    )


def test_every_way_in_the_settings_is_used() -> None:
    every = Notify(command=("x",), desktop=True, webhook="http://h/x", ntfy="http://h/t")

    assert [one.name for one in channels(every)] == [
        "The alert command x",
        "The desktop notification",
        "The webhook http://h/…",
        "The ntfy address http://h/…",
    ]
    assert channels(Notify()) == []
