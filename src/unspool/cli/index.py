"""`unspool index`: build it, see how it stands, keep it up to date, check it, make it anew."""

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct, structs

from unspool.cli import arguments, config, daemon, mending, printing, watch
from unspool.cli.processes import lock_holder
from unspool.cli.progress import Bar
from unspool.cli.stores import LOCK, Stores
from unspool.derive.reading.clock import iso
from unspool.errors import StoreBusy
from unspool.ingest.backfill import build
from unspool.ingest.indexer import SweepReport
from unspool.ingest.spooled import spooled
from unspool.ingest.survey import changed, survey
from unspool.model.files import Skipped
from unspool.model.index import IndexStatus, Lag, Writer
from unspool.show import safe, times
from unspool.show.money import plural
from unspool.show.spans import Line
from unspool.show.status import size, status


def run(args: list[str]) -> int:
    """Do one thing with the index; alone, say how it stands."""
    actions: dict[str, Callable[[Namespace], int]] = {
        "build": _build,
        "status": _status,
        "watch": watch.run,
        "verify": mending.verify,
        "rebuild": mending.rebuild,
        "daemon": daemon.run,
    }
    options = _options(args, tuple(actions))
    return actions[options.action](options)


def _options(args: list[str], actions: tuple[str, ...]) -> Namespace:
    made = arguments.command("index", "The index that ls, search, sql and cost read.")
    arguments.reads(made)
    made.add_argument("action", nargs="?", default="status", choices=actions)
    made.add_argument("what", nargs="?", choices=("start", "stop", "status"), help="(daemon)")
    made.add_argument("--daemon", action="store_true", help="(watch) leave a pid file")
    options = made.parse_args(args)
    if options.what and options.action != "daemon":
        made.error(f"{options.what} belongs to the daemon: unspool index daemon {options.what}")
    return options


def _build(options: Namespace) -> int:
    stores, bar, since = Stores(options.root), Bar("Indexing"), monotonic()
    try:
        prices, now = config.prices(), config.now()
        report = build(stores.writing, stores.roots, prices, now, bar, spool=stores.spool)
    except StoreBusy as busy:
        return _kept_by_daemon(busy, stores, options)
    finally:
        bar.close()
    _tell(report, monotonic() - since, options)
    return 0


def _kept_by_daemon(busy: StoreBusy, stores: Stores, options: Namespace) -> int:
    found = daemon.running(stores.home)
    if found is None or found.pid != busy.pid:
        raise busy
    if options.json:
        printing.write_json([msgspec.json.encode({"daemon": found})])
    else:
        said = f"The daemon, process {found.pid}, keeps the index up to date: nothing to do."
        printing.write([(("", said),)])
    return 0


class Built(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one build did, for programs."""

    files: int
    changed: int
    gone: int
    lines: int
    bytes: int
    seconds: float
    skipped: tuple[Skipped, ...]
    trouble: tuple[str, ...]


def _tell(report: SweepReport, seconds: float, options: Namespace) -> None:
    made = Built(
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
        printing.write_json([msgspec.json.encode(made)])
        return
    printing.write(_said(made))
    for trouble in report.trouble:
        print(f"unspool: {safe.brief(trouble)}", file=sys.stderr)


def _said(made: Built) -> list[Line]:
    files = plural(made.files, "file")
    if not made.changed:
        said = f"Nothing new in {files}."
    else:
        taken = f"{plural(made.lines, 'line')}, {size(made.bytes)}"
        spent = times.duration(int(made.seconds * 1_000))
        said = f"Indexed {taken} from {made.changed:,} of {files} in {spent}."
    beside = []
    if made.gone:
        beside.append(f"{plural(made.gone, 'file')} no longer on disk, kept in the archive.")
    if made.skipped:
        beside.append(f"{plural(len(made.skipped), 'path')} left alone; --json says why.")
    return [(("", said),), *((("dim", text),) for text in beside)]


def _status(options: Namespace) -> int:
    stores = Stores(options.root)
    found = index_status(stores)
    if options.json:
        printing.write_json([msgspec.json.encode(found)])
        return 0
    if not stores.is_there():
        said = "There is no index yet. `unspool index build` makes one."
        printing.write([(("strong", said),)])
    printing.write(status(found, config.frame(sys.stdout)))
    return 0


def index_status(stores: Stores) -> IndexStatus:
    """How the index stands, and how far it is behind the roots."""
    with stores.reading() as (store, archive):
        counts = structs.asdict(store.status())
        known = archive.sources()
        lag = survey(stores.roots, known).found + changed(spooled(stores.spool), known)
        version = store.sql("SELECT sqlite_version()")[1][0][0]
    del counts["waiting_bytes"]
    # Hooks are told apart from what was said: their logs have lines too.
    transcripts = [one for one in known.values() if one.kind not in ("hook_log", "spool")]
    counts["sources"] = len(transcripts)
    counts["lines"] = sum(source.lines for source in transcripts)
    return IndexStatus(
        home=str(stores.home),
        roots=tuple(root.path for root in stores.roots),
        lag=Lag(len(lag), sum(one.new_bytes for one in lag)),
        writer=_writer(stores.home),
        sqlite=version,
        **counts,
    )


def _writer(home: Path) -> Writer | None:
    found = daemon.running(home)
    if found is not None:
        return Writer(pid=found.pid, is_daemon=True, since=iso(found.since))
    pid = lock_holder(home / LOCK)
    return Writer(pid=pid) if pid else None
