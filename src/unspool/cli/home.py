"""`unspool` alone: the newest sessions, until there is a page to open."""

from unspool.cli import ls


def run(args: list[str]) -> int:
    """List the sessions and say what else there is."""
    code = ls.run(args)
    if not code and "--json" not in args:
        print("\nThere is no web page yet. `unspool show SESSION` reads one; see unspool --help.")
    return code
