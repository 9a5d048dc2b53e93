"""Processes on Windows, by its own functions: there, `os.kill` ends whatever it is asked about."""

import ctypes
from ctypes import byref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAY_LOOK = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_REFUSED = 5  # ERROR_ACCESS_DENIED: there is one, of another user
_RUNNING = 259  # STILL_ACTIVE
_EPOCH = 116_444_736_000_000_000  # 1970, in units of 100 ns since 1601


def started_ns(pid: int) -> int | None:
    """When a process started, in ns since 1970; 0 if it may not be read, None if not running."""
    from ctypes import wintypes  # noqa: PLC0415 - Windows alone

    library: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009
    library.OpenProcess.restype = wintypes.HANDLE
    library.OpenProcess.argtypes = wintypes.DWORD, wintypes.BOOL, wintypes.DWORD
    handle = wintypes.HANDLE(library.OpenProcess(_MAY_LOOK, False, pid))
    if not handle:
        error = getattr(ctypes, "get_last_error")()  # noqa: B009
        return 0 if error == _REFUSED else None
    try:
        code, times = wintypes.DWORD(), [wintypes.FILETIME() for _ in range(4)]
        if library.GetExitCodeProcess(handle, byref(code)) and code.value != _RUNNING:
            return None
        if not library.GetProcessTimes(handle, *map(byref, times)):
            return 0
        ticks = times[0].dwHighDateTime << 32 | times[0].dwLowDateTime
        return (ticks - _EPOCH) * 100
    finally:
        library.CloseHandle(handle)
