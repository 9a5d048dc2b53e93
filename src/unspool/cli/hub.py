"""`unspool hub`: the server that machines of a team send to, its people and its machines."""

import getpass
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC
from ipaddress import ip_network
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from unspool.cli import arguments, config, confirm, output
from unspool.derive.reading.clock import iso
from unspool.engine import dates
from unspool.errors import ConfigError, UsageError
from unspool.serve import places
from unspool.show import safe
from unspool.show.machine_view import machine_view
from unspool.show.numbers import plural

if TYPE_CHECKING:
    from unspool.model.shipping import Role
    from unspool.store.postgres.database import Pool
    from unspool.store.postgres.people import PeopleTable

_PORT: Final = 4200
_DAY: Final = 86_400_000  # milliseconds
_TABLES: Final = ("usage", "sessions", "tool_calls")
_ACTIONS: Final = (
    "init", "serve", "person", "erase", "enrol", "machines", "revoke", "rotate", "export",
    "migrate",
)  # fmt: skip


def run(args: list[str]) -> int:
    """Run one action on the hub's database."""
    options = make_parser().parse_args(args)
    actions: dict[str, Callable[[Namespace, Pool], int | None]] = {
        "init": _init,
        "serve": _serve,
        "person": _person,
        "erase": _erase,
        "enrol": _enrol,
        "machines": _machines,
        "revoke": _revoke,
        "rotate": _rotate,
        "export": _export,
        "migrate": lambda *_: None,  # opening it has done so
    }
    if options.close and (options.action != "person" or not options.who):
        raise UsageError("--close requires a name: unspool hub person NAME --close")
    if options.action in ("erase", "revoke", "rotate") and not options.who:
        raise UsageError(f"Give a name: unspool hub {options.action} NAME")
    if options.action == "erase" and not options.yes and not confirm.can_ask():
        raise UsageError("There is no terminal to confirm on: give --yes.")
    if options.action == "export" and not options.who:
        raise UsageError("Name a directory: unspool hub export DIR")
    with ExitStack() as stack:
        pool = _open(options)
        stack.callback(pool.close)
        return actions[options.action](options, pool) or 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("hub", "A hub for a team: many machines, one PostgreSQL.")
    parser.add_argument("action", choices=_ACTIONS, help="what to do")
    parser.add_argument(
        "who",
        nargs="?",
        metavar="NAME|DIR",
        help="for person: who (without it, everyone is listed); for erase: who; for revoke, rotate:"
        " which machine; for export: the directory",
    )
    parser.add_argument(
        "--database-url", metavar="URL", help="PostgreSQL 15 or newer ($UNSPOOL_DATABASE_URL)"
    )
    parser.add_argument(
        "--embedded", action="store_true", help="a PostgreSQL of its own, next to UNSPOOL_HOME"
    )
    parser.add_argument(
        "--role",
        choices=("member", "lead", "admin"),
        help="for person: their role, or their new one (member)",
    )
    parser.add_argument(
        "--close", action="store_true", help="for person: close the account and block its machines"
    )
    parser.add_argument("--yes", action="store_true", help="for erase: do not ask for confirmation")
    parser.add_argument(
        "--for", dest="owner", metavar="NAME", help="for enrol: who the machine belongs to"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="for serve: address to listen on (127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=arguments.count,
        default=_PORT,
        metavar="N",
        help=f"for serve: port ({_PORT})",
    )
    parser.add_argument("--cert", metavar="FILE", help="for serve: certificate, for TLS")
    parser.add_argument("--key", metavar="FILE", help="for serve: key of the certificate")
    parser.add_argument(
        "--behind-proxy",
        metavar="ADDRESS",
        type=_proxy,
        help="for serve: the address or network of a proxy with TLS whose headers are trusted",
    )
    parser.add_argument(
        "--public-url",
        type=places.public_origin,
        metavar="URL",
        help="for serve, init, person: where browsers reach the hub",
    )
    parser.add_argument(
        "--since", type=_utc_day, default=0, metavar="DATE", help="for export: only days since then"
    )
    parser.add_argument(
        "--table",
        type=_tables,
        default=_TABLES,
        metavar="T,T",
        help=f"for export: only some of {', '.join(_TABLES)}",
    )
    return parser


