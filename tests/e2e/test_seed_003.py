"""The session engine's success criteria, each by its own name, asked of the server."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest

from tests.cli.runs import here
from tests.serve.served import Served, served
from tests.waiting import ENOUGH
from unspool.demo import Transcript
from unspool.demo.generator import generate
from unspool.engine.transcripts import reader as transcript
from unspool.source.prices import bundled
from unspool.source.roots import find_roots
from unspool.source.watch import Watcher


@pytest.fixture
def home_of_one(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def opened(place: Path, made: Transcript) -> Any:
    """One session's document, as the server gives it."""
    made.save(place)
    with served(place) as site:
        (row,) = site.ask("/api/sessions").json()["items"]
        return site.ask(path_of(row)).json()


def path_of(row: Any) -> str:
    return f"/api/sessions/{row['session']['projectId']}/{row['session']['id']}"


def test_the_watcher_detects_new_content_within_200_ms(home_of_one: Path) -> None:
    path = Transcript(session="s").user("hello").save(home_of_one)
    late, stop, deadline = [ENOUGH], Event(), monotonic() + ENOUGH
    with Watcher(find_roots([home_of_one], {}, home_of_one)) as watcher:
        # A busy machine may keep some of them waiting, and never all.
        while min(late) >= 0.2 and monotonic() < deadline:
            with path.open("ab") as file:
                file.write(Transcript(session="s").says("more").bytes())
            written = monotonic()
            batch = watcher.next(stop, ENOUGH)
            late.append(monotonic() - written)
            assert [one.path for one in batch] == [str(path)]

    assert min(late) < 0.2


def test_the_parser_reads_all_six_entry_types(home_of_one: Path) -> None:
    made = Transcript(session="s").user("ask").says("answer").system("informational", content="x")
    made.entry("summary", summary="what it was", leafUuid="u")
    made.entry("file-history-snapshot", messageId="m", snapshot={}, isSnapshotUpdate=False)
    made.entry("queue-operation", operation="enqueue", content="next")
    made.save(home_of_one)
    with served(home_of_one) as site:
        (row,) = site.ask("/api/sessions").json()["items"]
        lines = [site.ask(f"{path_of(row)}/raw/{n}").json() for n in range(1, 7)]

    assert [(line["type"], line["state"]) for line in lines] == [
        (kind, "entry")
        for kind in (
            "user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation"
        )
    ]  # fmt: skip


def test_user_messages_start_new_chunks(home_of_one: Path) -> None:
    made = Transcript(session="s").user("one").thinks("hm").calls("Bash", command="ls").returns("x")
    made.says("done").user("two").says("yes").compacts().user("three").says("no")
    chunks = opened(home_of_one, made)["chunks"]

    kinds = ["user", "ai", "user", "ai", "compact", "user", "ai"]
    assert [chunk["type"] for chunk in chunks] == kinds
    assert [len(chunk["messages"]) for chunk in chunks][:4] == [1, 4, 1, 1]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("seed") / "root"
    generate(place, mb=2, seed=9, prices=json.loads(bundled()))
    return place


def every(site: Served) -> Iterator[Any]:
    """All documents of a server, agents' included."""
    cursor = ""
    while cursor is not None:
        page = site.ask("/api/sessions", params={"limit": 200, "cursor": cursor}).json()
        for row in page["items"]:
            document = site.ask(path_of(row)).json()
            yield document
            for agent in document["subagents"]:
                yield site.ask(f"{path_of(row)}/subagents/{agent['id']}").json()
        cursor = page["nextCursor"]


def test_more_than_95_percent_of_results_are_linked_to_their_calls(generated: Path) -> None:
    with served(generated) as site:
        calls = [call for one in every(site) for call in one["toolExecutions"]]
    linked = sum(call["resultLine"] is not None for call in calls)
    unanswered = sum(call["state"] in ("no_result", "running", "interrupted") for call in calls)

    assert len(calls) > 200
    assert linked / (len(calls) - unanswered) > 0.95


