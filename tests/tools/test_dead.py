from pathlib import Path

import pytest

from tools import dead

HERE = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead, "ALLOWED", {})


def package(root: Path, **files: str) -> Path:
    """A package of such modules: a__b is a/b.py, and a command is in cli."""
    for name, text in {"__init__": "", "cli__child": "", **files}.items():
        inside = [] if name.startswith("__") else name.split("__")[:-1]
        path = (root / dead.SOURCE).joinpath(*inside, f"{name.split('__')[-1] or '__init__'}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def found(root: Path) -> list[str]:
    return [fault.partition(" ")[0] for fault in dead.faults(root)]


def test_a_module_that_nothing_imports_is_dead(tmp_path: Path) -> None:
    assert found(package(tmp_path, lonely="")) == ["unspool.lonely"]


def test_what_a_command_imports_is_alive(tmp_path: Path) -> None:
    command = "def run(): from unspool import used; used"

    assert found(package(tmp_path, cli__ls=command, used="", cli__child="run")) == []


def test_dead_modules_do_not_keep_each_other_alive(tmp_path: Path) -> None:
    made = package(tmp_path, a="import unspool.b", b="import unspool.a")

    assert found(made) == ["unspool.a", "unspool.b"]


def test_a_function_that_only_calls_itself_is_dead(tmp_path: Path) -> None:
    assert found(package(tmp_path, cli__child="def again():\n    again()")) == [
        "unspool.cli.child.again"
    ]


def test_what_is_imported_and_not_used_is_dead(tmp_path: Path) -> None:
    made = package(tmp_path, cli__child="from unspool.a import thing", a="def thing(): ...")

    assert found(made) == ["unspool.a.thing"]


def test_what_only_a_dead_module_uses_is_dead(tmp_path: Path) -> None:
    using = "from unspool.a import thing\nthing()"
    made = package(tmp_path, cli__child="import unspool.a", a="def thing(): ...", lost=using)

    assert sorted(found(made)) == ["unspool.a.thing", "unspool.lost"]


@pytest.mark.parametrize(
    "use", ["thing()", "x.thing", "def _f(x: 'thing | None'): ...", "def _f() -> 'thing': ..."]
)
def test_what_is_mentioned_is_alive(tmp_path: Path, use: str) -> None:
    made = package(tmp_path, cli__child=f"from unspool import a\n{use}", a="class thing: ...")

    assert found(made) == []


def test_what_a_template_mentions_is_alive(tmp_path: Path) -> None:
    made = package(tmp_path, cli__child="class _View:\n    def title(self): ...")
    (made / dead.SOURCE / "page.html").write_text("{{ view.title }}")

    assert found(made) == []


@pytest.mark.parametrize(
    ("base", "names"),
    [("Server", []), ("uvicorn.Server", []), ("Ours", ["unspool.cli.child.startup"])],
)
def test_methods_that_another_package_calls_are_alive(
    tmp_path: Path, base: str, names: list[str]
) -> None:
    head = "import uvicorn\nfrom uvicorn import Server\nfrom unspool.a import Ours\n"
    text = f"{head}class _One({base}):\n    def startup(self): ..."

    assert found(package(tmp_path, cli__child=f"{text}\nOurs", a="class Ours: ...")) == names


def test_what_is_allowed_and_alive_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead, "ALLOWED", {"unspool.cli": "a reason", "unspool.lost": "a reason"})

    assert found(package(tmp_path, lost="")) == ["unspool.cli"]


def test_it_fails_when_anything_is_dead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dead.main(package(tmp_path, lonely="")) == 1
    assert capsys.readouterr().out == "unspool.lonely is reached by no import\n"


@pytest.mark.slow  # `make lint` looks too
def test_nothing_here_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    assert list(dead.faults(HERE)) == []
