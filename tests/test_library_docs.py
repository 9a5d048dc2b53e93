"""Every example of docs/library.md and of the README runs, on a generated root."""

import inspect
import re
from pathlib import Path

import pytest

import unspool
from tests.demo.generator.made import PRICES
from unspool.demo import generate

ROOT = Path(__file__).parent.parent
SERVICES = (
    "FileWatcher SessionParser ChunkBuilder ToolExecutionBuilder SubagentResolver ContextTracker"
    " CostCalculator DataCache"
).split()


def examples(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.S)


@pytest.fixture
def root(home: Path) -> Path:
    """A generated root where Claude Code would keep its own."""
    generate(home / ".claude", mb=1, seed=3, prices=PRICES)
    return home / ".claude"


@pytest.mark.parametrize("name", ["docs/library.md", "README.md"])
def test_every_example_runs(root: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = examples(ROOT / name)
    scope: dict[str, object] = {}
    for number, example in enumerate(found):
        exec(compile(example, f"{name}, example {number}", "exec"), scope)  # noqa: S102

    assert len(found) >= 1
    assert capsys.readouterr().out


def test_every_call_is_shown() -> None:
    text = (ROOT / "docs/library.md").read_text()
    calls = [f"unspool.{name}(" for name in ("open", "parse", "price")]
    calls += [f"ws.{name}(" for name in vars(unspool.Workspace) if name[0] != "_"]
    calls += [f"session.{name}(" for name in vars(unspool.Session) if name[0] != "_"]
    values = {"ws.roots", "session.id", "session.path", "session.project_id", "session.title"}
    shown = {
        call for call in calls if call in text or call.rstrip("(") in {*values, "session.status"}
    }

    assert sorted(set(calls) - shown) == []


def test_every_argument_is_shown_beside_its_call_and_no_other() -> None:
    text, shown = (ROOT / "docs/library.md").read_text(), dict[str, set[str]]()
    for section in text.split("```python\n")[1:]:
        calls = set(re.findall(r"\b(?:ws|session|unspool)\.\w+(?=\()", section))
        for call in calls:
            shown.setdefault(call, set()).update(re.findall(r"\b(\w+)=", section))
        assert set(re.findall(r"`(\w+)=", section)) <= set().union(*map(arguments, calls))

    assert {call: missing for call in shown if (missing := arguments(call) - shown[call])} == {}


def arguments(call: str) -> set[str]:
    """The arguments of a documented call that are given by name alone."""
    owners = {"ws": unspool.Workspace, "session": unspool.Session, "unspool": unspool}
    owner, _, name = call.partition(".")
    parameters = inspect.signature(getattr(owners[owner], name)).parameters.values()
    return {one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_of_other_designs_has_its_call(name: str) -> None:
    rows = (ROOT / "docs/library.md").read_text().splitlines()

    assert [row for row in rows if row.startswith("| ") and name in row]
