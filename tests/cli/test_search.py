import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.made import root, sweep, talk
from tests.cli.runs import Said, here, process, terminal
from tests.examples import examples
from unspool.demo import Transcript
from unspool.engine import freshness
from unspool.model.query import SearchHits
from unspool.store.sqlite.search import hits
from unspool.store.sqlite.store import SqliteStore

Capsys = pytest.CaptureFixture[str]


def search(capsys: Capsys, place: Path, *args: str) -> Said:
    return here(capsys, "search", "--root", place, *args)


def items(said: Said) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said.out)["items"]
    return found


def sessions(said: Said) -> list[str]:
    return [item["sessionId"] for item in items(said)]


def test_hits_are_grouped_by_session_with_what_was_found(tmp_path: Path, capsys: Capsys) -> None:
    said = search(capsys, root(tmp_path), "alpha")

    assert said.out.splitlines()[0] == "alpha prompt of session-one  kettle  session-one"
    assert "  tool result · turn 1 · line 4 · " in said.out
    assert said.out.endswith("\n5 lines in 1 session.\n")


def test_json_has_the_names_of_the_contract(tmp_path: Path, capsys: Capsys) -> None:
    said = search(capsys, root(tmp_path), "thought", "--json")
    (item,) = items(said)

    assert json.loads(said.out)["nextCursor"] is None
    assert item.keys() >= {
        "sessionId", "projectId", "title", "agentId", "turn", "line", "eventId", "kind",
        "timestamp", "snippet", "ranges",
    }  # fmt: skip
    assert (item["kind"], item["ranges"]) == ("thinking", [[6, 13]])


def test_words_of_the_command_line_are_all_wanted(tmp_path: Path, capsys: Capsys) -> None:
    root(tmp_path)

    assert len(items(search(capsys, tmp_path, "alpha", "prompt", "--json"))) == 1
    assert items(search(capsys, tmp_path, "alpha", "absent", "--json")) == []


def test_a_phrase_and_a_beginning_are_found(tmp_path: Path, capsys: Capsys) -> None:
    root(tmp_path)

    assert len(items(search(capsys, tmp_path, '"alpha result"', "--json"))) == 1
    assert items(search(capsys, tmp_path, '"result alpha"', "--json")) == []
    assert len(items(search(capsys, tmp_path, "thou*", "--json"))) == 1