def _utc_day(text: str) -> int:
    """The number of a day since 1970: those of an export begin in UTC, wherever it is run."""
    try:
        return max(0, dates.start_time(text, config.now(), UTC) // _DAY)
    except UsageError as error:
        raise ArgumentTypeError(str(error)) from None


def _proxy(text: str) -> str:
    """An address or a network, as a header's sender is compared with."""
    try:
        return str(ip_network(text)).removesuffix("/32").removesuffix("/128")
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is neither an address nor a network such as 10.0.0.0/8"
        ) from None


def _tables(text: str) -> tuple[str, ...]:
    """Some of the tables, each once."""
    chosen = dict.fromkeys(name.strip() for name in text.split(","))
    for name in chosen:
        if name not in _TABLES:
            raise ArgumentTypeError(f"{name!r} is not one of {', '.join(_TABLES)}")
    return tuple(chosen)


def _open(options: Namespace) -> "Pool":
    """The database, laid out or brought up to this version."""
    try:
        from unspool.store.postgres.database import open_pool
        from unspool.store.postgres.embedded import embedded_url
        from unspool.store.postgres.schema import migrate
    except ImportError as error:
        raise ConfigError("A hub needs an extra: pip install 'unspool[hub]'") from error
    url = options.database_url or os.environ.get("UNSPOOL_DATABASE_URL", "")
    if options.embedded:
        home = config.unspool_home()
        # Beside it: for root it runs as another user, to whom the home is closed.
        url = embedded_url(home.with_name(f"{home.name}-postgres"))
    if not url:
        raise UsageError("Say where the database is: --database-url URL, or --embedded.")
    pool = open_pool(url)
    try:
        with pool.connection() as connection:
            migrate(connection)
    except BaseException:
        pool.close()
        raise
    return pool


def _people(pool: "Pool") -> "PeopleTable":
    from unspool.store.postgres.people import PeopleTable

    return PeopleTable(pool)


def _init(options: Namespace, pool: "Pool") -> None:
    """Lay out the database and make the first admin."""
    people = _people(pool)
    if any(one.role == "admin" for one in people.people()):
        raise ConfigError("This database has an admin already. `unspool hub person` adds others.")
    name = options.who or getpass.getuser()
    _show(options, _added(options, pool, name, "admin"))


def _person(options: Namespace, pool: "Pool") -> None:
    """Add, change or close somebody; who is there already gets a new link to sign in with."""
    people, now = _people(pool), config.now()
    if not options.who:
        _list_people(options, people)
    elif options.close:
        people.close_person(options.who, now)
    elif not any(one.name == options.who for one in people.people()):
        _show(options, _added(options, pool, options.who, options.role or "member"))
    else:
        if options.role:
            people.set_role(options.who, options.role, now)
        _show(options, {"name": options.who, **_link(options, pool, options.who)})


def _erase(options: Namespace, pool: "Pool") -> int:
    """Take somebody out for good, with all that their machines sent."""
    from unspool.store.postgres.erasing import PersonEraser

    eraser, name = PersonEraser(pool), safe.brief(options.who, 100)
    plan = eraser.plan(options.who)
    counts = f"{plural(plan.machines, 'machine')}, {plural(plan.sessions, 'session')}"
    if not options.yes:
        print(f"{name}: {counts} and their costs would be erased.", file=sys.stderr)
        if not confirm.is_confirmed("Erase permanently?"):
            print("unspool: Nobody was erased.", file=sys.stderr)
            return 1
    eraser.erase(options.who, config.now())
    _show(options, {"erased": f"{name}, {counts}"})
    return 0


def _added(options: Namespace, pool: "Pool", name: str, role: "Role") -> dict[str, str]:
    token = _people(pool).add_person(name, role, config.now())
    return {"name": name, "token": token, **_link(options, pool, name)}