def test_subagents_are_found_in_both_directory_structures(home_of_one: Path) -> None:
    main = Transcript(session="s", cwd="/repo").user("go")
    for agent in ("new1", "old1"):
        main.calls("Task", description=agent, prompt=f"do {agent}", subagent_type="x")
        main.returns("ok", result={"agentId": agent})
    new = Transcript(session="s", cwd="/repo", agent="new1").user("do new1").says("ok")
    old = Transcript(session="s", cwd="/repo", agent="old1").user("do old1").says("ok")
    new.save(home_of_one)
    old.write(main.path_in(home_of_one).with_name("agent-old1.jsonl"))
    found = opened(home_of_one, main)["subagents"]

    assert {one["id"]: one["proof"] for one in found} == {"new1": "agentId", "old1": "agentId"}
    assert all(one["parentTaskId"] for one in found)


def test_context_is_attributed_to_seven_categories(tmp_path: Path, home_of_one: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "CLAUDE.md").write_text("x" * 400)
    (work / "notes.txt").write_text("y" * 800)
    made = Transcript(session="s", cwd=str(work)).user("u" * 186 + " @notes.txt and")
    made.thinks("t" * 80).calls("Bash", command="ls").returns("o" * 200)
    made.calls("TaskCreate", subject="s" * 40, description="d" * 40).returns("Task #1 created")
    made.says("a" * 40)
    (turn,) = opened(home_of_one, made)["context"]["turns"]
    new = turn["new"]

    assert (new["claudeMd"], new["mentionedFiles"], new["userMessages"]) == (100, 200, 51)
    assert new["thinkingText"] == 20 + 10
    assert new["toolOutputs"] >= 50
    assert new["taskCoordination"] > 0
    assert set(new) == {
        "claudeMd", "mentionedFiles", "toolOutputs", "thinkingText", "taskCoordination",
        "userMessages", "skills",
    }  # fmt: skip


def test_costs_match_those_of_claude_devtools(
    home_of_one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = {
        "input_tokens": 300_000, "output_tokens": 1_000,
        "cache_creation_input_tokens": 2_000, "cache_read_input_tokens": 4_000,
    }  # fmt: skip
    made = Transcript(session="s", model="claude-opus-4-6").user("x").says("y", usage=usage)
    made.save(home_of_one)
    asked = ("cost", "--mode", "devtools", "--json", "--root", home_of_one)
    total = json.loads(here(capsys, *asked).out)["totals"]["totalCost"]

    # 5, 25, 6.25 and 0.5 dollars a million; what is above 200,000 input tokens at 10.
    dear = 200_000 * 5 + 100_000 * 10 + 1_000 * 25 + 2_000 * 6.25 + 4_000 * 0.5
    assert total == pytest.approx(dear / 1_000_000)


def test_a_second_request_parses_nothing_again(
    home_of_one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Transcript(session="s").user("one").says("two").save(home_of_one)
    parsed: list[int] = []
    decode_lines = transcript.decode_lines

    def counting(piece: Any) -> Any:
        parsed.append(len(piece.data))
        return decode_lines(piece)

    monkeypatch.setattr(transcript, "decode_lines", counting)
    with served(home_of_one) as site:
        (row,) = site.ask("/api/sessions").json()["items"]
        first = site.ask(path_of(row)).json()
        once = sum(parsed)
        assert site.ask(path_of(row)).json() == first

    assert 0 < once == sum(parsed)


def test_the_three_endpoints_are_there(generated: Path) -> None:
    with served(generated) as site:
        rows = site.ask("/api/sessions?limit=200").json()["items"]
        row = next(row for row in rows if row["agents"])
        whole = site.ask(path_of(row)).json()
        agent = whole["subagents"][0]["id"]

        assert {"chunks", "metrics", "subagents"} <= set(whole)
        assert site.ask(f"{path_of(row)}/metrics").json() == whole["metrics"]
        told = site.ask(f"{path_of(row)}/subagents/{agent}").json()
        assert (told["session"]["id"], told["session"]["isSubagent"]) == (agent, True)
