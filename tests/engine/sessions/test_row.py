"""The row of a session, whoever knows of it and whatever is known."""

from msgspec import structs

from tests.derive.hooked import at, hook
from unspool.derive.approvals import hook_state
from unspool.derive.reading.clock import iso
from unspool.engine.sessions.registry import RegisteredProcess
from unspool.engine.sessions.row import (
    NO_HOOKS,
    RowContext,
    place,
    running_calls,
    session_row,
    status_of,
    usage_sum,
)
from unspool.model.api import Marks
from unspool.model.document import ClientCost, PendingTool, TotalMetrics
from unspool.model.files import RegistryFile
from unspool.model.query import ModelUsage
from unspool.model.session import AgentFacts, RowFacts, SessionSummary, TranscriptState
from unspool.model.sidecars import RegistryEntry

CALL = PendingTool("t1", "Bash", "make deploy", iso(at(3)))
WAITS = TranscriptState("waiting_for_approval", at(3), at(3), CALL, False, ("t1",), True)
FACTS = RowFacts(
    session_id="s1",
    project_id="-repo",
    cwd="/dev/repo",
    title="Its own",
    start_time=at(0),
    end_time=at(3),
    last_activity=at(60),
    lines=4,
    messages=3,
    files_modified=(),
    cost_state=ClientCost(0.25),
    state=WAITS,
    agents=(),
)


def row(
    facts: RowFacts = FACTS, now: float = 10, live: RegisteredProcess | None = None, **marks: object
) -> SessionSummary:
    mark = Marks(project_id="-repo", session_id="s1", **marks) if marks else None  # type: ignore[arg-type]
    return session_row(facts, NO_HOOKS, live, TotalMetrics(), RowContext(at(now), mark))


def registered(alive: bool = True, **fields: object) -> RegisteredProcess:
    entry = RegistryEntry(session_id="s1", **fields)  # type: ignore[arg-type]
    return RegisteredProcess(RegistryFile(1, "/r/sessions/1.json", b"", 0, alive), entry, alive)


def test_it_ends_with_its_last_message_and_is_placed_by_its_last_activity() -> None:
    found = row()

    assert (found.session.end_time, found.last_activity) == (iso(at(3)), iso(at(60)))
    assert (found.session.duration_ms, found.metrics.duration_ms) == (3_000, 3_000)
    assert place(found) == (at(60), "s1", "-repo")


def test_a_call_is_pending_while_the_session_waits_or_works() -> None:
    asked = hook_state([hook("PermissionRequest", 3, tool_name="Bash")])

    assert row(now=10).session.pending_tool == CALL
    assert row(now=400).session.pending_tool is None
    late = session_row(FACTS, asked, None, TotalMetrics(), RowContext(at(400))).session
    assert (late.status.state, late.pending_tool) == ("waiting_for_approval", CALL)


def test_what_nobody_has_told_is_unknown() -> None:
    found = row(RowFacts(session_id="s1", origin="hook"))

    assert (found.lines, found.bytes, found.agents, found.has_subagents) == (None,) * 4
    assert (found.compactions, found.message_count, found.metrics.message_count) == (None,) * 3
    about = found.session
    assert (about.models, about.files, about.todos, about.entrypoint, about.duration_ms) == (
        (None,) * 5
    )


def test_what_is_known_to_be_nothing_is_empty() -> None:
    found = row()

    assert found.session.files is not None
    assert (found.session.files.modified, found.agents, found.has_subagents) == ((), 0, False)


def test_messages_are_those_of_the_session_and_its_agents() -> None:
    agents = (AgentFacts("a1", 5, TranscriptState()), AgentFacts("a2", 2, TranscriptState()))
    found = row(structs.replace(FACTS, agents=agents))

    assert (found.metrics.message_count, found.agents) == (10, 2)
    assert found.metrics.cost_state == ClientCost(0.25)


def test_its_reader_names_pins_and_hides_it() -> None:
    found = row(title="Mine", pinned=True, hidden=True)

    assert (found.session.title, found.pinned, found.hidden) == ("Mine", True, True)
    assert (row(pinned=True).session.title, row().hidden) == ("Its own", False)


def test_the_registry_completes_what_no_transcript_tells() -> None:
    live = registered(name="Tidy", version="2.1", started_at=at(1), cwd="/r", status="busy")
    known = row(RowFacts(session_id="s1", origin="registry"), live=live).session

    assert (known.title, known.version, known.start_time) == ("Tidy", "2.1", iso(at(1)))
    assert (known.status.state, known.status.evidence) == ("working", "registry")
    assert row(live=live).session.title == "Its own"


def test_calls_run_while_whoever_made_them_is_at_work() -> None:
    busy = TranscriptState("waiting_for_approval", at(390), at(390), CALL, False, ("t2",), True)
    facts = structs.replace(FACTS, agents=(AgentFacts("a1", 1, busy),))

    def running(now: float) -> set[tuple[str, str]]:
        status = status_of(facts, NO_HOOKS, None, at(now))
        return set(running_calls(facts, status, at(now)))

    assert running(400) == {("", "t1"), ("a1", "t2")}
    assert running(800) == set()


def test_what_a_session_owns_is_added_up_over_models() -> None:
    one = ModelUsage("a", 1, 2, 3, 4, 4, 0, 10**12, 0, 0)
    other = ModelUsage("", 1, 0, 0, 0, 0, 0, 0, 1, 1)
    found = usage_sum([one, other])

    assert (found.total_tokens, found.ephemeral5m_tokens, found.cost_usd) == (11, 4, 1.0)
    assert (found.unpriced, found.lower_bound) == (("unknown",), True)
    assert (usage_sum([other]).cost_usd, usage_sum([]).cost_usd) == (None, 0.0)
