from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.demo.generator.made import PRICES, Made, readable
from unspool.demo import generate
from unspool.demo.generator.build import SCENARIOS
from unspool.demo.generator.eras import ERAS


def test_every_scene_has_a_name_of_its_own() -> None:
    assert len({scene.name for scene in SCENARIOS}) == len(SCENARIOS)


def test_every_scene_plays_in_known_ages() -> None:
    assert {era for scene in SCENARIOS for era in scene.eras} == set(ERAS)


def test_what_must_come_first_or_last_is_never_drawn_for_the_middle() -> None:
    assert not [scene.name for scene in SCENARIOS if scene.weight and (scene.opens or scene.ends)]


def test_what_copies_its_session_is_never_drawn_for_one_without_a_tape() -> None:
    assert not [scene.name for scene in SCENARIOS if scene.weight and scene.copies]


SYNTHETIC = "<synthetic>"


def digest(root: Path) -> str:
    total = sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        total.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return total.hexdigest()


def transcripts(root: Path) -> list[Path]:
    found = (root / "projects").rglob("*.jsonl")
    return sorted(path for path in found if path.name != "journal.jsonl")


def naive_responses(root: Path) -> dict[str, dict[str, Any]]:
    """Each response once, its largest line kept: a count that knows nothing of the generator."""
    kept: dict[str, dict[str, Any]] = {}
    for path in transcripts(root):
        for line in readable(path.read_bytes()):
            message = line.get("message", {})
            if line["type"] != "assistant" or message["model"] == SYNTHETIC:
                continue
            key = message.get("id") or line.get("requestId") or line["uuid"]
            old = kept.get(key, {"days": [], "stops": [], "usage": {"output_tokens": -1}})
            if message["usage"]["output_tokens"] >= old["usage"]["output_tokens"]:
                old = {**old, "usage": message["usage"], "model": message["model"]}
            old["days"].append(line["timestamp"][:10])
            old["stops"].append(message["stop_reason"])
            kept[key] = old
    return kept


