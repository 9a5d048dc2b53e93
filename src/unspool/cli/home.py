"""`unspool` alone: the server, and the browser."""

from unspool.cli import serve


def run(args: list[str]) -> int:
    """Serve."""
    return serve.run(args)
