"""The pieces do not matter: however a session grew, it ends as the same document."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode

from tests.engine.roots import NOW, append, root_sessions
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.engine.sessions.session import SessionReader

LATER = NOW + 3_600_000

Act = Callable[[Transcript], object]

ACTS: dict[str, Act] = {
    "prompt": lambda made: made.user("go on — “ça va” 漢字 🎈"),
    "answer": lambda made: made.says("done"),
    "streamed": lambda made: made.answers([thinking_block("hm"), text_block("so")], outputs=[1, 9]),
    "calls": lambda made: made.answers([tool_block("Bash", {"command": "ls"})] * 2),
    "result": lambda made: made.returns("out"),
    "refusal": lambda made: made.returns("no", failed=True, result="User rejected tool use"),
    "agent": lambda made: made.calls("Agent", description="see", prompt="look around"),
    "notice": lambda made: made.synthetic("API Error: 529", error="overloaded"),
    "stop": lambda made: made.interrupted(),
    "reminder": lambda made: made.reminder("remember"),
    "compaction": lambda made: made.compacts(),
    "title": lambda made: made.entry("ai-title", aiTitle="a title"),
    "queue": lambda made: made.entry("queue-operation", operation="enqueue", content="later"),
    "progress": lambda made: made.progress("bash_progress", output="x"),
    "attachment": lambda made: made.attachment("hook_success", hookEvent="Stop", hookName="Stop"),
    "todo": lambda made: made.calls("TodoWrite", todos=[{"content": "x", "status": "pending"}]),
    "plan": lambda made: made.calls("ExitPlanMode", plan="1. paint"),
    "novelty": lambda made: made.entry("zeppelin", altitude=3),
    "block": lambda made: made.user([{"type": "hologram", "depth": 3}]),
    "again": lambda made: made.user("twice", uuid="same"),
    "rewind": lambda made: setattr(made, "leaf", "u1"),
    "broken": lambda made: made.raw(b'{"type":"user","uuid":"cut'),
    "glued": lambda made: made.raw(made.bytes().splitlines()[-1] * 2 if made.bytes() else b"{}{}"),
    "blank": lambda made: made.raw(b" \r"),
    "foreign": lambda made: made.user("x", sessionId="s9"),
}


START = b'{"type":"mode","mode":"normal"}\n'
CUTS = st.lists(st.integers(0, 1 << 20), max_size=8)
MOMENTS = st.lists(st.sampled_from([NOW, LATER]), min_size=9, max_size=9)


@st.composite
def transcripts(draw: st.DrawFn, agent: str | None = None) -> bytes:
    """The bytes of one file, whatever happened in it; its last line may never have been ended."""
    made = Transcript(agent=agent, uuid_prefix=f"{agent}-" if agent else "")
    if agent:
        made.user("look around")
    for name in draw(st.lists(st.sampled_from(sorted(ACTS)), max_size=12)):
        ACTS[name](made)
    data = made.bytes()
    return data[: len(data) - draw(st.sampled_from([0, 0, 1, 30]))]


class Files:
    """A session's files, as far as they have been written."""

    def __init__(self, directory: str) -> None:
        self._root = Path(directory)
        self.main = Transcript().path_in(self._root)
        self.agent = Transcript(agent="a1").path_in(self._root)
        self.agent.parent.mkdir(parents=True)
        append(self.main, START)

    def open(self) -> SessionReader:
        """The session as somebody sees it who opens it now."""
        return root_sessions(self._root, now=LATER).open(str(self.main))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


def document(session: SessionReader) -> bytes:
    return encode(session.document())


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(transcripts(), CUTS, MOMENTS)
def test_the_pieces_do_not_matter(data: bytes, cuts: list[int], moments: list[int]) -> None:
    with TemporaryDirectory() as directory:
        files = Files(directory)
        grown = files.open()
        for piece, now in zip(pieces(data, cuts), moments, strict=False):
            append(files.main, piece)
            grown.refresh(now)
            grown.document()
        grown.refresh(LATER)

        assert document(grown) == document(files.open())


@given(transcripts(), transcripts("a1"), CUTS, st.lists(st.booleans(), max_size=18))
def test_the_order_in_which_the_files_grow_does_not_matter(
    data: bytes, agent: bytes, cuts: list[int], turns: list[bool]
) -> None:
    with TemporaryDirectory() as directory:
        files = Files(directory)
        grown = files.open()
        waiting = {files.main: pieces(data, cuts), files.agent: pieces(agent, cuts)}
        for is_agents in [*turns, *[False] * 9, *[True] * 9]:
            path = files.agent if is_agents else files.main
            if waiting[path]:
                append(path, waiting[path].pop(0))
                grown.refresh(NOW)
        grown.refresh(LATER)

        assert document(grown) == document(files.open())


# devtools 114
def test_a_line_that_comes_in_two_parts_is_one_message(files: Files) -> None:
    line = Transcript().user("go").bytes()
    grown = files.open()
    append(files.main, line[:50])
    grown.refresh(NOW)
    assert grown.document().chunks == ()

    append(files.main, line[50:])
    grown.refresh(NOW)
    assert [chunk.text for chunk in grown.document().chunks] == ["go"]


# devtools 119
def test_a_character_that_comes_in_two_parts_is_whole(files: Files) -> None:
    line = Transcript().user("漢").bytes()
    cut = line.index("漢".encode()) + 1
    grown = files.open()
    append(files.main, line[:cut])
    grown.refresh(NOW)
    append(files.main, line[cut:])
    grown.refresh(NOW)

    assert [chunk.text for chunk in grown.document().chunks] == ["漢"]
