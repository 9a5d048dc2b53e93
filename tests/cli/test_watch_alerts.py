import json
from pathlib import Path

from tests.cli.receivers import receiving
from tests.waiting import until
from unspool.cli import config
from unspool.cli.watch import alerting
from unspool.demo import Transcript


def home(text: str) -> Path:
    place = config.unspool_home()
    place.mkdir(parents=True, exist_ok=True)
    (place / "unspool.toml").write_text(text)
    return place


def test_without_rules_nothing_is_looked_at(tmp_path: Path) -> None:
    with alerting([str(tmp_path)], print):
        pass

    assert not (config.unspool_home() / "alerts.json").exists()


def test_what_is_wrong_with_the_settings_is_told(tmp_path: Path) -> None:
    home("colour = 'red'")
    said: list[str] = []
    with alerting([str(tmp_path)], said.append):
        pass

    assert [one[:21] for one in said] == ["unspool.toml line 1: "]


def test_what_a_session_does_is_told_while_it_lasts(tmp_path: Path) -> None:
    place = home("[[alerts]]\nwhen = 'error'\n")
    with alerting([str(tmp_path)], print):
        talk = Transcript(session="s", start=config.local_now().isoformat()).user("go")

        def fails() -> bool:
            talk.calls("Bash", command="x").returns("no", failed=True).save(tmp_path)
            return (place / "alerts.json").exists()

        assert until(fails)


def test_a_session_that_has_finished_is_told_to_the_webhook_without_any_rule(
    tmp_path: Path,
) -> None:
    with receiving() as receiver:
        home(f"[notify]\nwebhook = '{receiver.url}'\nkinds = ['finished']\n")
        with alerting([str(tmp_path)], print):
            start = config.local_now().isoformat()
            talk = Transcript(session="s", start=start).user("Fix the lid")
            talk.save(tmp_path)

            def turns() -> bool:
                """Another turn, as nobody tells when the watcher has begun."""
                talk.says("Done.").user("And the handle").save(tmp_path)
                until(lambda: receiver.posts, 0.5)
                talk.says("Done.").save(tmp_path)
                return until(lambda: receiver.posts, 8)

            assert until(turns)

    content = json.loads(receiver.posts[0].body)
    assert (content["rule"], content["session"]) == ("finished", "s")
    assert content["message"] == "Finished, and waits for your prompt"
    assert content["title"].endswith(": Fix the lid")
