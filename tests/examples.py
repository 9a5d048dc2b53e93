"""How many examples Hypothesis tries: all in `make test-slow`, otherwise a part of them."""

import os
from typing import Final

LIMIT: Final = os.environ.get("UNSPOOL_EXAMPLES", "")
_SHARE: Final = 4
_LEAST: Final = 10


def examples(count: int) -> int:
    """So many with UNSPOOL_EXAMPLES=all, at most its number of them, or a share without it."""
    if LIMIT == "all":
        return count
    return min(count, int(LIMIT) if LIMIT else max(_LEAST, count // _SHARE))
