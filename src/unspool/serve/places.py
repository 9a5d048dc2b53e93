"""Host and port as wished -> sockets that listen, and the names they may be called by."""

import errno
import socket
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from unspool.errors import ConfigError, UsageError

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_ANY: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - named to be recognised
_TRIES: Final = 100
_NO_SUCH: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})


class ServerNames(Struct, frozen=True):
    """What a server is called: by programs, by browsers, and by their Host headers."""

    url: str  # for programs
    browser_url: str  # for browsers
    origins: Mapping[str, str]  # what Host may say, and the origin of the pages there
    sign_in_hosts: frozenset[str]  # where a browser gets a cookie

    @property
    def machine_url(self) -> str:
        """For other machines: the public address, but no name that only browsers resolve."""
        is_own = (urlsplit(self.browser_url).hostname or "").endswith(".localhost")
        return self.url if is_own else self.browser_url


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    return host.lower() in _LOOPBACK


def listening(host: str, port: int) -> list[socket.socket]:
    """Sockets on a port, or on the next one that is free."""
    for wanted in range(port, min(port + _TRIES, 65_536)):
        try:
            return _bound(host, wanted)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                message = (
                    f"Cannot listen on {host!r}: {error.strerror or error}. Try another --host."
                )
                raise ConfigError(message) from error
    raise ConfigError(f"No port from {port} upwards is free. Choose another with --port.")


def port_of(sockets: list[socket.socket]) -> int:
    """The port all of them listen on."""
    return int(sockets[0].getsockname()[1])


def server_names(
    host: str,
    port: int,
    *,
    name: str,
    is_tls: bool = False,
    is_plain: bool = False,
    public_url: str | None = None,
) -> ServerNames:
    """The names of a server; `name` is the one below `localhost` that only its owner knows.

    A cookie goes to every port of its host, so browsers get none for `localhost`: another user's
    server there would receive it. A certificate, though, cannot have the name.
    """
    scheme, is_plain = "https" if is_tls else "http", is_plain or is_tls
    url = f"{scheme}://{_own_name(host)}:{port}"
    own = _with_port({f"{name}.localhost"}, port, is_tls=is_tls)
    loopback = _with_port(_LOOPBACK_NAMES, port, is_tls=is_tls)
    beyond = _with_port(_names_beyond(host), port, is_tls=is_tls)
    origins = {one: f"{scheme}://{one}" for one in own | loopback | beyond}
    sign_in = own | beyond | (loopback if is_plain else set())
    browser_url = url if is_plain or (beyond and host not in _ANY) else ""
    if public_url:
        public_host = public_url.partition("://")[2]
        browser_url = origins[public_host] = public_url
        sign_in |= {public_host}
    return ServerNames(
        url=url,
        browser_url=browser_url or f"{scheme}://{name}.localhost:{port}",
        origins=origins,
        sign_in_hosts=frozenset(sign_in),
    )


def public_origin(url: str) -> str:
    """What --public-url names, as a browser says it; UsageError if it is no address of a server."""
    wrong = UsageError(
        f"--public-url must be an address such as http://localhost:8080, not {url!r}"
    )
    try:
        parts = urlsplit(url.lower())
        default, port = {"http": 80, "https": 443}[parts.scheme], parts.port
    except (ValueError, KeyError) as error:
        raise wrong from error
    is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment or "@" in url)
    if not parts.hostname or not is_bare:
        raise wrong
    host = _bracketed(parts.hostname)
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, default) else "")


def own_path(address: str) -> str:
    """A path on this server; what a browser could take for an address elsewhere is the board."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    is_plain = address.isascii() and address.isprintable() and "\\" not in address
    is_here = not parts.scheme and not parts.netloc and address.startswith("/")
    return address if is_plain and is_here and not address.startswith("//") else "/"


def _own_name(host: str) -> str:
    return "localhost" if is_loopback(host) or host in _ANY else _bracketed(host)


def _names_beyond(host: str) -> set[str]:
    """The names by which other machines may call this one."""
    if host in _ANY:
        own = socket.gethostname()
        return {own, socket.getfqdn(), *_addresses(own)} - _LOOPBACK_NAMES
    return set() if is_loopback(host) else {_bracketed(host)}


def _with_port(names: Iterable[str], port: int, *, is_tls: bool) -> set[str]:
    bare, default = {name.lower() for name in names}, 443 if is_tls else 80
    return {f"{name}:{port}" for name in bare} | (bare if port == default else set())


def _bound(host: str, port: int) -> list[socket.socket]:
    wished = ["127.0.0.1", "::1"] if is_loopback(host) else [host]
    sockets: list[socket.socket] = []
    try:
        for one in wished:
            family = socket.AF_INET6 if ":" in one else socket.AF_INET
            try:
                sockets.append(_socket(family, one, port_of(sockets) if sockets else port))
            except OSError as error:
                # A machine may have no IPv6; but `localhost` must be nobody else's.
                if not sockets or error.errno not in _NO_SUCH:
                    raise
    except OSError:
        for one_made in sockets:
            one_made.close()
        raise
    return sockets


def _socket(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        sock.listen(2048)
    except OSError:
        sock.close()
        raise
    return sock


def _addresses(own: str) -> set[str]:
    try:
        found = socket.getaddrinfo(own, None)
    except OSError:
        return set()
    return {_bracketed(str(address[0])) for *_, address in found}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
