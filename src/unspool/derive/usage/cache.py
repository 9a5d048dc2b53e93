"""The prompt cache: which responses had to write once more what it held."""

from typing import Final

# Less is not worth a mention, and prompts do change a little.
_LEAST: Final = 8_192
_SHARE: Final = 0.5


def rewritten_tokens(cached: int, read: int, written: int) -> int:
    """How many tokens a response wrote that the one before had left in the cache; 0 if few.

    `cached` is what the one before read and wrote, `read` and `written` are the response's own.
    """
    lost = min(cached - read, written)
    is_broken = cached >= _LEAST and read < cached * _SHARE
    return lost if is_broken and lost >= _LEAST else 0
