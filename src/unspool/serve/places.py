"""Host and port as wished -> sockets that listen, and the names they may be called by."""

import errno
import socket
from typing import Final

from unspool.errors import ConfigError

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - named to be recognised
_TRIES: Final = 100
_NO_SUCH: Final = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})


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
    raise ConfigError(f"No port from {port} on is free. Name another with --port.")


def port_of(sockets: list[socket.socket]) -> int:
    """The port all of them listen on."""
    return int(sockets[0].getsockname()[1])


def hosts(host: str, port: int, *, is_tls: bool) -> set[str]:
    """What a Host header may say: the names of this server and nothing else."""
    names = {"localhost", "127.0.0.1", "[::1]"}
    if host in _ANY:
        own = socket.gethostname()
        names |= {own, socket.getfqdn(), *_addresses(own)}
    elif not is_loopback(host):
        names.add(_bracketed(host))
    default = 443 if is_tls else 80
    return {f"{name}:{port}".lower() for name in names} | (names if port == default else set())


def name(host: str) -> str:
    """The name to put into an address."""
    return "localhost" if is_loopback(host) or host in _ANY else _bracketed(host)


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
