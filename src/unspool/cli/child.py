"""A command that ends with the process that started it, even where that one was killed.

    python -m unspool.cli.child index watch --root DIR

Its standard input is a pipe nobody writes to: when the other end closes, its parent is gone.
"""

import sys

from unspool.cli import main
from unspool.system.signals import end_with_parent

if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(sys.argv[1:]))
