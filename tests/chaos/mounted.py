"""A disk that is unmounted and mounted again under a watcher; run where mounts are our own.

`unshare -Urm python -m tests.chaos.mounted` ends with 0 if each line is there once.
"""

import shutil
import subprocess
from pathlib import Path

from tests.chaos.scene import Scene
from tests.chaos.watching import Pen, Watching, assert_each_line_once
from tests.waiting import until


def mount(place: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "none", str(place)], check=True)  # noqa: S607


def main() -> None:
    """Mount, watch, unmount, mount again with more in it."""
    scene, names = Scene(), ("s1", "s2", "s3")
    scene.store.close()
    disk, copy = Path(scene.root.path), scene.place / "copy"
    mount(disk)
    pen = Pen(scene)
    pen.write(*names)
    with Watching(scene) as watching:
        assert watching.has_lines(3)
        shutil.copytree(disk / "projects", copy)
        subprocess.run(["umount", "--lazy", str(disk)], check=True)  # noqa: S607
        assert watching.has_gone(3)
        mount(disk)
        shutil.copytree(copy, disk / "projects")
        pen.write(*names)
        assert watching.has_lines(6)
        assert watching.has_gone(0)
        pen.write("s2")
        assert watching.has_lines(7)
    assert until(lambda: not disk.is_mount() or bool(scene.files()))
    assert_each_line_once(scene, pen.lines)
    subprocess.run(["umount", "--lazy", str(disk)], check=True)  # noqa: S607
    scene.clean_up()


if __name__ == "__main__":
    main()
