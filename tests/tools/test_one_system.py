"""Names that some systems lack stand in `system` alone: anywhere else they would raise there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "unspool"
# Claude Code starts it as a script, so it imports nothing of ours; its own names are guarded.
ALONE = SOURCE / "source" / "hook.py"

_MODULES = set(
    "ctypes fcntl grp msvcrt nt posix pty pwd resource syslog termios tty winreg _winapi".split()
)
# What Python has on Linux, macOS and Windows alike; `os.open` would translate line ends on Windows.
_FLAGS = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_APPEND", "O_CREAT", "O_EXCL", "O_TRUNC"}
_SIGNALS = {"SIGINT", "SIGTERM", "SIG_DFL", "SIG_IGN"}
_OS = set(
    """
    open chown fchdir fchmod fchown fork forkpty getegid geteuid getgid getpgid getpriority getsid
    getuid get_blocking killpg lchown lockf major minor mkfifo mknod name nice openpty
    posix_fadvise posix_fallocate posix_spawn pread preadv pwrite pwritev register_at_fork sendfile
    setpriority setsid set_blocking statvfs supports_dir_fd supports_fd supports_follow_symlinks
    sync sysconf uname wait waitid writev
    """.split()
)
_OTHER = {("select", "poll"), ("select", "epoll"), ("signal", "alarm"), ("signal", "setitimer")}
_PROC = re.compile(r"/(proc|sys|dev/fd)(/|$)")


def faults(text: str) -> Iterator[str]:
    """Uses of a name, a module or a place that not every system has."""
    for node in ast.walk(ast.parse(text)):
        for name in _used(node):
            yield f"line {getattr(node, 'lineno', 0)}: {name}"


def _used(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if _MODULES & {*one.name.split(".")[:1]})
    elif isinstance(node, ast.ImportFrom) and not node.level:
        module = node.module or ""
        names = (one.name for one in node.names)
        is_special = bool(_MODULES & {*module.split(".")[:1]})
        yield from (f"{module}.{one}" for one in names if is_special or _is_special(module, one))
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if _is_special(node.value.id, node.attr):
            yield f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _asked(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if _PROC.match(node.value):
            yield node.value
    elif isinstance(node, ast.keyword) and node.arg in ("dir_fd", "preexec_fn"):
        yield f"{node.arg}="


def _asked(call: ast.Call) -> Iterator[str]:
    """`getattr(os, "fork")` is a use too, and so is to ask for it."""
    match call:
        case ast.Call(
            func=ast.Name("getattr" | "hasattr"),
            args=[ast.Name(module), ast.Constant(str(name)), *_],
        ) if _is_special(module, name):
            yield f"{module}.{name}"


def _is_special(module: str, name: str) -> bool:
    if module == "os":
        return name in _OS or name.startswith("sched_") or (name[:2] == "O_" and name not in _FLAGS)
    if module == "signal":
        return name.startswith("SIG") and name not in _SIGNALS
    return (module, name) in _OTHER


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl",
        "from termios import tcgetattr",
        "from os import fork",
        "os.fork()",
        "flags = os.O_NOFOLLOW",
        'flags = getattr(os, "O_CLOEXEC", 0)',
        'if hasattr(os, "geteuid"): pass',
        "fd = os.open(path, 0)",
        "os.unlink(name, dir_fd=at)",
        "signal.signal(signal.SIGHUP, stop)",
        "os.sched_getaffinity(0)",
        "select.poll()",
        'open("/proc/stat")',
        'Path("/proc")',
        'open(f"/proc/{pid}/stat")',
    ],
)
def test_what_not_every_system_has_is_found(text: str) -> None:
    assert len(list(faults(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "flags = os.O_RDWR | os.O_CREAT",
        "signal.signal(signal.SIGINT, stop)",
        "resource.name",
        'x = "a file system such as /proc"',
        'x = "/process/list"',
        "select.select([fd], [], [])",
    ],
)
def test_what_every_system_has_is_not(text: str) -> None:
    assert list(faults(text)) == []


def test_no_such_name_stands_outside_the_system_package() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {fault}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path != ALONE and not path.is_relative_to(SOURCE / "system")
        for fault in faults(path.read_text("utf-8"))
    ]

    assert found == []
