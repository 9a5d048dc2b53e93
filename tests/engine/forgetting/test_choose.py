"""Which sessions are meant, and which of their files lie on disk."""

from pathlib import Path

import pytest
from msgspec import structs

from tests.cli.made import talk
from unspool.cli.config import open_stores
from unspool.engine.forgetting.choose import (
    by_file,
    files_of,
    in_project,
    prompts_in_history,
    with_secrets,
)
from unspool.engine.indexing.backfill import build
from unspool.engine.stores import Stores
from unspool.errors import Ambiguous, NotFound
from unspool.source.forgotten import forget
from unspool.source.spool import append

KEY = "sk-ant-api03-" + "Ab1" * 31 + "AA"
PROJECT = "-home-dev-kettle"
NOW = 1_790_000_000_000


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    for session, day in (("session-one", 1), ("session-two", 2)):
        talk(session, day).save(tmp_path / "claude")
    return tmp_path / "claude"


def indexed() -> Stores:
    stores = open_stores()
    build(stores.writing, stores.roots, stores.prices(), NOW, spool=stores.spool)
    return stores


def secrets(stores: Stores) -> dict[str, int]:
    told: list[tuple[int, int]] = []
    with stores.reading_sessions() as sessions, stores.reading() as (store, _):
        progress = lambda done, total: told.append((done, total))  # noqa: E731
        found = with_secrets(sessions, store, stores.roots, progress)
    assert told[-1][0] == told[-1][1]
    return {one.session_id: sum(one.secrets.values()) for one in found}


def test_a_session_is_described_by_what_its_reader_knows_it_by(place: Path) -> None:
    with open_stores().reading_sessions() as sessions:
        found = by_file(sessions, sessions.find("session-one"), is_sure=False)

    assert found.key == (str(place), PROJECT, "session-one")
    assert found.title == "alpha prompt of session-one"


def test_an_id_that_two_projects_have_is_chosen_by_who_is_sure(place: Path) -> None:
    talk("session-one", 3, cwd="/home/dev/other").save(place)
    with open_stores().reading_sessions() as sessions:
        file = sessions.find("session-one")
        with pytest.raises(Ambiguous) as error:
            by_file(sessions, file, is_sure=False)
        assert by_file(sessions, file, is_sure=True).project_id == "-home-dev-other"

    assert error.value.candidates == (PROJECT, "-home-dev-other")


def test_a_project_is_named_whole_or_by_a_part_that_no_other_has(place: Path) -> None:
    talk("session-three", 3, cwd="/home/dev/kettle/lid").save(place)
    with open_stores().reading_sessions() as sessions:
        assert len(in_project(sessions, PROJECT)) == 2
        assert [one.session_id for one in in_project(sessions, "LID")] == ["session-three"]
        with pytest.raises(Ambiguous):
            in_project(sessions, "kettle")
        with pytest.raises(NotFound):
            in_project(sessions, "teapot")


def test_sessions_that_only_hooks_know_are_of_their_project(place: Path, home: Path) -> None:
    event = b'{"hook_event_name":"Stop","session_id":"hooked","cwd":"/home/dev/kettle"}'
    append(home / "unspool" / "spool", [event], NOW)
    with open_stores().reading_sessions() as sessions:
        found = {one.session_id for one in in_project(sessions, PROJECT)}

    assert found == {"session-one", "session-two", "hooked"}


def test_a_secret_is_found_wherever_it_is_stored(place: Path, home: Path) -> None:
    talk("session-line", 3).user(f"ANTHROPIC_API_KEY={KEY}").save(place)
    talk("session-file", 4).save(place)
    output = place / "projects" / PROJECT / "session-file" / "tool-results" / "b1.txt"
    output.parent.mkdir(parents=True)
    output.write_text(f"ANTHROPIC_API_KEY={KEY}")
    told = b'{"hook_event_name":"UserPromptSubmit","session_id":"session-two","prompt":"%b"}'
    append(home / "unspool" / "spool", [told % KEY.encode()], NOW)

    assert secrets(indexed()).keys() == {"session-line", "session-file", "session-two"}


def test_where_there_is_none_nobody_is_named(place: Path) -> None:
    assert secrets(indexed()) == {}


def test_files_are_named_also_when_the_session_is_forgotten_already(place: Path) -> None:
    stores = open_stores()
    with stores.reading_sessions() as sessions:
        one = by_file(sessions, sessions.find("session-one"), is_sure=False)
    before = files_of(stores.roots, one)
    forget(stores.tombstones, [one.key], NOW)

    assert before == [str(place / "projects" / PROJECT / "session-one.jsonl")]
    assert files_of(stores.roots, one) == before
    assert files_of(stores.roots, structs.replace(one, root="/elsewhere")) == []


def test_a_link_is_named_and_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("")
    (place / "todos").mkdir()
    (place / "todos" / "session-one.json").symlink_to(tmp_path / "mine")
    stores = open_stores()
    with stores.reading_sessions() as sessions:
        one = by_file(sessions, sessions.find("session-one"), is_sure=False)

    assert str(place / "todos" / "session-one.json") in files_of(stores.roots, one)
    assert not any("precious" in path for path in files_of(stores.roots, one))


def test_prompts_in_the_history_are_counted(place: Path) -> None:
    (place / "history.jsonl").write_text('{"sessionId":"session-one"}\n{"sessionId":"x"}\n')

    assert prompts_in_history(str(place), "session-one") == 1
    assert prompts_in_history(str(place / "none"), "session-one") == 0
