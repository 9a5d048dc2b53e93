"""`unspool index`: build, status, watch, verify, rebuild, daemon."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct, structs

from unspool.cli import arguments, autostart, config, daemon, empty, is_word, output, watch
from unspool.cli.progress import ProgressBar
from unspool.derive.reading.clock import iso
from unspool.engine.indexing.backfill import build
from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.engine.indexing.rebuild import rebuild
from unspool.engine.indexing.spool import spool_sources
from unspool.engine.indexing.survey import changed, survey
from unspool.engine.indexing.verify import verify
from unspool.engine.stores import LOCK, NO_INDEX, Stores
from unspool.errors import NotFound, StoreBusy
from unspool.model.files import SkippedFile
from unspool.model.health import Finding, IndexStatus, Lag, WriterProcess
from unspool.show import safe, times
from unspool.show.numbers import format_bytes, plural
from unspool.show.spans import Line
from unspool.show.text.diagnostics import finding_lines, status_lines
from unspool.source.forgotten import count_forgotten
from unspool.source.roots import known_roots
from unspool.system.processes import lock_holder


def run(args: list[str]) -> int:
    """Run one action on the index; without one, show its status."""
    at = args.index("daemon") if "daemon" in args else -1
    if at >= 0 and is_word(args, at):
        return _daemon(args[:at] + args[at + 1 :])
    actions: dict[str, Callable[[Namespace], int]] = {
        "build": _build,
        "status": _status,
        "watch": watch.run,
        "verify": _verify,
        "rebuild": _rebuild,
    }
    options = _options(args)
    if not (options.daemon or options.action == "verify"):
        empty.warn(options.root)
    return actions[options.action](options)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("index", "The index that ls, search, sql and cost read.")
    arguments.add_root(parser)
    parser.add_argument(
        "action",
        nargs="?",
        default="status",
        choices=("build", "status", "watch", "verify", "rebuild", "daemon"),
        help="default: status",
    )
    parser.add_argument("--daemon", action="store_true", help="for watch: write a pid file")
    parser.add_argument("--quiet", action="store_true", help="for watch: report only problems")
    parser.add_argument(
        "--no-alerts", action="store_true", help="for watch: leave alerts to another process"
    )
    return parser


def _options(args: list[str]) -> Namespace:
    parser = make_parser()
    options = parser.parse_args(args)
    for name in ("daemon", "quiet", "no_alerts"):
        if getattr(options, name) and options.action != "watch":
            option = f"--{name.replace('_', '-')}"
            parser.error(f"{option} is for watch: unspool index watch {option}")
    return options


def _daemon(args: list[str]) -> int:
    """Start or stop the daemon, show its status, or have the system start it at login."""
    parser = daemon.make_parser()
    options = parser.parse_args(args)
    if options.what in ("install", "uninstall"):
        return autostart.run(options)
    if options.dry_run:
        parser.error("--dry-run is for install and uninstall")
    if options.what != "stop":
        empty.warn(options.root)
    return daemon.run(options)


def _build(options: Namespace) -> int:
    stores, bar, since = config.open_stores(options.root), ProgressBar("Indexing"), monotonic()
    try:
        prices, now = config.prices(), config.now()
        report = build(stores.writing, stores.roots, prices, now, bar, spool=stores.spool)
    except StoreBusy as busy:
        return _report_daemon(busy, stores, options)
    finally:
        bar.close()
    _tell(report, monotonic() - since, options)
    return 0


def _report_daemon(busy: StoreBusy, stores: Stores, options: Namespace) -> int:
    found = daemon.running(stores.home)
    if found is None or found.pid != busy.pid:
        raise busy
    if options.json:
        output.write_json([msgspec.json.encode({"daemon": found})])
    else:
        message = f"The daemon, process {found.pid}, keeps the index up to date: nothing to do."
        output.write([(("", message),)])
    return 0


class BuildReport(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one build did, as JSON."""

    files: int
    changed: int
    gone: int
    lines: int
    bytes: int
    seconds: float
    skipped: tuple[SkippedFile, ...]
    trouble: tuple[str, ...]


