"""The mirror check, run on small trees."""

import ast
from pathlib import Path

import pytest

from tools.mirror import has_code, main, untested

CODE = "def double(x: int) -> int:\n    return x * 2\n"


def tree(root: Path, **files: str) -> Path:
    """Write files whose names have / spelt as __ and no .py."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_module_that_no_test_of_its_package_imports_is_named(tmp_path: Path) -> None:
    root = tree(tmp_path, src__unspool__derive__story__chunks=CODE)

    assert list(untested(root)) == [Path("src/unspool/derive/story/chunks.py")]
    assert main(root) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from unspool.decode.lines import double\n",
        "from unspool.decode import lines\n",
        "import unspool.decode.lines\n",
        "def test() -> None:\n    from unspool.decode.lines import double\n",
    ],
)
def test_a_test_of_the_package_may_import_it_in_any_way(tmp_path: Path, text: str) -> None:
    root = tree(tmp_path, src__unspool__decode__lines=CODE, tests__decode__test_records=text)

    assert main(root) == 0


def test_it_may_be_reached_by_way_of_others_of_its_package(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        src__unspool__decode__lines=CODE,
        src__unspool__decode__records="from unspool.decode.lines import double\n" + CODE,
        tests__decode__test_records="from unspool.decode.records import double\n",
    )

    assert list(untested(root)) == []


def test_a_module_that_is_loaded_by_its_name_has_a_test_of_that_name(tmp_path: Path) -> None:
    root = tree(tmp_path, src__unspool__cli__show=CODE, tests__cli__test_show="")

    assert list(untested(root)) == []


def test_tests_of_another_package_do_not_count(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        src__unspool__decode__lines=CODE,
        src__unspool__serve__app="from unspool.decode.lines import double\n" + CODE,
        tests__serve__test_app="from unspool.decode import lines\nimport unspool.serve.app\n",
    )

    assert list(untested(root)) == [Path("src/unspool/decode/lines.py")]


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
def test_words_are_not_code(text: str) -> None:
    assert not has_code(ast.parse(text))


def test_a_method_is_code() -> None:
    text = "class Fold:\n    def feed(self, x: int) -> None:\n        self.n += x\n"

    assert has_code(ast.parse(text))
