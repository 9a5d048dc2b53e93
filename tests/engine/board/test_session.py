"""One session of the board by itself."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

from tests.engine.live import Live, at
from tests.engine.roots import PRICES, append, listed, saved, setting
from unspool.demo import Transcript
from unspool.derive.transcript import Views
from unspool.derive.usage.prices import Pricer
from unspool.engine.board.session import BoardSession, BoardTerms
from unspool.engine.sessions.live_session import LiveSession
from unspool.model.alerts import AlertRule, EditingRule

START = "2026-01-01T00:00:00.000Z"


def opened(root: Path, *made: Transcript, rules: Sequence[AlertRule] = ()) -> BoardSession:
    """A session of the board, with all its files."""
    (path, *_) = saved(root, *made)
    session = BoardSession("s1", "-repo", BoardTerms(Pricer(PRICES), rules, frozenset(), at(0)))
    listener = session.listener if rules else None
    views = Views.USAGE
    session.follow(LiveSession(listed(path), setting(), views=views, listener=listener))
    return session


def talk(prompt: str, **options: str) -> Transcript:
    return Transcript("s1", start=START, **options).user(prompt).says("x")


def test_what_did_not_change_is_not_worked_out_again(tmp_path: Path) -> None:
    made = opened(tmp_path, talk("go"))

    assert made.row(at(5), 0).metrics is made.row(at(6), 0).metrics


def test_alerts_are_kept_but_not_for_ever(tmp_path: Path) -> None:
    made = talk("go")
    for number in range(30):
        made.calls("Write", file_path=f"/f{number}", content="").returns("ok")
    watched = opened(tmp_path, made, rules=[EditingRule(name="often", times=1)])
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


def test_a_file_that_is_closed_changes_nothing(tmp_path: Path) -> None:
    made = opened(tmp_path, talk("go"))
    path = tmp_path / "projects" / "-repo" / "s1.jsonl"
    before = made.row(at(5), 0)
    path.unlink()
    path.symlink_to(tmp_path)
    made.read(str(path), at(5))

    assert made.row(at(5), 0) == before


def test_an_errand_is_named_by_the_sidecar_else_by_the_prompt_else_by_the_agent(
    tmp_path: Path,
) -> None:
    agent = Transcript("s1", start=START, agent="a1").calls("Grep", pattern="x")
    (path,) = saved(tmp_path, agent)

    def errands() -> tuple[str, ...]:
        return Live(tmp_path).row(3).agents

    assert errands() == ("a1",)
    append(path, Transcript("s1", start=START, agent="a1", uuid_prefix="b-").user("Look").bytes())
    assert errands() == ("Look",)
    path.with_suffix(".meta.json").write_text('{"description": "Find it"}')
    assert errands() == ("Find it",)


def test_a_page_that_takes_long_does_not_hold_up_the_board(tmp_path: Path) -> None:
    made, more = opened(tmp_path, talk("go")), talk("go").user("more").bytes()
    path = tmp_path / "projects" / "-repo" / "s1.jsonl"
    before = made.row(at(5), 0)
    held, free = Event(), Event()

    def hold() -> None:
        assert made.live is not None
        with made.live.lock:
            held.set()
            free.wait(60)

    page = Thread(target=hold)
    page.start()
    held.wait(60)
    append(path, more[path.stat().st_size :])
    made.read(str(path), at(5))
    meanwhile = made.row(at(5), 0)
    free.set()
    page.join()

    assert meanwhile == before
    assert made.row(at(5), 0).metrics.message_count == (before.metrics.message_count or 0) + 1
