"""`unspool forget`: erase sessions from index and archive, and keep them out; list, restore."""

import os
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import msgspec
from msgspec import Struct

from unspool.cli import arguments, config, confirm, empty, naming, output
from unspool.cli.progress import ProgressBar
from unspool.derive.reading.clock import iso
from unspool.engine.forgetting import choose
from unspool.engine.forgetting.choose import SessionChoice
from unspool.engine.freshness import freshen
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.stores import Stores
from unspool.errors import Ambiguous, NotFound, StoreBusy, StoreError
from unspool.redact import Redactor
from unspool.show import safe, times
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line
from unspool.source.forgotten import Tombstone, forget, restore, tombstones
from unspool.source.roots import OTHERS, Scope

_PATIENCE: Final = 600.0  # seconds for the process that writes the index to erase them
_LOOK_EVERY: Final = 0.1
_LONGEST_TITLE: Final = 60


def run(args: list[str]) -> int:
    """Forget sessions, list those that were forgotten, or restore one."""
    options = _options(args)
    stores = config.open_stores(options.root)
    if options.list:
        return _list(stores, options)
    if options.restore:
        return _restore(stores, options)
    chosen = _chosen(stores, options)
    if not chosen:
        empty.warn(options.root)
        _write(options, ForgetAnswer(), [_said("No session has a secret in its stored text.")])
        return 0
    if options.dry_run:
        _write(options, _answer(stores, chosen, dry_run=True), _plan(stores, chosen))
        return 0
    if not options.yes and not _is_confirmed(stores, chosen):
        print("unspool: Nothing was forgotten.", file=sys.stderr)
        return 1
    # Read before it is hidden from us.
    answer = _answer(stores, chosen)
    forget(stores.tombstones, [one.key for one in chosen], config.now())
    is_erased = _erase_everywhere(stores)
    _write(options, answer, _report(answer, is_erased=is_erased))
    return 0 if is_erased else 1


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "forget",
        "Erase sessions from the index and archive, and keep them out."
        " Claude Code's own files stay.",
    )
    arguments.add_root(parser)
    arguments.add_session(parser, optional=True)
    parser.add_argument(
        "--secret", action="store_true", help="sessions whose stored text contains a secret"
    )
    parser.add_argument("--list", action="store_true", help="list forgotten sessions")
    parser.add_argument("--restore", metavar="ID", help="let a forgotten session be indexed again")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    parser.add_argument("--dry-run", action="store_true", help="show what would be forgotten")
    return parser


def _options(args: list[str]) -> Namespace:
    parser = make_parser()
    options = parser.parse_args(args)
    ways = (options.session, options.secret, options.list, options.restore)
    if sum(map(bool, ways)) > 1 or not (any(ways) or options.project):
        parser.error("name one: a SESSION, --project, --secret, --list or --restore")
    if options.project and not options.session and any(ways):
        parser.error("use --project with a SESSION, or alone")
    asks = not (options.list or options.restore or options.yes or options.dry_run)
    if asks and not confirm.can_ask():
        parser.error("there is no terminal to confirm on: give --yes or --dry-run")
    return options


def _chosen(stores: Stores, options: Namespace) -> list[SessionChoice]:
    with stores.reading_sessions() as sessions:
        if options.session:
            file = naming.find_session(sessions, options, options.project)
            is_sure = bool(options.project) or os.sep in options.session
            return [choose.by_file(sessions, file, is_sure=is_sure)]
        if options.project:
            return _in_project(sessions, options)
        if not stores.is_there():
            return []
        with stores.reading() as (store, _), closing(ProgressBar("Reading")) as bar:
            return choose.with_secrets(sessions, store, stores.roots, bar)


def _in_project(sessions: RootSessions, options: Namespace) -> list[SessionChoice]:
    try:
        return choose.in_project(sessions, options.project)
    except NotFound as error:
        raise NotFound(empty.note(options.root) or str(error)) from error


