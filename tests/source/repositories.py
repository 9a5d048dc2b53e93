"""Repositories on disk, written as git writes them: git itself need not be here."""

from pathlib import Path

CONFIG = '[core]\n\tbare = false\n[remote "upstream"]\n\turl = https://example.com/else\n'


def repository(place: Path, origin: str = "") -> Path:
    """A main checkout, with a remote if it has one."""
    git = place / ".git"
    git.mkdir(parents=True)
    remote = f'[remote "origin"]\n\turl = {origin}\n\tfetch = +refs/*:refs/*\n' if origin else ""
    (git / "config").write_text(CONFIG + remote)
    return place


def worktree(main: Path, place: Path, common: Path | None = None) -> Path:
    """A linked worktree of a repository."""
    own = (common or main / ".git") / "worktrees" / place.name
    own.mkdir(parents=True)
    place.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{place / '.git'}\n")
    (place / ".git").write_text(f"gitdir: {own}\n")
    return place