def _tell(report: SweepReport, seconds: float, options: Namespace) -> None:
    build = BuildReport(
        files=report.files,
        changed=report.changed,
        gone=report.gone,
        lines=report.lines,
        bytes=report.bytes,
        seconds=round(seconds, 3),
        skipped=report.skipped,
        trouble=report.trouble,
    )
    if options.json:
        output.write_json([msgspec.json.encode(build)])
        return
    output.write(_lines(build))
    for trouble in report.trouble:
        print(f"unspool: {safe.brief(trouble)}", file=sys.stderr)


def _lines(build: BuildReport) -> list[Line]:
    files = plural(build.files, "file")
    if not build.changed:
        text = f"Nothing new in {files}."
    else:
        taken = f"{plural(build.lines, 'line')}, {format_bytes(build.bytes)}"
        spent = times.duration(int(build.seconds * 1_000))
        text = f"Indexed {taken} from {build.changed:,} of {files} in {spent}."
    beside = []
    if build.gone:
        beside.append(f"{plural(build.gone, 'file')} no longer on disk, kept in the archive.")
    if build.skipped:
        beside.append(f"{plural(len(build.skipped), 'path')} skipped; --json shows why.")
    return [(("", text),), *((("dim", text),) for text in beside)]


def _status(options: Namespace) -> int:
    stores = config.open_stores(options.root)
    found = index_status(stores)
    if options.json:
        output.write_json([msgspec.json.encode(found)])
        return 0
    if not stores.is_there():
        output.write([(("strong", NO_INDEX),)])
    output.write(status_lines(found, config.frame(sys.stdout)))
    return 0


def index_status(stores: Stores) -> IndexStatus:
    """The status of the index, and how far it is behind the files."""
    with stores.reading() as (store, archive):
        counts = structs.asdict(store.status())
        known = archive.sources()
        lag = survey(stores.roots, known).found + changed(spool_sources(stores.spool), known)
    # Lines of hook logs do not count as lines of transcripts.
    transcripts = [one for one in known.values() if one.kind not in ("hook_log", "spool")]
    counts["sources"] = len(transcripts)
    counts["lines"] = sum(source.lines for source in transcripts)
    return IndexStatus(
        home=str(stores.home),
        roots=tuple(root.path for root in stores.roots),
        lag=Lag(len(lag), sum(one.new_bytes for one in lag)),
        forgotten=count_forgotten(stores.roots),
        writer=_writer(stores.home),
        sqlite=counts.pop("database"),
        **counts,
    )


def _writer(home: Path) -> WriterProcess | None:
    found = daemon.running(home)
    if found is not None:
        return WriterProcess(pid=found.pid, is_daemon=True, since=iso(found.since))
    pid = lock_holder(home / LOCK)
    return WriterProcess(pid=pid) if pid else None


def _verify(options: Namespace) -> int:
    """Compare files, archive and index; exit 1 if anything is wrong."""
    stores, prices = config.open_stores(options.root), config.prices()
    if not stores.is_there():
        raise NotFound(empty.note(options.root) or NO_INDEX)
    empty.warn(options.root)
    with closing(stores.writing()) as store:
        found = verify(store, Indexer(store, stores.roots, prices), config.now())
    wrong = any(one.grade == "wrong" for one in found.findings)
    if options.json:
        answer = {"files": found.files, "bytes": found.bytes, "findings": found.findings}
        output.write_json([msgspec.json.encode(answer)])
        return int(wrong)
    files = f"{plural(found.files, 'file')}, {format_bytes(found.bytes)}"
    message = f"Compared {files} with index and archive."
    first = Finding(about="verify", grade="wrong" if wrong else "ok", said=message)
    output.write(finding_lines([first, *found.findings], config.frame(sys.stdout)))
    return int(wrong)


def _rebuild(options: Namespace) -> int:
    """Rebuild the index from archive and files; the archive is not changed."""
    stores, prices, bar = (
        config.open_stores(options.root),
        config.prices(),
        ProgressBar("Rebuilding"),
    )
    try:
        with closing(stores.rebuilding()) as store:
            known = known_roots(str(stores.home))
            rebuild(store, stores.roots, prices, config.now(), bar, known=known)
            status = store.status()
    finally:
        bar.close()
    if options.json:
        answer = {"lines": status.lines, "sessions": status.sessions, "badLines": status.bad_lines}
        output.write_json([msgspec.json.encode(answer)])
    else:
        counts = f"{plural(status.lines, 'line')}, {plural(status.sessions, 'session')}"
        output.write([(("", f"Rebuilt the index: {counts}, {format_bytes(status.index_bytes)}."),)])
    return 0
