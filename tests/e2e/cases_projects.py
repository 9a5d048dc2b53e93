"""Which project a session belongs to: worktrees and clones of one repository are one."""

import shutil
from pathlib import Path

from tests.e2e.cases import Files, case, stamp
from tests.e2e.cases_usage import USAGE
from tests.source.repositories import repository, worktree
from unspool.demo import Transcript

TREE = "-repo--claude-worktrees-feat-x"


def paid_in(cwd: Path | str, id: str = "s1") -> Transcript:
    """A session of one response in a directory."""
    made = Transcript(id, str(cwd), uuid_prefix=f"{id}-", start=stamp(1)).user("Do it")
    return made.says("Done", usage=USAGE, id=f"m-{id}")


@case(
    right={
        "group": {("-repo", "s1"): "-repo", (TREE, "s2"): "-repo"},
        "group_name": {("-repo", "s1"): "repo", (TREE, "s2"): "repo"},
        "cwd": {(TREE, "s2"): "/repo/.claude/worktrees/feat-x"},
    },
)
def a_worktree_of_claude_code(files: Files) -> None:
    """The path alone tells."""
    files.save(paid_in("/repo"), paid_in("/repo/.claude/worktrees/feat-x", "s2"))


@case(
    right={
        "group": {(TREE, "s2"): "-repo", ("-repo--claude-worktrees-y", "s3"): "-repo"},
        "group_name": {(TREE, "s2"): "repo"},
    },
)
def worktrees_whose_main_checkout_has_no_sessions(files: Files) -> None:
    files.save(paid_in("/repo/.claude/worktrees/feat-x", "s2"))
    files.save(paid_in("/repo/.claude/worktrees/y", "s3"))


@case()
def a_linked_worktree_and_a_clone(files: Files) -> None:
    """The repository on disk tells."""
    place = files.root.parent
    main = repository(place / "shop", "git@github.com:Org/Shop.git")
    files.save(paid_in(main), paid_in(worktree(main, place / "wt"), "s2"))
    files.save(paid_in(repository(place / "copy", "https://github.com/org/shop"), "s3"))


@case()
def a_linked_worktree_that_was_removed(files: Files) -> None:
    """What was known of it is kept."""
    a_linked_worktree_and_a_clone(files)
    files.index()
    for name in ("wt", "shop", "copy"):
        shutil.rmtree(files.root.parent / name)
    (files.home / "index.db").unlink()


@case(
    right={"group": {("-a", "s1"): "mine", ("-b", "s2"): "mine", ("-c", "s3"): "-c"}},
)
def a_name_in_the_settings(files: Files) -> None:
    files.save(paid_in("/a"), paid_in("/b", "s2"), paid_in("/c", "s3"))
    (files.home / "unspool.toml").write_text('[projects]\nmine = ["/a", "/b*"]\n')


@case(right={"group": {("-repo", "h1"): "-repo"}})
def a_session_that_only_hooks_know(files: Files) -> None:
    files.hook("UserPromptSubmit", 2, session="h1", prompt="Do it")
