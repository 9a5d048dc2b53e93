"""A path -> the network file system it lies on, where another machine's writes go unannounced."""

import os
from pathlib import Path
from typing import Final

_TABLE: Final = Path("/proc/self/mountinfo")
_REMOTE: Final = frozenset(
    "9p afs ceph cifs davfs drvfs glusterfs lustre ncpfs nfs nfs4 prl_fs smb2 smb3 smbfs vboxsf"
    " fuse.davfs2 fuse.glusterfs fuse.grpcfuse fuse.rclone fuse.s3fs fuse.sshfs"
    " fuse.vmhgfs-fuse".split()
)


def mounted() -> str:
    """What is mounted where; nothing on systems that do not say."""
    try:
        return _TABLE.read_text(errors="replace")
    except OSError:
        return ""


def network(path: str, table: str) -> str:
    """The kind of network file system a path lies on, by the table of mounts; or ''."""
    real = os.path.realpath(path)
    best, kind = "", ""
    for line in table.splitlines():
        fields, _, about = line.partition(" - ")
        point = _unescaped((fields.split() + [""] * 5)[4])
        # What is mounted later on the same place hides what was there.
        if point and len(point) >= len(best) and _is_below(real, point):
            best, kind = point, (about.split() or [""])[0]
    return kind if kind in _REMOTE else ""


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip(os.sep) + os.sep)


def _unescaped(point: str) -> str:
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, character)
    return point
