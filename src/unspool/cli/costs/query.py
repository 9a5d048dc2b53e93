"""What a cost report is asked of: roots, their files, and the home of their index and cache."""

import os
from collections.abc import Sequence

from unspool.cli import paths
from unspool.source.roots import known_roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unspool.engine.scan.cache import FileKey


class CostQuery:
    """Some roots, and where what is known about them lies."""

    def __init__(self, explicit: Sequence[str] = ()) -> None:
        self.scope = paths.scope(explicit)
        self.places, self.home = self.scope
        self.prices = paths.prices_name(paths.unspool_home())

    @property
    def index(self) -> str:
        """The file of the index, whether there is one or not."""
        return os.path.join(self.home, paths.INDEX)

    def index_state(self) -> tuple[int, ...]:
        """What changes with every write to the index; nothing where there is none."""
        state: tuple[int, ...] = ()
        try:
            info = os.stat(self.index)
            state = info.st_ino, info.st_size, info.st_mtime_ns
            log = os.stat(f"{self.index}-wal")
        except OSError:
            return state
        # An empty log comes and goes with whoever reads.
        return (*state, log.st_size, log.st_mtime_ns) if log.st_size else state

    def files(self) -> "list[FileKey]":
        """Every transcript of the roots as it is now."""
        from unspool.source.files import TRANSCRIPT_KINDS, scan_files

        return [
            (*file.state, file.project_id)
            for place in self.places
            for file in scan_files(place, TRANSCRIPT_KINDS, with_sessions=False)
        ]

    def folders(self) -> list[str]:
        """Every directory in which a transcript can appear."""
        from unspool.source.files import scan_folders

        return [path for place in self.places for path in scan_folders(place)]

    def has_file(self, path: str) -> bool:
        """Whether a path is one of a transcript of the roots, if it is one at all."""
        tops = (os.path.join(place.projects, place.only or "") for place in self.places)
        return any(path.startswith(top.rstrip(os.sep) + os.sep) for top in tops)

    def is_about(self) -> "Callable[[str], bool]":
        """Whether a project is of these roots: the index may hold others of the user's too."""
        mine = {place.prefix for place in self.places}
        every = mine | {root.prefix for root in known_roots(self.home)}
        only = {place.prefix + place.only for place in self.places if place.only is not None}

        def is_mine(project: str) -> bool:
            prefix = project.partition("~")[0] + "~"
            return (prefix if prefix in every else "") in mine

        if only:
            return only.__contains__
        return is_mine if every != mine else lambda _: True
