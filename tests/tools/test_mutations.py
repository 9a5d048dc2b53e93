import ast

import pytest

from tools.mutations import Mutant, mutants, package_of, sample

PATH = "src/unspool/derive/a.py"


def made(source: str) -> list[str]:
    """The modules that its faults make of one."""
    return [one.applied(source.encode()).decode() for one in mutants(PATH, source.encode())]


def texts(source: str, kind: str) -> list[str]:
    return [one.text for one in mutants(PATH, source.encode()) if one.kind == kind]


@pytest.mark.parametrize(
    ("source", "kind", "expected"),
    [
        ("a < b", "comparison", ["(a <= b)", "(a >= b)"]),
        ("a == b != c", "comparison", ["(a != b != c)", "(a == b == c)"]),
        ("a in b", "comparison", ["(a not in b)"]),
        ("a and b", "and/or", ["(a or b)"]),
        ("not a", "not", ["(a)"]),
        ("if a:\n    b", "not", ["(not (a))"]),
        ("x = 0", "constant", ["(-1)", "1"]),
        ("x = True", "constant", ["False"]),
        ("a + b", "arithmetic", ["(a - b)"]),
        ("f()", "removed", ["pass"]),
        ("x += y", "removed", ["pass"]),
        ("def f():\n    return [1]", "returned", ["return []"]),
        ("def f():\n    return x", "returned", ["return None"]),
        ("f(a, b)", "swapped", ["f(b, a)"]),
    ],
)
def test_each_kind_of_fault_is_made(source: str, kind: str, expected: list[str]) -> None:
    assert texts(source, kind) == expected


@pytest.mark.parametrize(
    "source",
    [
        "x: Literal[1]",
        "def f(a: Annotated[int, 1 < 2]) -> Literal[1]: ...",
        "@d(1)\nclass A(B, frozen=True): ...",
        '"""A docstring."""',
        "f(**a, strict=True).x",
        "if TYPE_CHECKING:\n    x = 1",
        "f'{1 + 2}'",
        "f(*a, b)",
        "f(a, a)",
        "max(a, b, key=c)",
        "math.gcd(a, b)",
    ],
)
def test_what_decides_nothing_is_left_alone(source: str) -> None:
    kinds = {one.kind for one in mutants(PATH, source.encode())} - {"removed"}

    assert kinds == set()


def test_every_fault_is_a_module_that_differs_in_that_place_alone() -> None:
    start = "# ü\ndef f(a, b):\n"
    source = f"{start}    if a < 'ü' and (\n        b > 2\n    ):\n        return g(a, b)\n"
    found = made(source)

    assert len(set(found)) == len(found) > 8
    assert source not in found
    for each in found:
        ast.parse(each)
        assert each.startswith(start)


def test_a_fault_knows_its_statement_and_whether_it_runs_at_import() -> None:
    source = b"x = 10\ndef f(a=20):\n    return (\n        30\n    )\n"
    found = [one for one in mutants(PATH, source) if one.kind == "constant"]

    assert {(one.line, one.statement, one.at_import) for one in found} == {
        (1, 1, True),
        (2, 2, True),
        (4, 3, False),
    }


def test_the_same_seed_chooses_the_same() -> None:
    found = mutants(PATH, b"\n".join(b"x%d = %d < y" % (n, n) for n in range(50)))

    assert sample(found, 10, 1) == sample(found, 10, 1)
    assert sample(found, 10, 1) != sample(found, 10, 2)


def test_one_fault_of_a_line_is_enough_and_every_package_has_one() -> None:
    lines = b"\n".join(b"x = %d < %d" % (n, n) for n in range(50))
    large = mutants(PATH, lines)
    small = mutants("src/unspool/redact/b.py", b"x = 1")
    chosen = sample(large + small, 20, 1)
    places = [(one.path, one.line) for one in chosen]

    assert len(chosen) == 20
    assert len(set(places)) == len(places)
    assert {package_of(one.path) for one in sample(large + small, 2000, 1)} == {"derive", "redact"}


@pytest.mark.parametrize(
    ("path", "name"),
    [("src/unspool/derive/story/a.py", "derive"), ("src/unspool/errors.py", "unspool")],
)
def test_a_module_has_a_package(path: str, name: str) -> None:
    assert package_of(path) == name


def test_a_fault_is_shown_in_one_line() -> None:
    (one,) = (one for one in mutants(PATH, b"a and (\n  b\n)") if one.kind == "and/or")

    assert isinstance(one, Mutant)
    assert one.shown(b"a and (\n  b\n)") == f"{PATH}:1 and/or: `a and ( b )` -> `(a or b)`"
