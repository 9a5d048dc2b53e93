"""However the files of a session grow, what is asked of it is what its start would give."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.derive.context.contexts import Disk
from tests.derive.hooked import hook
from tests.derive.test_document import Echo
from tests.derive.wholes import PRICES
from tests.examples import examples
from unspool.decode.lines import decode
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.agents.facts import FactsFold
from unspool.derive.document import Assembler, Cut, Window
from unspool.derive.transcript import TranscriptFold
from unspool.derive.whole import AgentPart, Ownership, SessionJoin, Whole
from unspool.model.document import SessionDocument, SessionInfo
from unspool.model.hooks import HookEvent
from unspool.model.sidecars import AgentMeta
from unspool.model.usage import UsageRow

MODEL = {"model": "claude-sonnet-4-6"}
MEMORY = "/repo/src/CLAUDE.md"
DISK = Disk({"user": 40}, {"/repo/src/a": {MEMORY: 44}}, {"a.md": 80})
INFO = SessionInfo(id="s1")


def main_lines() -> list[bytes]:
    made = Transcript().user("see @a.md").calls("Task", {"prompt": "look"}, id="t1", **MODEL)
    made.answers([[text_block("a")], [text_block("a"), tool_block("Bash", {"command": "q"}, "t2")]])
    made.calls("Read", {"file_path": "/repo/src/a"}, id="t3").returns("x", call="t3")
    made.attachment("nested_memory", path=MEMORY, content={"path": MEMORY, "content": "x"})
    made.returns("done", call="t1", result={"agentId": "a1", "status": "completed"})
    made.says("shared", id="shared", request="shared", **MODEL).compacts().user("on").says("more")
    made.user("aside", parentUuid=None, isSidechain=True).says("x", isSidechain=True)
    made.entry("ai-title", aiTitle="A title").user("back", parentUuid="u1").says("b", id="late")
    made.calls("Agent", {"prompt": "dig", "description": "d"}, id="t4").user(
        "last", parentUuid="u2"
    )
    made.attachment("file", filename="a.md", content="x" * 40).says("late", id="late", **MODEL)
    made.returns("late", call="t2").calls("Bash", {"command": "r"}, id="t5").interrupted()
    made.user("on and on").says("end")
    lines = made.bytes().splitlines()
    return [*lines[:-1], lines[4], lines[-1]]  # one was written twice


def agent_lines(id: str, prompt: str) -> list[bytes]:
    made = Transcript(agent=id, uuid_prefix=f"{id}-").user(prompt).calls("Bash", id=f"{id}-t1")
    made.returns("x").says("shared", id="shared", request="shared").says("own", id=f"m-{id}")
    return made.user("more").says("done", id=f"n-{id}", **MODEL).bytes().splitlines()


FILES = {"": main_lines(), "a1": agent_lines("a1", "look"), "a2": agent_lines("a2", "dig")}
BASH = {"tool_name": "Bash", "tool_input": {"command": "q"}}
EVENTS = [
    hook("PreToolUse", 2, tool_use_id="t2", **BASH),
    hook("PermissionRequest", 3, **BASH),
    hook("PermissionRequest", 20, tool_name="Bash", tool_input={"command": "r"}),
    hook("PostToolUse", 9, tool_use_id="t2", **BASH),
]
JOURNAL = [
    b'{"type": "started", "agentId": "a2", "label": "survey"}',
    b'{"type": "result", "agentId": "a1"}',
]


class Session:
    """The files of a session as they are now, and what one that is kept says of them."""

    def __init__(self) -> None:
        self.counts = {name: 0 for name in FILES}
        self.journal = self.hooks = 0
        self.metas: dict[str, AgentMeta] = {}
        self.at_work: set[str] = set()
        self.elsewhere: dict[str, str] = {}
        self.earlier: list[UsageRow] = []
        self.folds = {"": TranscriptFold("s1")}
        self.join = SessionJoin(PRICES)

    def grow(self, name: str, count: int) -> None:
        fold = self.folds.setdefault(name, _fold(name))
        begin = self.counts[name]
        self.counts[name] = min(begin + count, len(FILES[name]))
        _feed(fold, FILES[name][begin : self.counts[name]], begin)

    def rewrite(self, name: str, count: int) -> None:
        """Another file of that name, with the first lines only."""
        self.counts[name] = 0
        self.folds[name] = _fold(name)
        self.grow(name, count)

    @property
    def events(self) -> list[HookEvent]:
        return sorted(EVENTS[: self.hooks], key=lambda event: event.timestamp)

    def kept(self) -> Whole:
        return self._whole(self.folds, self.join)

    def anew(self) -> Whole:
        folds = {name: _fold(name) for name in self.folds}
        for name, fold in folds.items():
            _feed(fold, FILES[name][: self.counts[name]], 0)
        return self._whole(folds, SessionJoin(PRICES))

    def _whole(self, folds: Mapping[str, TranscriptFold], join: SessionJoin) -> Whole:
        parts = [
            AgentPart(fold, self.metas.get(name), name in self.at_work)
            for name, fold in folds.items()
            if name
        ]
        journal = FactsFold()
        for line in JOURNAL[: self.journal]:
            journal.feed_beside(decode(line)[0])
        ownership = Ownership(True, dict(self.elsewhere), list(self.earlier))
        return Whole(folds[""], parts, join, ownership, journals=[journal.facts()])


def _fold(name: str) -> TranscriptFold:
    return TranscriptFold("s1", name, kind="subagent" if name else "main")


def _feed(fold: TranscriptFold, lines: list[bytes], first: int) -> None:
    fold.feed_all((first + n, len(line), decode(line)) for n, line in enumerate(lines))


def act(session: Session, step: str, count: int) -> None:
    """One thing that can happen to a session."""
    match step:
        case "journal":
            session.journal = min(session.journal + 1, len(JOURNAL))
        case "hook":
            session.hooks = min(session.hooks + 1, len(EVENTS))
        case "meta":
            session.metas["a2"] = AgentMeta("Explore", "survey", f"t{count}")
        case "work":
            session.at_work ^= {"a1"}
        case "owner":
            session.elsewhere = {} if session.elsewhere else {"m:shared": "s9", "m:late": "s8"}
        case "earlier":
            session.earlier = [] if session.earlier else _earlier()
        case "rewrite":
            session.rewrite("a1" if count % 2 else "", count)
        case name:
            session.grow(name, count)


def _earlier() -> list[UsageRow]:
    fold = _fold("")
    _feed(fold, Transcript(uuid_prefix="old").says("gone", id="gone").bytes().splitlines(), 0)
    return list(fold.usage.rows.values())


def ask(whole: Whole, events: list[HookEvent], owner: str, count: int) -> list[object]:
    """What a page shows: a window, a part of a chunk, and how many steps a chunk has."""
    assembler, spans = Assembler(whole, owner, sizes=DISK), whole.folds[owner].chunks.spans
    cuts = [Cut(n, span.first.line + 1, span.first.line + count) for n, span in enumerate(spans)]
    return [
        assembler.document(INFO, Window(count, 2), Echo(), events),
        assembler.parts(INFO, cuts, Echo(), events),
        [assembler.steps_of(span) for span in spans],
    ]


STEPS = ["", "", "", "a1", "a2", "journal", "hook", "hook", "meta", "work", "owner", "earlier"]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([*STEPS, "rewrite"]), st.integers(1, 5), st.booleans()),
        min_size=1,
        max_size=30,
    )
)
def test_a_session_that_grew_is_the_one_joined_at_once(
    steps: list[tuple[str, int, bool]],
) -> None:
    session = Session()
    for step, count, is_asked in steps:
        act(session, step, count)
        kept = session.kept()
        if not is_asked:
            continue
        anew, events = session.anew(), session.events
        assert (kept.links, kept.facts, kept.agents) == (anew.links, anew.facts, anew.agents)
        for owner in anew.folds:
            assert ask(kept, events, owner, count) == ask(anew, events, owner, count)
            grown, whole = (Assembler(one, owner, sizes=DISK) for one in (kept, anew))
            found = [one.document(INFO, Window(), Echo(), events) for one in (grown, whole)]
            for name in SessionDocument.__struct_fields__:
                assert getattr(found[0], name) == getattr(found[1], name), name