def _link(options: Namespace, pool: "Pool", name: str) -> dict[str, str]:
    """A link that signs one browser in; without an address of the hub, what follows it."""
    from unspool.serve.auth.policy import OneTimeCode
    from unspool.store.postgres.logins import LOGIN_CODE_MS, LoginTable

    people, now = _people(pool), config.now()
    owner = next(one.owner for one in people.people() if one.name == name)
    code = LoginTable(pool).new_code(owner, now)
    url = options.public_url or people.address() or "ADDRESS-OF-THE-HUB"
    return {"login": OneTimeCode(code, url).address, "expires": str(iso(now + LOGIN_CODE_MS))}


def _list_people(options: Namespace, people: "PeopleTable") -> None:
    found = people.person_rows()
    if options.json:
        output.write_json([msgspec.json.encode(found)])
        return
    for one in found:
        state = "closed" if one.closed_at is not None else plural(one.machines, "machine")
        output.write([(("", f"{safe.brief(one.name, 100)}  {one.role}  {state}"),)])


def _enrol(options: Namespace, pool: "Pool") -> None:
    """Print a code for one machine."""
    from unspool.store.postgres.people import CODE_MS

    people, now = _people(pool), config.now()
    found = people.people()
    if options.owner:
        chosen = [one for one in found if one.name == options.owner]
    else:
        chosen = [one for one in found if one.role == "admin"]
    if not chosen:
        raise ConfigError("There is no person to enrol it for: see unspool hub init.")
    code = people.new_code(chosen[0].owner, now)
    _show(options, {"code": code, "expires": str(iso(now + CODE_MS))})


def _machines(options: Namespace, pool: "Pool") -> None:
    """The machines, as the page lists them."""
    from unspool.hub.machines import machine_rows

    now = config.now()
    found = machine_rows(_people(pool), now)
    if options.json:
        output.write_json([msgspec.json.encode(found)])
        return
    for one in map(machine_view, found, repeat(now)):
        facts = (one.person, one.state, one.queue, one.lag, one.skew, one.version, one.mode)
        today = f"{one.sessions} today, {one.cost}"
        text = "  ".join(filter(None, (one.name, *facts, one.sources, one.bytes, today)))
        output.write([(("", text),)])


def _revoke(options: Namespace, pool: "Pool") -> None:
    _people(pool).revoke(options.who, config.now())


def _rotate(options: Namespace, pool: "Pool") -> None:
    from unspool.store.postgres.people import CODE_MS

    now = config.now()
    code = _people(pool).rotate(options.who, now)
    _show(options, {"code": code, "expires": str(iso(now + CODE_MS))})


def _export(options: Namespace, pool: "Pool") -> None:
    """Bring Parquet files of the hub's tables up to date."""
    try:
        from unspool.hub.export import export
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        raise ConfigError("Parquet needs an extra: pip install 'unspool[lake]'") from error
    from unspool.store.postgres.audit import AuditTable

    directory = Path(options.who)
    done = export(pool, directory, options.table, options.since)
    about = str(directory.absolute())
    AuditTable(pool).note("exported", about, config.now(), person=None, address="")
    if options.json:
        output.write_json([msgspec.json.encode(done)])
        return
    for name, one in done.tables.items():
        counts = f"{one.written} written, {one.removed} removed, {one.unchanged} unchanged"
        output.write([(("", f"{name}: {counts}, {one.rows} rows"),)])


def _serve(options: Namespace, pool: "Pool") -> None:
    """Serve until stopped; an empty database is laid out, with an admin."""
    from unspool.cli.hub_server import serve

    if not any(one.role == "admin" for one in _people(pool).people()):
        _init(options, pool)
    serve(options, pool)


def _show(options: Namespace, values: dict[str, str]) -> None:
    if options.json:
        output.write_json([msgspec.json.encode(values)])
    else:
        output.write([(("", f"{name}: {value}"),) for name, value in values.items()])
    sys.stdout.flush()
