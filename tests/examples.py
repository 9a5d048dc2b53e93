"""How many examples Hypothesis tries: `make quick` wants an answer soon, not the last doubt."""

import os

LIMIT = int(os.environ.get("UNSPOOL_EXAMPLES", "0"))


def examples(count: int) -> int:
    """So many, or as many as there is time for."""
    return min(count, LIMIT) if LIMIT else count
