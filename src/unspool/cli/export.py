"""`unspool export`: a session as a file to keep or to give away."""

import os
import stat
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import suppress
from tempfile import mkstemp
from typing import TYPE_CHECKING, NamedTuple

from unspool.cli import arguments, config, naming
from unspool.errors import ConfigError
from unspool.show import safe
from unspool.system import files as system_files

if TYPE_CHECKING:
    from unspool.engine.export.files import Export

_FORMATS = ("html", "md", "json", "jsonl")
_LEVELS = ("story", "normal", "everything")
_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
    ".jsonl": "jsonl",
}
_MOST_PLACES = 20


class WrittenFile(NamedTuple):
    """Where a file is, and how many bytes it has."""

    path: str
    size: int


def run(args: list[str]) -> int:
    """Write a session to a file."""
    parser = make_parser()
    options = parser.parse_args(args)
    _check(options, parser)
    from unspool.engine.export.files import Export, ExportOptions

    settings = ExportOptions(
        format=options.format,
        anonymous=options.anonymise,
        unredacted=options.unredacted,
        now=config.now(),
        level=options.level,
    )
    with naming.named_session(options) as session:
        export = Export(session, settings)
        written = _write(export, options)
    for line in _report(export, written, options):
        print(safe.line(line), file=sys.stderr)
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("export", "Export a session as a file to keep or to share.")
    arguments.add_root(parser)
    parser.add_argument(
        "session", metavar="SESSION", help="id, unique prefix of an id, path, or `latest`"
    )
    parser.add_argument(
        "--project", metavar="P", help="which project, if several have a session with that id"
    )
    parser.add_argument("--agent", metavar="ID", help="export one of its agents instead")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        help="html: a self-contained page; md: Markdown; json: the document of `show --json`; "
        "jsonl: the lines of the transcript (default: by the suffix of FILE, else html)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write; - is standard output (default: standard output, "
        "or on a terminal a file named after the session)",
    )
    parser.add_argument(
        "--level",
        choices=_LEVELS,
        help="how much HTML and Markdown show. story: prompts, answers, failures, agents, waits; "
        "normal: a folded line for each call; everything: all open (default: normal)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--anonymise",
        action="store_true",
        help="replace every word, name and path, but keep the shape: for bug reports",
    )
    arguments.add_unredacted(parser)
    return parser


def _check(options: Namespace, parser: ArgumentParser) -> None:
    if options.json and options.format not in (None, "json"):
        parser.error(f"--json and --format {options.format} contradict each other")
    options.format = options.format or ("json" if options.json else _format(options.output))
    if options.format is None:
        known = " ".join(_SUFFIXES)
        parser.error(f"{options.output}: name the --format, or use one of the suffixes {known}")
    if options.anonymise and options.unredacted:
        parser.error("--anonymise and --unredacted cannot be combined")


def _format(output: str | None) -> str | None:
    """What a file's suffix means; None where it means nothing to us."""
    suffix = os.path.splitext(output or "")[1].lower()
    return _SUFFIXES.get(suffix) if suffix else "html"


def _write(export: "Export", options: Namespace) -> WrittenFile:
    named = options.output
    if named is None and config.is_terminal(sys.stdout):
        named = f"{export.name}.{options.format}"
    if named not in (None, "-"):
        return to_file(named, export.pieces(), force=options.force)
    size = 0
    sys.stdout.flush()
    is_raw = options.format in ("json", "jsonl") and config.is_terminal(sys.stdout)
    for piece in export.pieces():
        size += sys.stdout.buffer.write(safe.json_bytes(piece) if is_raw else piece)
    return WrittenFile("", size)


def _report(export: "Export", written: WrittenFile, options: Namespace) -> Iterator[str]:
    from unspool.show.export.notes import ANONYMOUS, UNREDACTED, redaction_note

    where = f"{written.path}: " if written.path else ""
    if options.anonymise:
        yield f"{where}{ANONYMOUS}"
    elif options.unredacted:
        yield f"{where}{UNREDACTED}"
    else:
        yield f"{where}{redaction_note(export.taken)}"
        for one in export.taken[:_MOST_PLACES]:
            yield f"  {one.place}: {one.count} x {one.kind}"
        if len(export.taken) > _MOST_PLACES:
            yield f"  and {len(export.taken) - _MOST_PLACES} more places"


def to_file(path: str, pieces: Iterable[bytes], *, force: bool = False) -> WrittenFile:
    """Write a file whole or not at all; ConfigError where another is in its place."""
    if _is_stream(path):
        with open(path, "wb") as out:
            return WrittenFile(path, sum(map(out.write, pieces)))
    if not force and os.path.lexists(path):
        raise _there(path)
    if os.path.isdir(path):
        raise ConfigError(f"{path} is a directory. Name a file in it.")
    fd, temporary = _temporary(os.path.dirname(os.path.abspath(path)))
    try:
        with os.fdopen(fd, "wb") as out:
            size = sum(map(out.write, pieces))
            out.flush()
            os.fsync(out.fileno())
        _name(temporary, path, force)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    return WrittenFile(path, size)


def _temporary(directory: str) -> tuple[int, str]:
    """A new file there; an error names the directory, since nobody knows our file."""
    try:
        return mkstemp(prefix=".unspool-", dir=directory)
    except FileNotFoundError as error:
        raise ConfigError(f"There is no directory {directory}.") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, directory) from error


def _name(temporary: str, path: str, force: bool) -> None:
    if force:
        system_files.replace(temporary, path)
        return
    try:
        # Unlike a rename, a link never takes the place of what came meanwhile.
        os.link(temporary, path)
    except FileExistsError as error:
        raise _there(path) from error
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _there(path) from None
        os.rename(temporary, path)


def _there(path: str) -> ConfigError:
    return ConfigError(f"{path} already exists. Name another file, or use --force.")


def _is_stream(path: str) -> bool:
    """A device or a pipe: there is nothing to lose in it."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
