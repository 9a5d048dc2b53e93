"""ccusage itself, on the same files: equal where its rules are ours, explained where not."""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from tests.cli.runs import here
from unspool.decode.prices import price_table
from unspool.demo import Transcript, generate
from unspool.derive.usage.ccusage import VERSION, CcusageEntry, ccusage_price
from unspool.derive.usage.compare import Comparison, PriceTables
from unspool.derive.usage.explain import group_responses
from unspool.engine.usage.explain import gather
from unspool.source.prices import bundled
from unspool.source.roots import find_roots
from unspool.source.session_files import transcript_files

TABLE = price_table(bundled(), None)
DAY = 86_400_000
NATIVE = "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage"
CENT = 0.005

Cell: TypeAlias = tuple[str, str]  # day and model
Tokens: TypeAlias = tuple[int, int, int, int]


class Figures(NamedTuple):
    """Tokens and dollars of a day and a model."""

    tokens: Tokens
    usd: float


@pytest.fixture(scope="session")
def ccusage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program; its package comes without the right to run it."""
    peers = os.environ.get("UNSPOOL_PEERS", "")
    if not (Path(peers) / NATIVE).is_file():
        why = f"no ccusage in UNSPOOL_PEERS ({peers or 'not set'}): npm install ccusage@{VERSION}"
        (pytest.fail if os.environ.get("UNSPOOL_REQUIRE_PEERS") == "1" else pytest.skip)(why)
    program = tmp_path_factory.mktemp("peers") / "ccusage"
    shutil.copy(Path(peers) / NATIVE, program)
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module", params=[1, 2, 3])
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ccusage") / "root"
    generate(path, mb=3, seed=request.param, prices=json.loads(bundled()))
    return path


def report(ccusage: Path, root: Path, *words: str) -> dict[str, Any]:
    """What ccusage prints, in a home of its own and without the network."""
    env = {"HOME": str(ccusage.parent), "CLAUDE_CONFIG_DIR": str(root), "TZ": "UTC"}
    command = [str(ccusage), *words, "--json", "--offline"]
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def theirs(ccusage: Path, root: Path) -> dict[Cell, Figures]:
    """What ccusage says, by day and model."""
    return _cells(report(ccusage, root, "claude", "daily"))


def ours(capsys: pytest.CaptureFixture[str], root: Path) -> dict[Cell, Figures]:
    return _cells(json.loads(here(capsys, "cost", "daily", "--json", "--root", root).out))


def _cells(document: dict[str, Any]) -> dict[Cell, Figures]:
    names = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")
    return {
        (row["date"], model["modelName"]): Figures(
            tuple(model[name] for name in names), model["cost"] or 0.0
        )
        for row in document["daily"]
        for model in row["modelBreakdowns"]
    }


def compared(root: Path) -> Comparison:
    """What `cost explain` compares, for all sessions of a root at once."""
    (found,) = find_roots([root], {}, root)
    files = [file for file in transcript_files(found) if file.kind not in ("journal", "hook_log")]
    paths = sorted(files, key=lambda file: file.path)
    made = gather((file, Path(file.path).read_bytes().split(b"\n")) for file in paths)
    tables = PriceTables(TABLE, TABLE)
    return Comparison(group_responses(made.records), made.reads, tables, lambda ms: ms // DAY)


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1_000, UTC).date().isoformat()


def explained(comparison: Comparison) -> dict[Cell, Figures]:
    """What explain takes ccusage to say."""
    tokens: dict[Cell, Counter[int]] = {}
    pico: Counter[Cell] = Counter()
    for entry in (one for found in comparison.theirs.values() for one in found):
        cell = _day(entry.at), entry.name
        tokens.setdefault(cell, Counter()).update(dict(enumerate(_tokens(entry))))
        pico[cell] += ccusage_price(entry, TABLE) or 0
    return {
        cell: Figures((found[0], found[1], found[2], found[3]), pico[cell] / 10**12)
        for cell, found in tokens.items()
    }


def _tokens(entry: CcusageEntry) -> Tokens:
    return entry.input, entry.output, entry.write_5m + entry.write_1h, entry.read


def different(comparison: Comparison) -> Iterator[Cell]:
    """Days and models that a response which differs touches, on either side."""
    for response in comparison.ours:
        if comparison.gap(response).rule:
            yield _day(response.first_at or 0), response.record.message.model
            for entry in comparison.theirs.get(response.key, []):
                yield _day(entry.at), entry.name
    for entry in comparison.theirs.get(None, []):
        yield _day(entry.at), entry.name


def test_where_the_rules_are_the_same_so_are_the_figures(
    ccusage: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, other = ours(capsys, root), theirs(ccusage, root)
    same = (mine.keys() | other.keys()) - set(different(compared(root)))

    assert len(same) > 20
    for cell in same:
        assert mine[cell].tokens == other[cell].tokens, cell
        assert abs(mine[cell].usd - other[cell].usd) < CENT, cell


def test_where_they_are_not_the_difference_is_what_explain_says(ccusage: Path, root: Path) -> None:
    said, other = explained(compared(root)), theirs(ccusage, root)

    assert {cell: found.tokens for cell, found in said.items()} == {
        cell: found.tokens for cell, found in other.items()
    }
    for cell, found in said.items():
        assert abs(found.usd - other[cell].usd) < CENT, cell


def test_gaps_add_up_to_the_whole_difference(
    ccusage: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compared(root)
    gaps = comparison.gaps()
    mine, other = ours(capsys, root).values(), theirs(ccusage, root).values()

    for kind in range(4):
        difference = sum(one.tokens[kind] for one in other) - sum(one.tokens[kind] for one in mine)
        assert sum(gap.tokens[kind] for gap in gaps) == difference
    spent = sum(one.usd for one in other) - sum(one.usd for one in mine)
    assert abs(sum(gap.pico for gap in gaps) / 10**12 - spent) < CENT


def test_every_gap_has_a_rule_that_is_named(root: Path) -> None:
    rules = {rule for gap in compared(root).gaps() for rule in gap.rule.split("; ")}

    assert "priced differently" not in rules
    assert len(rules) > 8


MODELS = [
    "claude-opus-4-0", "claude-3-5-sonnet-latest", "claude-opus-5-5", "claude-sonnet-4-5@20250929",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4.5", "gpt-5",
    "glm-4.6", "deepseek-chat", "claude-2.1", "nobody", *TABLE.models, *TABLE.aliases,
]  # fmt: skip


def test_no_figure_that_explain_gives_is_another_than_ccusage_s(
    ccusage: Path, tmp_path: Path
) -> None:
    """Of a model that ccusage prices and we do not, explain gives none."""
    usage = {"input_tokens": 1_000, "output_tokens": 1_000}
    for number, model in enumerate(MODELS):
        made = Transcript(session=f"s{number}", model=model)
        made.says("x", usage=usage, id=f"msg_{number}").save(tmp_path)
    said = {cell: found.usd for cell, found in theirs(ccusage, tmp_path).items()}
    comparison = compared(tmp_path)
    unknown = set(comparison.unknown_models())

    assert {"gpt-5", "glm-4.6"} <= unknown
    for (_, model), found in explained(comparison).items():
        (usd,) = (said[cell] for cell in said if cell[1] == model)
        assert model in unknown or abs(found.usd - usd) < 1e-9, model


@pytest.mark.parametrize("kind", ["daily", "weekly", "monthly", "session"])
@pytest.mark.parametrize("agent", [(), ("claude",)], ids=["all", "claude"])
def test_a_row_has_every_key_that_a_row_of_ccusage_has(
    ccusage: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    agent: tuple[str, ...],
) -> None:
    Transcript(model="claude-opus-4-1").says("x").save(tmp_path)
    # Its weeks begin on Mondays where it reports all agents.
    start = "sunday" if agent else "monday"
    said = here(capsys, "cost", kind, "--json", "--root", tmp_path, "--start-of-week", start)
    (mine,) = next(iter(json.loads(said.out).values()))
    reported = report(ccusage, tmp_path, *agent, kind).values()
    (other,) = next(rows for rows in reported if isinstance(rows, list))

    assert mine.keys() >= other.keys()
    for key in ("period", "agent", "metadata", "date", "week", "month", "sessionId"):
        assert mine.get(key) == other[key] if key in other else True, key
