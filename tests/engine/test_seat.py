"""One session of the board by itself."""

from pathlib import Path

from tests.engine.live import Live, at
from tests.engine.roots import PRICES, saved
from unspool.demo import Transcript
from unspool.derive.usage.prices import Pricer
from unspool.engine.seat import Seat, Terms
from unspool.model.alerts import EditingRule

START = "2026-01-01T00:00:00.000Z"


def seat(*rules: EditingRule) -> Seat:
    return Seat("s1", "-repo", Terms(Pricer(PRICES), rules, frozenset(), at(0)))


def talk(prompt: str, **options: str) -> Transcript:
    return Transcript("s1", start=START, **options).user(prompt).says("x")


def test_what_did_not_change_is_not_worked_out_again(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk("go"))
    made = seat()
    made.read(str(path))

    assert made.row(at(5), 0).metrics is made.row(at(6), 0).metrics


def test_another_main_file_takes_the_place_of_the_first(tmp_path: Path) -> None:
    one, two = saved(tmp_path, talk("one"), talk("two", cwd="/else", uuid_prefix="b-"))
    made = seat()
    made.read(str(one))
    made.read(str(two))
    row = made.row(at(5), 0)

    assert row.session.goal == "two"
    alone = seat()
    alone.read(str(two))
    assert row.metrics == alone.row(at(5), 0).metrics


def test_alerts_are_kept_but_not_for_ever(tmp_path: Path) -> None:
    made = talk("go")
    for number in range(30):
        made.calls("Write", file_path=f"/f{number}", content="").returns("ok")
    (path,) = saved(tmp_path, made)
    watched = seat(EditingRule(name="often", times=1))
    watched.read(str(path))
    alerts = watched.row(at(5), 0).alerts

    assert (len(alerts), alerts[-1].message) == (20, "Edited 1 times: /f29")


def test_more_context_than_fits_is_a_larger_window(tmp_path: Path) -> None:
    used = {"input_tokens": 300_000, "output_tokens": 1}
    made = Transcript("s1", model="claude-haiku-4-5").user("go").says("x", usage=used)

    assert Live(tmp_path).wrote(made).row(3).context_limit == 1_000_000


def test_an_agent_alone_is_a_session_that_has_not_spoken_yet(tmp_path: Path) -> None:
    agent = Transcript("s1", start=START, agent="a1").user("look").calls("Grep", pattern="x")
    row = Live(tmp_path).wrote(agent).row(3)

    assert (row.session.id, row.agents) == ("s1", ("look",))
