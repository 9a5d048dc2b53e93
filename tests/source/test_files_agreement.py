"""Whoever finds files finds the same ones, whatever names lie in a root."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, TypeAlias

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from unspool.engine.indexing.survey import survey
from unspool.model.files import Root
from unspool.source.files import (
    INDEXED_KINDS,
    TRANSCRIPT_KINDS,
    classify,
    file_at,
    scan_files,
    scan_folders,
)
from unspool.source.session_files import session_files, transcript_at
from unspool.source.statusline import recent_files
from unspool.source.watch import WatchScope

Name: TypeAlias = tuple[str, str, str | None, str | None]  # kind, project, session, agent
Shape: TypeAlias = Literal["file", "directory", "link", "link to a directory", "loop", "pipe"]


class Made(NamedTuple):
    """Something to put below a root."""

    path: str
    shape: Shape
    session: str | None  # what its first line names


# --- trees ---------------------------------------------------------------------------------------


def mostly(names: list[str], odd: list[str]) -> st.SearchStrategy[str]:
    """One of the names, and now and then an odd one."""
    return st.sampled_from(names * 4 * max(len(odd) // len(names), 1) + odd)


projects = mostly(["-p", "-q"], ["-p.orphaned", "-p.superseded.1", "-p\udcff", "-p.jsonl"])
sessions = mostly(["s1", "s2"], ["s1.orphaned", "s1\udcff", "s1.jsonl", "agent-q1"])
mains = mostly(
    ["s1.jsonl", "s2.jsonl", "agent-q1.jsonl", "agent-q2.jsonl"],
    [
        *("s1.orphaned.jsonl", "s1.superseded.jsonl", "\udcff.jsonl", ".jsonl", "notes.txt"),
        *("agent-.jsonl", "agent-+bad.jsonl", "journal.jsonl", "s1.hooks.jsonl"),
    ],
)
agents = mostly(
    ["agent-q1.jsonl", "agent-q2.jsonl", "journal.jsonl"],
    [
        *("agent-.jsonl", "agent-+bad.jsonl", "agent-q1.orphaned.jsonl", "s1.jsonl"),
        *("agent-q1.meta.json", "agent-\udcff.jsonl"),
    ],
)
logs = mostly(
    ["s1.hooks.jsonl", "agent-q1.hooks.jsonl"],
    [".hooks.jsonl", "s1.jsonl", "s1.orphaned.hooks.jsonl", "notes.txt"],
)
entries = mostly(["12.json"], ["012.json", "12.key", "12.jsonl"])
folders = st.lists(
    mostly(["workflows", "wf_1"], ["subagents", "x.jsonl", "old.orphaned", "\udcff"]), max_size=3
)
below = mostly(["subagents"], ["workflows", "tool-results", "subagents.orphaned"])
deep = st.builds(
    lambda project, session, folder, more, name: "/".join(
        ["projects", project, session, folder, *more, name]
    ),
    *(projects, sessions, below, folders, agents),
)
paths = st.one_of(
    st.builds("projects/{}/{}".format, projects, mains),
    *(deep, deep, deep),
    st.builds("projects/{}/{}/{}".format, projects, sessions, agents),
    st.builds("hooks/{}/{}".format, projects, logs),
    st.builds("sessions/{}".format, entries),
    st.builds("{}/{}".format, st.sampled_from(["hooks", "projects", "sessions/s1"]), mains | logs),
)
shapes = st.sampled_from(
    ["file"] * 20 + ["directory", "link", "link to a directory", "loop", "pipe"]
)
named = st.sampled_from(["s1", "s1", "s2", None, "../s1", ".", "agent-q1"])
trees = st.lists(st.builds(Made, paths, shapes, named), min_size=5, max_size=30)


def put(root: Path, outside: Path, made: Made) -> None:
    """Put one thing below a root, if nothing else is there or in its way."""
    path = root / made.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if made.shape == "file":
            with path.open("xb") as file:
                file.write(
                    b'{"sessionId":"%s"}\n' % made.session.encode() if made.session else b"{}"
                )
        elif made.shape == "directory":
            path.mkdir()
        elif made.shape == "pipe":
            os.mkfifo(path)
        else:
            targets = {
                "link": outside / "s1.jsonl",
                "loop": path,
                "link to a directory": outside / "s1",
            }
            path.symlink_to(targets[made.shape])
    except (FileExistsError, NotADirectoryError):
        return


def everything(root: Path) -> Iterator[str]:
    """Every path below a root, those behind links too."""
    for above, directories, names in os.walk(root, followlinks=True):
        yield from (os.path.join(above, name) for name in [*directories, *names])


# --- what is right -------------------------------------------------------------------------------

AGENT = r"agent-(?P<agent>[A-Za-z0-9][A-Za-z0-9@._-]{0,127})\.jsonl"
FOLDER = r"(?:(?!\.{1,2}/)[^/]*(?<!\.jsonl)/)"
LAYOUT = {
    "legacy_subagent": rf"projects/(?P<project>[^/]+)/{AGENT}",
    "main": r"projects/(?P<project>[^/]+)/(?!agent-)(?P<session>[^/]+)\.jsonl",
    "workflow_subagent": (
        rf"projects/(?P<project>[^/]+)/(?P<session>[^/]+)/subagents/workflows/{FOLDER}*{AGENT}"
    ),
    "subagent": (
        rf"projects/(?P<project>[^/]+)/(?P<session>[^/]+)/subagents/(?!workflows/){FOLDER}*{AGENT}"
    ),
    "journal": (
        r"projects/(?P<project>[^/]+)/(?P<session>[^/]+)/subagents/workflows/"
        rf"{FOLDER}*journal\.jsonl"
    ),
    "hook_log": r"hooks/(?P<project>[^/]+)/(?P<session>[^/]+)\.hooks\.jsonl",
    "registry": r"sessions/[1-9][0-9]{0,9}\.json",
}


def expected(root: Root, path: str) -> Name | None:
    """What a path is by the layout as it is documented, and by what lies on the disk."""
    below = os.path.relpath(path, root.path)
    parts = below.split(os.sep)
    if any(mark in below for mark in (".orphaned", ".superseded", "\udcff")):
        return None
    if any(part.endswith(".jsonl") for part in parts[:-1]):
        return None
    if parts[0] != "sessions" and root.only not in (None, *parts[1:2]):
        return None
    if os.path.realpath(path) != path or not os.path.isfile(path):
        return None
    for kind, pattern in LAYOUT.items():
        if found := re.fullmatch(pattern, below):
            groups = found.groupdict()
            session, agent = groups.get("session"), groups.get("agent")
            if kind == "legacy_subagent":
                session = first_session(path, agent)
                if session and _is_twin(os.path.dirname(path), session, agent or ""):
                    return None
            project = root.prefix + groups["project"] if "project" in groups else ""
            return kind, project, session, agent
    return None


def first_session(path: str, agent: str | None) -> str | None:
    """The session that the first line names; one that names none is a session by itself."""
    line, is_whole, _ = Path(path).read_bytes().partition(b"\n")
    found = re.search(rb'"sessionId":"([^"]*)"', line)
    if found and found[1] not in (b"", b".", b"../s1"):
        return found[1].decode()
    return agent if is_whole else None


def _is_twin(project: str, session: str, agent: str) -> bool:
    """Whether an agent of the old layout lies in the new one too."""
    root = Root(1, os.path.dirname(os.path.dirname(project)), "", os.path.dirname(project))
    if session not in os.listdir(project):
        return False
    return any(
        (found := expected(root, path)) is not None and found[2:] == (session, agent)
        for path in everything(Path(project, session))
    )


# --- those who find files ------------------------------------------------------------------------


def walked(root: Root) -> dict[str, Name]:
    return {file.path: file[1:5] for file in scan_files(root, INDEXED_KINDS | {"registry"})}


def indexed(root: Root, path: str) -> Name | None:
    file = transcript_at([root], path)
    return (file.kind, file.project_id, file.session_id, file.agent_id) if file else None


def watched(root: Root, path: str) -> tuple[str, str, str | None, bool] | None:
    file = WatchScope([root]).file(path)
    return (file.kind, file.project_id, file.session_id, file.is_subagent) if file else None


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(trees, st.sampled_from([None, "-p"]), st.sampled_from(["", "r2~"]))
def test_all_agree_on_what_is_ours_and_what_it_is(
    tree: list[Made], only: str | None, prefix: str
) -> None:
    with TemporaryDirectory() as place:
        above = Path(os.path.realpath(place))
        put(above, above, Made("outside/s1/subagents/agent-q1.jsonl", "file", "s1"))
        put(above, above, Made("outside/s1.jsonl", "file", "s1"))
        for made in tree:
            put(above / "root", above / "outside", made)
        root = Root(1, str(above / "root"), prefix, str(above / "root" / "projects"), only)
        check(root, [*everything(above / "root")])


def check(root: Root, below: list[str]) -> None:
    right = {path: name for path in below if (name := expected(root, path))}
    for kind in sorted({kind for kind, *_ in right.values()}):
        event(kind)

    assert walked(root) == right
    assert {path: found[1:5] for path in below if (found := file_at(root, path))} == right
    check_names(root, below, right)
    check_watcher(root, below, right)
    check_index(root, below, right)
    check_costs(root, right)
    if root.only is None:
        check_status_line(root, right)
    check_sessions(root, right)


def check_names(root: Root, below: list[str], right: dict[str, Name]) -> None:
    """By its names alone a path is what it is, but for what only the disk knows."""
    for path in below:
        found, name = classify(root, path), right.get(path)
        if name is not None:
            assert found is not None
            session = found.session_id or name[2]
            assert (found.kind, found.project_id, session, found.agent_id) == name
        elif found is not None and os.path.isfile(path) and os.path.realpath(path) == path:
            assert found.kind == "legacy_subagent"  # it lies in the new layout too


def check_watcher(root: Root, below: list[str], right: dict[str, Name]) -> None:
    """It is told of what is no file too, and asks the disk before it tells anybody."""
    scope = WatchScope([root])
    told = {path: found for path in below if (found := watched(root, path))}
    assert {path: told.get(path) for path in right} == {
        path: (*name[:3], name[3] is not None) for path, name in right.items()
    }
    assert {path for path in told if os.path.isfile(path) and not os.path.islink(path)} == {*right}
    assert {path for path, _ in scope.versions()} == {known.file.path for known in scope.all()}
    assert {path for path, _ in scope.versions()} == {*right}
    assert {*right} <= {
        path for directory in scope.directories() for path in scope.below(directory)
    }


def check_index(root: Root, below: list[str], right: dict[str, Name]) -> None:
    lines = {path: name for path, name in right.items() if name[0] != "registry"}
    assert {path: name for path in below if (name := indexed(root, path))} == lines
    assert {one.file.path for one in survey([root], {}).found} == {*lines}


def check_costs(root: Root, right: dict[str, Name]) -> None:
    """A report reads all transcripts, and knows each directory in which one may appear."""
    transcripts = {path for path, (kind, *_) in right.items() if kind in TRANSCRIPT_KINDS}
    files = scan_files(root, TRANSCRIPT_KINDS, with_sessions=False)
    assert {file.path for file in files} == transcripts
    assert {os.path.dirname(path) for path in transcripts} <= {*scan_folders(root)}


def check_status_line(root: Root, right: dict[str, Name]) -> None:
    """It looks for agents where there is a session; legacy agents it books under theirs."""
    mains = {name[1:3] for name in right.values() if name[0] == "main"}
    found = {file.path: file.session_id for file in recent_files(root.projects, "", 0)}
    assert found == {
        path: session or ""
        for path, (kind, _, session, _) in right.items()
        if kind in ("main", "legacy_subagent")
        or (kind in TRANSCRIPT_KINDS and right[path][1:3] in mains)
    }


def check_sessions(root: Root, right: dict[str, Name]) -> None:
    others = {name[1:3] for name in right.values() if name[0] == "main"}
    for project, session in {name[1:3] for name in right.values()}:
        if session in (".", "../s1"):
            continue  # an id that is a path leads nowhere
        directory = os.path.join(root.projects, project.removeprefix(root.prefix))
        found = session_files(root, directory, session or "")
        mains = [found.main] if found.main else []
        assert {
            file.path for file in (*mains, *found.subagents, *found.journals, *found.hook_logs)
        } == {
            path
            for path, (kind, where, whose, _) in right.items()
            if session
            and whose == session
            and (where == project or (kind == "hook_log" and (where, whose) not in others))
        }