def summed(responses: list[dict[str, Any]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for response in responses:
        usage = response["usage"]
        split = usage.get("cache_creation", {})
        total["messages"] += 1
        total["inputTokens"] += usage["input_tokens"]
        total["outputTokens"] += usage["output_tokens"]
        total["cacheReadTokens"] += usage["cache_read_input_tokens"]
        written = max(usage["cache_creation_input_tokens"], sum(split.values()))
        total["cacheCreationTokens"] += written
        total["ephemeral1hTokens"] += split.get("ephemeral_1h_input_tokens", 0)
        total["webSearches"] += usage.get("server_tool_use", {}).get("web_search_requests", 0)
        total["lowerBound"] += not any(response["stops"])
    return dict(total)


def part_of(truth: dict[str, int], counted: dict[str, int]) -> dict[str, int]:
    return {name: truth[name] for name in counted}


def test_the_totals_are_those_of_a_naive_count(made: Made) -> None:
    counted = summed(list(naive_responses(made.path).values()))

    assert part_of(made.truth.totals, counted) == counted


def test_each_model_has_what_a_naive_count_finds(made: Made) -> None:
    found = list(naive_responses(made.path).values())
    for model, truth in made.truth.models.items():
        counted = summed([response for response in found if response["model"] == model])

        assert part_of(truth, counted) == counted


def test_each_day_has_what_a_naive_count_finds(made: Made) -> None:
    found = naive_responses(made.path).values()
    counted = Counter((min(response["days"]), response["model"]) for response in found)
    truth = {
        (day, model): tally["messages"]
        for day, models in made.truth.days.items()
        for model, tally in models.items()
    }

    assert counted == truth


@pytest.mark.parametrize("field", ["messages", "outputTokens", "usdPico", "lowerBound"])
def test_the_sessions_add_up_to_the_totals(made: Made, field: str) -> None:
    shares = [(held["main"], held["subagents"], held["total"]) for held in made.sessions.values()]

    assert sum(total[field] for _, _, total in shares) == made.truth.totals[field]
    assert all(main[field] + agents[field] == total[field] for main, agents, total in shares)


def test_files_lines_and_bytes_are_those_on_disk(made: Made) -> None:
    data = [path.read_bytes() for path in transcripts(made.path)]
    lines = [line for each in data for line in each.split(b"\n") if line.strip()]
    counts = made.truth.counts

    assert (counts["files"], counts["lines"]) == (len(data), len(lines))
    assert counts["bytes"] == sum(map(len, data))


def test_bad_lines_are_those_that_json_refuses(made: Made) -> None:
    data = [path.read_bytes() for path in transcripts(made.path)]
    lines = [line for each in data for line in each.split(b"\n") if line.strip()]
    good = sum(len(readable(each)) for each in data)

    assert made.truth.counts["badLines"] == len(lines) - good
    assert sum(made.truth.broken.values()) == len(lines) - good


def calls_on_disk(root: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in transcripts(root):
        for line in readable(path.read_bytes()):
            session = line["sessionId"] if "agentId" in line else path.stem
            content = line.get("message", {}).get("content", "")
            blocks = content if isinstance(content, list) else []
            ids = {block["id"] for block in blocks if block["type"] == "tool_use"}
            found.setdefault(session, set()).update(ids)
    return found


def test_every_call_on_disk_is_in_the_truth_of_its_session(made: Made) -> None:
    found = calls_on_disk(made.path)

    assert {name: set(held["tools"]) for name, held in made.sessions.items()} == {
        name: found[name] for name in made.sessions
    }


def test_a_call_has_no_result_just_when_none_is_on_disk(made: Made) -> None:
    data = b"".join(path.read_bytes() for path in transcripts(made.path))
    states = {key: state for held in made.sessions.values() for key, state in held["tools"].items()}
    answered = {key for key in states if b'"tool_use_id":"%s"' % key.encode() in data}

    assert {key for key, state in states.items() if state != "no_result"} == answered


def test_every_scene_is_shown(made: Made) -> None:
    assert list(made.truth.traps) == [scene.name for scene in SCENARIOS]


def test_sessions_spread_over_all_ages(made: Made) -> None:
    days = sorted(made.truth.days)

    assert days[0] < "2025-09-28"
    assert days[-1] > "2026-10-01"


def test_the_root_has_the_files_beside_the_transcripts(made: Made) -> None:
    present = {path.name for path in made.path.iterdir()}

    assert present == {
        *("history.jsonl", "hooks", "plans", "projects"),
        *("tasks", "teams", "todos", "truth.json"),
    }


def test_the_same_seed_writes_the_same_bytes(made: Made, tmp_path: Path) -> None:
    generate(tmp_path / "again", mb=5, seed=1, prices=PRICES)

    assert digest(tmp_path / "again") == digest(made.path)


def test_another_seed_writes_other_bytes(made: Made, tmp_path: Path) -> None:
    truth = generate(tmp_path / "other", mb=0, seed=2, prices=PRICES)

    assert truth.totals != made.truth.totals
    assert truth.traps.keys() == made.truth.traps.keys()


def test_the_root_is_as_large_as_asked_and_tells_of_its_growth(tmp_path: Path) -> None:
    sizes: list[int] = []
    truth = generate(tmp_path / "root", mb=4, prices=PRICES, projects=2, tell=sizes.append)

    assert 4_000_000 <= truth.counts["bytes"] < 5_500_000
    assert sizes == sorted(sizes)
    assert len({held["projectId"] for held in truth.sessions.values()}) == 2 + 3


def test_the_truth_file_is_what_was_returned(made: Made) -> None:
    written = json.loads((made.path / "truth.json").read_bytes())

    assert written["days"] == made.truth.days
    assert written["unpriced"] == made.truth.unpriced == ["vendor/lantern-large"]
