"""The mirror check, run on small trees."""

from pathlib import Path

import pytest

from tools.mirror import astray, has_code, main, untested

CODE = "def double(x: int) -> int:\n    return x * 2\n"


def tree(root: Path, **files: str) -> Path:
    """Write files whose names have / spelt as __ and no .py."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_module_without_a_test_file_is_named_with_the_file_it_needs(tmp_path: Path) -> None:
    root = tree(tmp_path, src__unspool__derive__story__chunks=CODE)

    needs = (Path("src/unspool/derive/story/chunks.py"), Path("tests/derive/story/test_chunks.py"))
    assert list(untested(root)) == [needs]


def test_a_test_file_without_a_module_is_named(tmp_path: Path) -> None:
    root = tree(tmp_path, tests__derive__test_chunks="")

    assert list(astray(root)) == [Path("tests/derive/test_chunks.py")]


@pytest.mark.parametrize("name", ["tail", "tail_faults", "tail_faults_late"])
def test_a_test_file_may_say_more_after_the_name_of_its_module(tmp_path: Path, name: str) -> None:
    root = tree(tmp_path, **{"src__unspool__source__tail": CODE, f"tests__source__test_{name}": ""})

    assert list(astray(root)) == []


def test_a_test_file_may_stand_for_a_package(tmp_path: Path) -> None:
    root = tree(tmp_path, src__unspool__derive__story__chunks=CODE, tests__derive__test_story="")

    assert list(astray(root)) == []


@pytest.mark.parametrize("room", ["browser", "corpus", "e2e", "fuzz"])
def test_tests_of_the_whole_need_no_module(tmp_path: Path, room: str) -> None:
    root = tree(tmp_path, **{f"tests__{room}__test_cost": ""})

    assert list(astray(root)) == []


def test_the_check_fails_on_either_side(tmp_path: Path) -> None:
    assert main(tree(tmp_path / "a", src__unspool__decode__lines=CODE)) == 1
    assert main(tree(tmp_path / "b", tests__decode__test_lines="")) == 1


def test_a_matching_tree_passes(tmp_path: Path) -> None:
    root = tree(tmp_path, src__unspool__decode__lines=CODE, tests__decode__test_lines="")

    assert main(root) == 0


@pytest.mark.parametrize(
    "text",
    [
        "KINDS = {'user', 'assistant'}\n",
        "class Step:\n    '''A step.'''\n    n: int\n",
        "class Step:\n    @property\n    def last(self) -> int:\n        return self.n - 1\n",
        "class Store:\n    def put(self) -> None: ...\n",
    ],
    ids=["constants", "a struct", "a property that names a value", "a protocol"],
)
def test_words_are_not_code(tmp_path: Path, text: str) -> None:
    root = tree(tmp_path, words=text)

    assert not has_code(root / "words.py")


def test_a_method_is_code(tmp_path: Path) -> None:
    text = "class Fold:\n    def feed(self, x: int) -> None:\n        self.n += x\n"
    root = tree(tmp_path, fold=text)

    assert has_code(root / "fold.py")
