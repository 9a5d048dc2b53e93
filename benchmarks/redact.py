"""How fast secrets are looked for: in prose, in code and in JSON that has none.

`python -m benchmarks.redact`
"""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.budgets import Figure, table
from benchmarks.clocks import interleaved
from unspool.redact import Redactor, redact

_RUNS = 7
_SIZE = 4_000_000
_WORDS = """the index is read again when a file has grown and each of its lines kept once so that
nothing in it is lost whatever happens while we look for more of them""".split()


def measured() -> list[Figure]:
    """Megabytes a second, beside one `in` over the same prose: the least any search costs."""
    prose, code = _prose(), _code()
    encoded = [
        json.dumps({"text": text, "id": number}).encode() for number, text in enumerate(code)
    ]
    works: dict[str, tuple[list[str] | list[bytes], Callable[[], object]]] = {
        "prose": (prose, lambda: [redact(text) for text in prose]),
        "code": (code, lambda: [redact(text) for text in code]),
        "JSON": (encoded, lambda: [Redactor().json(data) for data in encoded]),
        "one `in`": (prose, lambda: ["ghp_" in text for text in prose]),
    }
    times = interleaved({name: work for name, (_, work) in works.items()}, _RUNS)
    sizes = {name: sum(map(len, texts)) / 1e6 for name, (texts, _) in works.items()}
    return [
        Figure(f"redact: {name}", sizes[name] / times[name].cpu, "MB/s", more_is_better=True)
        for name in works
    ]


def _prose() -> list[str]:
    chance = random.Random(1)  # noqa: S311 - words, not secrets
    made = [" ".join(chance.choices(_WORDS, k=300)) + ": done." for _ in range(_SIZE // 1_500)]
    return made


def _code() -> list[str]:
    files = sorted(Path(__file__).parents[1].joinpath("src").rglob("*.py"))
    return [file.read_text("utf-8") for file in files]


if __name__ == "__main__":
    print(table(measured()))
    sys.exit(0)
