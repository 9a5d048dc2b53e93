"""Whatever a transcript holds, twice of it takes about twice as long: no line stops the reader."""

import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import permutations
from re import _parser  # type: ignore[attr-defined] # what a pattern is made of is nowhere else
from types import ModuleType
from typing import Any

import pytest

from tests.growth import LIMIT, exponent
from unspool import redact as package
from unspool.redact import Redactor, redact
from unspool.redact.anonymise import Anonymiser
from unspool.redact.names import KINDS
from unspool.redact.tokens import TOKENS


def modules() -> Iterator[ModuleType]:
    """Every module with rules."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(found.name)


def patterns() -> Iterator[re.Pattern[str]]:
    """Every pattern that a module has, by itself or in a table."""
    for module in modules():
        for value in vars(module).values():
            held = value.values() if isinstance(value, dict) else [value]
            yield from (one for one in held if isinstance(one, re.Pattern))
        for rule in getattr(module, "RULES", ()):
            yield re.compile(re.escape(rule.sign) + rule.rest)


def samples(pattern: re.Pattern[str]) -> set[str]:
    """Short texts that a pattern matches, or begins to: every alternative in one of them."""
    parsed = _parser.parse(pattern.pattern)
    return {sample(parsed, dict(way)) for way in ((), *ways(parsed))}


def ways(parsed: Any, way: tuple[tuple[int, int], ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The alternatives to take to reach each one."""
    for name, value in parsed:
        if str(name) == "BRANCH":
            for number, one in enumerate(value[1]):
                further = (*way, (id(value), number))
                yield further
                yield from ways(one, further)
        elif str(name) in ("MAX_REPEAT", "POSSESSIVE_REPEAT", "SUBPATTERN", "ASSERT"):
            yield from ways(value[-1], way)
        elif str(name) == "ATOMIC_GROUP":
            yield from ways(value, way)


def sample(parsed: Any, taken: dict[int, int]) -> str:
    """A text that a pattern matches with the alternatives taken, otherwise with the first."""
    made = ""
    for name, value in parsed:
        piece = _sample(str(name), value, taken)
        if str(name) == "ASSERT" and value[0] < 0:  # what is looked back at is there already
            known = next(at for at in range(len(made) + 1) if piece.endswith(made[at:]))
            made = made[:known]
        made += piece
    return made


def _sample(name: str, value: Any, taken: dict[int, int]) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
        case "IN":
            return sample(value[:1], taken)
        case "BRANCH":
            return sample(value[1][taken.get(id(value), 0)], taken)
        case "MAX_REPEAT" | "POSSESSIVE_REPEAT":
            return sample(value[2], taken) * max(int(value[0]), 1)
        case "SUBPATTERN" | "ASSERT":
            return sample(value[-1], taken)
        case "ATOMIC_GROUP":
            return sample(value, taken)
    return {"CATEGORY": "1", "NEGATE": "a", "NOT_LITERAL": "a", "ANY": "a"}.get(name, "")


SEPARATORS = ("=", ": ", '":"', '\\": \\"', " is ", "%3D")
PATTERNS = {made for one in patterns() for made in samples(one)} - {""}
NAMES = {f"{name}=" for name in KINDS} | {f"pwd{sign}" for sign in SEPARATORS}
PREFIXES = {one.prefix for one in TOKENS}
KEY = "-----BEGIN PRIVATE KEY-----"
SHAPES = {
    '"', "'", '\\"', "\\", "\\\\n", "\n", "%41", "\x1b[0m", "\\u001b[", "[\\", "a1b2c3d4\n", "://",
    "://a:b@", "@", ":a@", "&sig=", "--", "--password ", " -u a:b", "--token '", "Bearer ",
    "Authorization: Bearer ", "Authorization: AWS4-", "Cookie: a=b", "Cookie: a=b;",
    "/BAAAAAAA/a1b2c3d4", KEY, f"{KEY}\\n", f"abc: {KEY}\n", f'{KEY}","', f'{KEY} {"A1" * 10}","',
    "-----END ", "A1" * 10 + "\n", "eyJa1.", "eyJa1b2c3d4\n", "pwd=a1b2c3d4e5f6g7h8\n", "pwd=!",
    "pypi-\n", "glpat-11111111\n", 'pwd="\\', "pwd='\"", "{", "[", '{"a":', "<task-id>", "/a",
    "\\a:", "Bearer+", 'data": "/9j/',
}  # fmt: skip
MIXED = [
    "pwd=", "token=", 'secret="', "Cookie: a=b", "eyJ.", KEY, "://a:b@", "\\", '"',
    "\n", "a1B2c3D4",
]  # fmt: skip
QUOTED = sorted({*MIXED, *(unit for unit in SHAPES if '"' in unit or "\\" in unit)})


def json_of(text: str) -> bytes:
    return json.dumps({"a": text, "b": text.split("\n"), "c": [json.dumps(text)]}).encode()


WORKS: dict[str, tuple[Callable[[str], Any], Callable[[Any], object]]] = {
    "text": (str, redact),
    "json": (json_of, lambda data: Redactor().json(data)),
    "value": (lambda text: text.split("\n"), lambda value: Redactor().value(value)),
    "head": (str, lambda text: Redactor().head(text, len(text) // 2)),
    "anonymous": (json_of, lambda data: Anonymiser(b"k").json(data)),
    "anonymous, broken": (
        lambda text: b'{"' + text.encode(),
        lambda data: Anonymiser(b"k").json(data),
    ),
}


def unit_exponent(unit: str, end: str, name: str, size: int) -> float:
    """How the time grows with a text of one unit again and again."""
    make, work = WORKS[name]
    return exponent(lambda length: make(unit * (length // len(unit)) + end), work, size)


def slow(
    units: Iterable[str], end: str = "", name: str = "text", size: int = 4_000
) -> dict[str, float]:
    grown = {unit: unit_exponent(unit, end, name, size) for unit in units}
    return {unit: round(power, 2) for unit, power in grown.items() if power > LIMIT}


def test_what_a_rule_begins_with_takes_no_longer_again_and_again() -> None:
    assert slow(sorted(PATTERNS | PREFIXES), size=1_000) == {}


def some(every: int) -> pytest.MarkDecorator:
    """A part of all units, another for each test, and all of them in `make test-slow`."""
    return pytest.mark.parametrize("every", [every, pytest.param(1, marks=pytest.mark.slow)])


# What follows decides whether the last is a secret, which the others are then a part of.
@some(2)
@pytest.mark.parametrize(("end", "size"), [("", 2_000), ("(", 4_000)])
def test_nor_does_a_name_again_and_again(end: str, size: int, every: int) -> None:
    first = len(end) % every

    assert slow(sorted(NAMES | SHAPES)[first::every], end, size=size) == {}


@some(3)
def test_nor_do_two_in_turns(every: int) -> None:
    assert slow(list(map("".join, permutations(MIXED, 2)))[::every], "(") == {}


@some(3)
@pytest.mark.parametrize("name", [name for name in WORKS if name != "text"])
def test_nor_does_anything_else_that_takes_words_out(name: str, every: int) -> None:
    first = list(WORKS).index(name) % every

    assert slow(QUOTED[first::every], name=name) == {}


@pytest.mark.parametrize(
    "beginning", ["pwd=", "passphrase=", "ghp_", "sk-ant-", "BEGIN ", "eyJ", "Bearer ", "://a:"]
)
def test_every_rule_is_tried(beginning: str) -> None:
    assert any(unit.startswith(beginning) for unit in PATTERNS | NAMES | PREFIXES)