def test_the_newest_come_first_and_the_limit_says_there_is_more(
    tmp_path: Path, capsys: Capsys
) -> None:
    root(tmp_path, *(talk(f"session-{day}", day) for day in range(1, 6)))
    said = search(capsys, tmp_path, "thought", "--limit", "2")
    told = search(capsys, tmp_path, "thought", "--limit", "2", "--json")
    rest = search(
        capsys, tmp_path, "thought", "--json", "--cursor", json.loads(told.out)["nextCursor"]
    )

    assert said.out.endswith("Showing the newest 2 lines. Use --limit for more.\n")
    assert sessions(told) + sessions(rest) == [f"session-{day}" for day in (5, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("option", "value", "found"),
    [
        ("--project", "WEB", ["session-two"]),
        ("--session", "session-tw", ["session-two"]),
        ("--session", "latest", ["session-two"]),
        ("--since", "2026-01-02", ["session-two"]),
        ("--until", "2026-01-01", ["session-one"]),
        ("--until", "2026-01-02", ["session-two", "session-one"]),
    ],
)
def test_filters_leave_what_fits(
    tmp_path: Path, capsys: Capsys, option: str, value: str, found: list[str]
) -> None:
    root(tmp_path, talk(), talk("session-two", 2, cwd="/home/dev/web"))

    assert sessions(search(capsys, tmp_path, "thought", "--json", option, value)) == found


def test_kinds_can_be_chosen(tmp_path: Path, capsys: Capsys) -> None:
    options = ("--kind", "tool-input", "--kind", "prompt", "--json")
    said = search(capsys, root(tmp_path), "alpha", *options)

    assert [item["kind"] for item in items(said)] == ["tool_input", "prompt"]


def test_the_best_come_first_when_asked_for(tmp_path: Path, capsys: Capsys) -> None:
    made = Transcript(session="session-two").user("alpha " * 20).says("alpha and much else " * 9)
    said = search(capsys, root(tmp_path, made), "alpha", "--ranked", "--json", "--limit", "1")

    assert items(said)[0]["kind"] == "prompt"


def test_a_pattern_is_looked_for_line_by_line(tmp_path: Path, capsys: Capsys) -> None:
    said = search(capsys, root(tmp_path), "--regex", "th.{3}ht$", "--json")

    assert [item["snippet"] for item in items(said)] == ["alpha thought"]


def test_a_pattern_may_repeat_what_repeats(tmp_path: Path, capsys: Capsys) -> None:
    said = search(capsys, root(tmp_path), "--regex", "(a+|l)+pha thought$", "--json")

    assert [item["snippet"] for item in items(said)] == ["alpha thought"]


def test_a_pattern_that_cannot_be_used_is_refused(tmp_path: Path, capsys: Capsys) -> None:
    said = search(capsys, root(tmp_path), "--regex", r"(a)\1")

    assert (said.code, said.out) == (2, "")
    assert "back-references are not supported" in said.err


PARTIAL = "unspool: The search ran out of time, so lines may be missing."


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_partial_answer_fails_and_its_warning_is_beside_the_output(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr(hits.TextSearch.search, "__defaults__", (-1.0,))
    said = search(capsys, root(tmp_path), "alpha", *options)

    assert (said.code, said.out.count("alpha answer")) == (1, 1)
    assert said.err.startswith(PARTIAL)
    assert "--since" in said.err


def test_so_does_that_of_a_pattern(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = SearchHits()
    nothing.partial = True
    monkeypatch.setattr(SqliteStore, "search", lambda store, query: nothing)
    said = search(capsys, root(tmp_path), "alpha", "--regex", "--json")

    assert (said.code, json.loads(said.out)["isPartial"]) == (1, True)
    assert said.err.startswith(PARTIAL)


def test_nothing_found_is_a_calm_line_and_no_error(tmp_path: Path, capsys: Capsys) -> None:
    assert search(capsys, root(tmp_path), "absent") == Said(0, "Nothing found.\n", "")


def test_a_small_root_is_indexed_by_the_way(tmp_path: Path, home: Path, capsys: Capsys) -> None:
    search(capsys, root(tmp_path), "alpha")

    assert (home / "unspool" / "index.db").exists()


def test_what_was_written_since_is_found(tmp_path: Path, capsys: Capsys) -> None:
    search(capsys, root(tmp_path), "alpha")
    root(tmp_path, talk("session-two"))

    assert "session-two" in search(capsys, tmp_path, "thought").out


def test_a_large_root_is_not_indexed_by_the_way(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "QUICK", 10)
    said = search(capsys, root(tmp_path), "alpha")

    assert (said.code, said.out) == (1, "")
    assert said.err == "unspool: There is no index yet. `unspool index build` makes one.\n"


def test_an_index_far_behind_is_searched_and_says_so(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(capsys, root(tmp_path), "alpha")
    monkeypatch.setattr(freshness, "QUICK", 10)
    said = search(capsys, root(tmp_path, talk("session-two")), "thought")

    assert "session-one" in said.out
    assert "session-two" not in said.out
    assert "The index is behind" in said.err


def test_a_swept_session_is_found(tmp_path: Path, capsys: Capsys) -> None:
    search(capsys, root(tmp_path), "alpha")
    sweep(tmp_path, "session-one")

    assert "    alpha thought" in search(capsys, tmp_path, "thought").out


def test_another_root_in_the_same_index_is_not_searched(tmp_path: Path, capsys: Capsys) -> None:
    search(capsys, root(tmp_path / "a"), "alpha")
    root(tmp_path / "b", talk("session-two"))

    assert sessions(search(capsys, tmp_path / "b", "thought", "--json")) == ["session-two"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ([], 2),
        (["x", "--kind", "odd"], 2),
        (["x", "--since", "soon"], 2),
        (["x", "--regex", "--ranked"], 2),
        (["x", "--session", "nobody"], 3),
        (["x", "--session", "session-"], 2),
    ],
)
def test_what_cannot_be_asked_has_its_exit_code(
    tmp_path: Path, capsys: Capsys, args: list[str], code: int
) -> None:
    root(tmp_path, talk(), talk("session-two", 2))

    assert search(capsys, tmp_path, *args).code == code


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50))
@given(st.text(max_size=30).filter(lambda text: not text.startswith("-")))
def test_whatever_is_typed_does_not_break_it(tmp_path: Path, capsys: Capsys, text: str) -> None:
    if not (tmp_path / "projects").exists():
        root(tmp_path)

    assert search(capsys, tmp_path, text, "--json").code == 0


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_it_fits_and_marks_what_was_found(tmp_path: Path, columns: int) -> None:
    shown = terminal("search", "thought", "--root", root(tmp_path), columns=columns)

    assert "alpha \x1b[1mthought\x1b[0m" in shown


def test_it_runs_as_a_process(tmp_path: Path) -> None:
    said = process("search", "thought", CLAUDE_CONFIG_DIR=str(root(tmp_path)))

    assert (said.code, "alpha thought" in said.out) == (0, True)
