"""What a server is asked for on its command line, and whether it may be."""

import os
from argparse import Namespace
from typing import Final

from unspool.cli import arguments
from unspool.errors import ConfigError
from unspool.serve import places
from unspool.serve.running import Tls

PORT: Final = 4100


def options(args: list[str]) -> Namespace:
    """The command line, read."""
    made = arguments.command("serve", "The pages and the API, on this machine.")
    arguments.reads(made)
    made.add_argument("--host", default="127.0.0.1", help="where to listen (127.0.0.1)")
    made.add_argument(
        "--port", type=arguments.count, default=PORT, metavar="N", help=f"the port ({PORT})"
    )
    made.add_argument("--no-browser", action="store_true", help="do not open the browser")
    made.add_argument("--demo", action="store_true", help="made-up sessions, one of them running")
    made.add_argument("--keep-token", action="store_true", help="the same token after a restart")
    made.add_argument("--cert", metavar="FILE", help="a certificate: serve over TLS")
    made.add_argument("--key", metavar="FILE", help="its key")
    made.add_argument("--insecure", action="store_true", help="--host without TLS all the same")
    asked = made.parse_args(args)
    if asked.port > 65_535:
        made.error(f"there is no port {asked.port}")
    return asked


def tls(options: Namespace) -> Tls | None:
    """The certificate to serve with; ConfigError where others could read along without one."""
    for path in filter(None, (options.cert, options.key)):
        if not os.access(path, os.R_OK):
            raise ConfigError(f"Cannot read {path}. --cert and --key name files in PEM form.")
    if not (options.cert or options.insecure or places.is_loopback(options.host)):
        raise ConfigError(
            f"--host {options.host} lets others reach your sessions. Give --cert and --key, "
            "or --insecure where the network is yours alone."
        )
    return Tls(options.cert, options.key) if options.cert else None
