"""`unspool export`: a session as a file to keep or to give away."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from unspool.cli import arguments, config
from unspool.cli.exported import Written, to_file
from unspool.cli.stores import Stores
from unspool.show import safe

if TYPE_CHECKING:
    from unspool.serve.exporting.files import Export

_FORMATS = ("html", "md", "json", "jsonl")
_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".json": "json",
    ".jsonl": "jsonl",
}
_MOST_PLACES = 20


def run(args: list[str]) -> int:
    """Write a session to a file."""
    made = _parser()
    options = made.parse_args(args)
    _check(options, made)
    from unspool.serve.exporting.files import Export, Wanted

    wanted = Wanted(
        format=options.format,
        anonymous=options.anonymise,
        unredacted=options.unredacted,
        now=config.now(),
    )
    with Stores(options.root).recalling() as recall:
        session = recall.open(recall.find(options.session, project=options.project))
        export = Export(session.agent(options.agent) if options.agent else session, wanted)
        written = _write(export, options)
    for line in _told(export, written, options):
        print(safe.line(line), file=sys.stderr)
    return 0


def _parser() -> ArgumentParser:
    made = arguments.command("export", "A session as a file to keep or to give away.")
    arguments.reads(made)
    made.add_argument("session", metavar="SESSION", help="id, beginning of an id, path, or latest")
    made.add_argument("--project", metavar="P", help="where two projects have the same id")
    made.add_argument("--agent", metavar="ID", help="one of its agents instead")
    made.add_argument(
        "--format",
        choices=_FORMATS,
        help="html: one page that stands alone; md: Markdown; "
        "json: the document of `show --json`, which --json alone means too; jsonl: its lines. "
        "Without it the suffix of FILE decides, else html",
    )
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to; - is standard output. Without it: standard output, "
        "on a terminal a file named after the session",
    )
    made.add_argument("--force", action="store_true", help="write over a file that is there")
    made.add_argument(
        "--anonymise",
        action="store_true",
        help="keep the shape, make up every word, name and path: for bug reports",
    )
    arguments.covers(made)
    return made


def _check(options: Namespace, made: ArgumentParser) -> None:
    if options.json and options.format not in (None, "json"):
        made.error(f"--json and --format {options.format} are two different files")
    options.format = options.format or ("json" if options.json else _format(options.output))
    if options.format is None:
        known = " ".join(_SUFFIXES)
        made.error(f"{options.output}: name the --format, or use one of the suffixes {known}")
    if options.anonymise and options.unredacted:
        made.error("--anonymise leaves no word as it is, --unredacted all: choose one")


def _format(output: str | None) -> str | None:
    """What a file's suffix means; None where it means nothing to us."""
    suffix = os.path.splitext(output or "")[1].lower()
    return _SUFFIXES.get(suffix) if suffix else "html"


def _write(export: "Export", options: Namespace) -> Written:
    named = options.output
    if named is None and config.is_terminal(sys.stdout):
        named = f"{export.name}.{options.format}"
    if named not in (None, "-"):
        return to_file(named, export.pieces(), force=options.force)
    size = 0
    sys.stdout.flush()
    for piece in export.pieces():
        size += sys.stdout.buffer.write(piece)
    return Written("", size)


def _told(export: "Export", written: Written, options: Namespace) -> Iterator[str]:
    from unspool.show.export.left_out import ANONYMOUS, UNREDACTED, sentence

    where = f"{written.path}: " if written.path else ""
    if options.anonymise:
        yield f"{where}{ANONYMOUS}"
    elif options.unredacted:
        yield f"{where}{UNREDACTED}"
    else:
        yield f"{where}{sentence(export.taken)}"
        for one in export.taken[:_MOST_PLACES]:
            yield f"  {one.place}: {one.count} x {one.kind}"
        if len(export.taken) > _MOST_PLACES:
            yield f"  and {len(export.taken) - _MOST_PLACES} more places"
