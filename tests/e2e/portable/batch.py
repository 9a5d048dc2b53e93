"""Commands in JSON on standard input -> the exit code and output of each, run in this process."""

import json
import os
import sys
from tempfile import TemporaryFile

from unspool.cli import main


def run(args: list[str]) -> tuple[int, str, str]:
    """Run a command as if it were alone: its output goes to files."""
    streams = (sys.stdout, sys.stderr)
    before = [os.dup(stream.fileno()) for stream in streams]
    with TemporaryFile() as out, TemporaryFile() as err:
        for stream, file in zip(streams, (out, err), strict=True):
            os.dup2(file.fileno(), stream.fileno())
        code = main(args)
        for stream, fd in zip(streams, before, strict=True):
            stream.flush()
            os.dup2(fd, stream.fileno())
            os.close(fd)
        out.seek(0)
        err.seek(0)
        return code, out.read().decode(), err.read().decode()


if __name__ == "__main__":
    commands = json.load(sys.stdin)
    json.dump([run(command) for command in commands], sys.stdout)
