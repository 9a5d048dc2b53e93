"""What the board forgets of a long session changes no sum."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.engine.indexed import index, roots
from tests.engine.roots import NOW, append, listed, saved, setting
from tests.examples import examples
from unspool.demo import Transcript
from unspool.derive.transcript import Views
from unspool.derive.usage import file_usage
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.ownership import Owners
from unspool.model.document import Metrics
from unspool.store.sqlite.store import SqliteStore

USAGE = {"input_tokens": 3, "output_tokens": 50}
LINES = 40


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if few responses were many."""
    monkeypatch.setattr(file_usage, "_RECENT", 2)


def lines(session: str = "s1", start: str = "2026-01-01T00:00:00.000Z") -> list[bytes]:
    made = Transcript(session, start=start).user("go")
    for number in range(LINES):
        used = {**USAGE, "output_tokens": number}
        made.says(f"answer {number}", usage=used, id=f"m{number}")
    return made.bytes().splitlines(keepends=True)


ALL = lines()


def board_session(path: Path) -> LiveSession:
    return LiveSession(listed(path), setting(), views=Views.USAGE)


def in_full(path: Path) -> Metrics:
    return LiveSession(listed(path), setting()).usage().total


def begun(root: Path, count: int) -> tuple[LiveSession, Path]:
    """A session of so many lines, settled as far as it can be."""
    (path,) = saved(root, Transcript().user("go"))
    path.write_bytes(b"".join(ALL[:count]))
    live = board_session(path)
    live.usage()
    return live, path


def test_it_forgets_all_but_the_last(tmp_path: Path) -> None:
    live, _ = begun(tmp_path, LINES)

    assert len(live.main.fold.usage.rows) == 2


def test_a_line_that_stands_there_again_is_counted_once(tmp_path: Path) -> None:
    live, path = begun(tmp_path, LINES)
    append(path, ALL[3])
    live.read_file(str(path), NOW)

    assert live.usage().total == in_full(path)
    assert live.usage().total.output_tokens == sum(range(LINES - 1))


def test_a_later_line_of_an_old_response_replaces_what_was_counted(tmp_path: Path) -> None:
    live, path = begun(tmp_path, LINES)
    more = Transcript(uuid_prefix="z-").says("more", usage={**USAGE, "output_tokens": 999}, id="m3")
    append(path, more.bytes())
    live.read_file(str(path), NOW)

    assert live.usage().total == in_full(path)
    assert live.usage().total.output_tokens == sum(range(LINES - 1)) - 3 + 999


def test_a_page_has_all_of_it(tmp_path: Path) -> None:
    live, path = begun(tmp_path, LINES)
    live.read_story(setting())

    assert live.usage().total == in_full(path)
    assert sum(turn.metrics.output_tokens for turn in live.assembler("").turns) == sum(
        range(LINES - 1)
    )


def test_what_another_session_turns_out_to_own_is_taken_away(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript("copy").user("go"))
    path.write_bytes(b"".join(lines("copy")))
    index(tmp_path)
    with closing(SqliteStore(tmp_path / "un", mode="ro")) as store:
        owners = Owners(roots(tmp_path), store)
        owners.follow()
        options = structs.replace(setting(), owners=owners)
        live = LiveSession(listed(path), options, views=Views.USAGE)
        live.usage()
        assert len(live.main.fold.usage.rows) == 2
        assert live.usage().total.output_tokens == sum(range(LINES))
        (first,) = saved(tmp_path, Transcript("first").user("go"))
        first.write_bytes(b"".join(lines("first", "2025-12-31T00:00:00.000Z")))
        index(tmp_path)
        owners.follow()
        live.ask_owners()

        assert live.usage().total.output_tokens == 0


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.one_of(st.integers(0, len(ALL) - 1), st.just("rewrite")), max_size=12))
def test_whatever_is_written_the_sum_is_that_of_all_lines(
    tmp_path_factory: pytest.TempPathFactory, story: list[int | str]
) -> None:
    live, path = begun(tmp_path_factory.mktemp("root"), 20)
    for step in story:
        if step == "rewrite":
            path.write_bytes(b"".join(ALL[5:15]))
        else:
            append(path, ALL[int(step)])
        live.read_file(str(path), NOW)
        live.usage()

    assert live.usage().total == in_full(path)