class ForgottenSession(Struct, frozen=True, kw_only=True, rename="camel"):
    """A session that was forgotten, and what of it lies on disk."""

    root: str
    project_id: str
    session_id: str
    title: str | None = None
    secrets: dict[str, int] = {}
    forks: tuple[str, ...] = ()  # sessions that repeat some of its lines, and stay
    remaining: tuple[str, ...] = ()  # files of Claude Code, which stay too
    prompts: int = 0  # lines in history.jsonl


class ForgetAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was done, or would be, as JSON."""

    forgotten: tuple[ForgottenSession, ...] = ()
    dry_run: bool = False


class ForgottenItem(Struct, frozen=True, kw_only=True, rename="camel"):
    """A tombstone."""

    root: str
    project_id: str
    session_id: str
    at: str | None
    on_disk: bool  # whether Claude Code's file is still there


def _answer(
    stores: Stores, chosen: Sequence[SessionChoice], *, dry_run: bool = False
) -> ForgetAnswer:
    made = tuple(
        ForgottenSession(
            root=one.root,
            project_id=one.project_id,
            session_id=one.session_id,
            title=one.title if dry_run else None,
            secrets=dict(one.secrets),
            forks=one.forks,
            remaining=tuple(choose.files_of(stores.roots, one)),
            prompts=choose.prompts_in_history(one.root, one.session_id),
        )
        for one in chosen
    )
    # What was forgotten is named as it lies on disk, so that it can be removed there, too.
    shown = Redactor().value(made) if dry_run else made
    return ForgetAnswer(forgotten=shown, dry_run=dry_run)


def _plan(stores: Stores, chosen: Sequence[SessionChoice]) -> Iterator[Line]:
    clean, now = Redactor(), config.now()
    for one in chosen:
        title = safe.brief(clean.text(one.title), _LONGEST_TITLE)
        kinds = ", ".join(f"{kind} x{count}" for kind, count in sorted(one.secrets.items()))
        parts = (one.session_id, times.date(one.last_activity, now), title or "(no title)", kinds)
        yield (("", "  ".join(part for part in parts if part)),)
    count = plural(len(chosen), "session")
    yield _said(f"{count} would be erased from {stores.home}: rows, text, archived bytes, costs.")
    forks = sorted({fork for one in chosen for fork in one.forks})
    if forks:
        yield _said(f"Forks that contain copies are kept: {', '.join(forks)}.")


def _is_confirmed(stores: Stores, chosen: Sequence[SessionChoice]) -> bool:
    """Show what would be erased, and ask."""
    for line in _plan(stores, chosen):
        print(safe.line("".join(text for _, text in line)), file=sys.stderr)
    return confirm.is_confirmed("Erase permanently?")


def _erase_everywhere(stores: Stores) -> bool:
    """Have every index of this user obey; whether all do."""
    own = Path(os.path.abspath(stores.machine.prices.home))
    homes = [stores.home, own, *sorted((own / OTHERS).glob("*"))]
    return all([_erase_in(stores, home) for home in dict.fromkeys(homes) if home.is_dir()])


def _erase_in(stores: Stores, home: Path) -> bool:
    """Erase what is forgotten in a home, or wait for the process that writes there to do it."""
    until, is_told = monotonic() + _PATIENCE, False
    # Whoever reads the roots of another index takes in what is new in them.
    mine = stores if home == stores.home else Stores(Scope([], str(home)), stores.machine)
    while not mine.is_obedient():
        try:
            mine.obey_tombstones()
        except StoreBusy as busy:
            if not is_told:
                config.warn(f"Waiting for process {busy.pid}, which is writing to {home}.")
                is_told = True
            if monotonic() > until:
                config.warn(
                    f"Process {busy.pid} is still writing to {home}."
                    " It or the next writer will erase them."
                )
                return False
            sleep(_LOOK_EVERY)
        except StoreError as error:
            config.warn(f"{error} They will be erased when {home} can be written to.")
            return False
    return True


def _report(answer: ForgetAnswer, *, is_erased: bool) -> Iterator[Line]:
    count = plural(len(answer.forgotten), "session")
    left = "It is not erased yet."
    if is_erased:
        left = "Nothing of it is left in the index or archive."
    yield (("", f"Forgot {count}. {left}"),)
    forks = sorted({fork for one in answer.forgotten for fork in one.forks})
    if forks:
        yield _said(f"Forks that contain copies are kept: {', '.join(forks)}.")
    files = [path for one in answer.forgotten for path in one.remaining]
    if files:
        yield BLANK
        yield (("", "Claude Code's own files stay on disk, and are no longer read:"),)
        yield from ((("", f"  {path}"),) for path in files)
        yield (("", "To remove them:"),)
        yield (("", f"  rm -- {shlex.join(files)}"),)
    for root in sorted({one.root for one in answer.forgotten if one.prompts}):
        prompts = sum(one.prompts for one in answer.forgotten if one.root == root)
        yield _said(
            f"{os.path.join(root, 'history.jsonl')} has {plural(prompts, 'prompt')} from it."
        )


def _list(stores: Stores, options: Namespace) -> int:
    empty.warn(options.root)
    found = sorted(tombstones(stores.tombstones), key=lambda one: -one.at)
    paths = {root.path: root for root in stores.roots}
    mine = [one for one in found if one.root in paths or not options.root]
    items = [
        ForgottenItem(
            root=one.root,
            project_id=_project_id(stores, one),
            session_id=one.session,
            at=iso(one.at),
            on_disk=os.path.lexists(_main(stores, one)),
        )
        for one in mine
    ]
    if options.json:
        output.write_json([msgspec.json.encode({"items": items, "nextCursor": None})])
        return 0
    now = config.now()
    output.write(
        (
            ("", one.session_id),
            ("dim", f"  {times.date(one.at, now)}  {one.project_id}"),
            ("dim", "" if one.on_disk else "  no longer on disk"),
        )
        for one in items
    )
    if not items:
        output.write([_said("No session was forgotten.")])
    return 0


def _restore(stores: Stores, options: Namespace) -> int:
    """Take a tombstone away: what is still on disk is indexed again."""
    known, name = list(tombstones(stores.tombstones)), options.restore
    exact = [one for one in known if one.session == name]
    fitting = exact or [one for one in known if one.session.startswith(name)]
    if not fitting or (not exact and len(name) < 4):
        missing = f"No forgotten session matches {name!r}. See `unspool forget --list`."
        raise NotFound((not known and empty.note(options.root)) or missing)
    if len(fitting) > 1:
        names = [f"{one.session}  {_project_id(stores, one)}" for one in fitting]
        raise Ambiguous(f"{name!r} matches {len(fitting)} forgotten sessions.", names)
    one = fitting[0]
    restore(stores.tombstones, [one.key], config.now())
    on_disk = os.path.lexists(_main(stores, one))
    with suppress(StoreError):
        freshen(stores)
    item = ForgottenItem(
        root=one.root,
        project_id=_project_id(stores, one),
        session_id=one.session,
        at=iso(one.at),
        on_disk=on_disk,
    )
    is_back = "It is indexed again." if on_disk else "Its transcript is gone: nothing to restore."
    if options.json:
        output.write_json([msgspec.json.encode({"restored": item})])
    else:
        output.write([(("", f"Restored {one.session}. {is_back}"),)])
    return 0


def _project_id(stores: Stores, one: Tombstone) -> str:
    """The id of its project as it is shown; it comes from a directory, which may hold a secret."""
    prefix = next((root.prefix for root in stores.roots if root.path == one.root), "")
    return Redactor().text(prefix + one.project)


def _main(stores: Stores, one: Tombstone) -> str:
    projects = next((root.projects for root in stores.roots if root.path == one.root), None)
    return os.path.join(projects or f"{one.root}/projects", one.project, f"{one.session}.jsonl")


def _write(options: Namespace, answer: ForgetAnswer, lines: Iterator[Line] | list[Line]) -> None:
    if options.json:
        output.write_json([msgspec.json.encode(answer)])
    else:
        output.write(lines)


def _said(text: str) -> Line:
    return (("dim", text),)
