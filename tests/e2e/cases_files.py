"""Which files are read and as what, how far, and what of those that are gone."""

from tests.e2e.cases import HOUR, PROJECT, Files, case, stamp
from tests.e2e.cases_usage import PAID, USAGE, paid
from unspool.demo import Transcript

S1, OTHER = (PROJECT, "s1"), ("-other", "s1")


@case(
    right={"usd": {S1: PAID, OTHER: 2 * PAID}, "on_board": {S1: True, OTHER: True}},
)
def one_session_id_in_two_projects(files: Files) -> None:
    """A session is a project and an id."""
    files.save(paid())
    other = Transcript("s1", "/other", uuid_prefix="o", start=stamp(5)).user("Do that")
    files.save(other.says("One", usage=USAGE, id="o1").says("Two", usage=USAGE, id="o2"))


@case(
    right={
        "state": {S1: "waiting_for_input", OTHER: "waiting_for_approval"},
        "evidence": {S1: "inferred", OTHER: "hook"},
    },
)
def a_hook_of_one_of_two_projects(files: Files) -> None:
    """A hook is of the project it names."""
    one_session_id_in_two_projects(files)
    place = str(files.root / "projects" / "-other" / "s1.jsonl")
    files.hook("PermissionRequest", 20, transcript_path=place, cwd="/other", tool_name="Bash")


@case(
    seconds=45,
    right={"usd": 2 * PAID, "lines": 3},
)
def a_whole_last_line_without_its_newline(files: Files) -> None:
    """After 30 quiet seconds it counts for everyone."""
    made = paid().says("More", usage=USAGE, id="m2")
    files.write(f"{PROJECT}/s1.jsonl", made.bytes().removesuffix(b"\n"), 3)


@case(
    seconds=10,
    right={"usd": PAID, "lines": 2},
)
def a_whole_last_line_without_its_newline_just_now(files: Files) -> None:
    """Until then it counts for no one."""
    made = paid().says("More", usage=USAGE, id="m2")
    files.write(f"{PROJECT}/s1.jsonl", made.bytes().removesuffix(b"\n"), 3)


@case(
    seconds=45,
    right={"usd": PAID, "lines": 2},
)
def a_last_line_glued_to_a_torn_one(files: Files) -> None:
    """Where something is torn, all of it waits for its end."""
    made = paid()
    rest = Transcript("s1", start=stamp(2), uuid_prefix="b").says("More", usage=USAGE, id="m2")
    torn = b'{"type":"assistant","mess' + rest.bytes().removesuffix(b"\n")
    files.write(f"{PROJECT}/s1.jsonl", made.bytes() + torn, 3)


@case(
    seconds=45,
    right={"usd": PAID, "lines": 2, "bad_lines": 0},
)
def half_a_last_line(files: Files) -> None:
    """Half a line is none."""
    files.write(f"{PROJECT}/s1.jsonl", paid().bytes() + b'{"type":"assistant","mess', 3)


@case(
    right={"usd": 2 * PAID, "agents": {S1: {"q1": PAID}}},
)
def an_agent_in_both_layouts(files: Files) -> None:
    """The copy beside the sessions is left alone, also when it grows."""
    agent = Transcript("s1", agent="q1", uuid_prefix="q", start=stamp(5)).user("Look")
    agent.says("Seen", usage=USAGE, id="q1")
    files.save(paid(), agent)
    path = files.write(f"{PROJECT}/agent-q1.jsonl", agent.bytes(), 8)
    files.index()
    agent.says("More", usage=USAGE, id="q2")
    files.write(f"{PROJECT}/agent-q1.jsonl", agent.bytes(), 9)
    files.look(path)


@case(right={"listed": {S1: True}, "usd": PAID})
def files_that_were_put_aside(files: Files) -> None:
    """Orphaned and superseded files are no sessions, also when they grow."""
    files.save(paid())
    files.index()
    aside = Transcript("s2", uuid_prefix="o").user("Aside").says("Done", usage=USAGE, id="o1")
    agent = Transcript("s3", agent="a1", uuid_prefix="p").user("Aside").says("x", id="p1")
    files.look(
        files.write(f"{PROJECT}/s2.orphaned.jsonl", aside.bytes(), 5),
        files.write(f"{PROJECT}/s3.orphaned/subagents/agent-a1.jsonl", agent.bytes(), 5),
        files.write(f"{PROJECT}/agent-+bad.jsonl", aside.bytes(), 5),
    )


@case(
    right={"source_gone": True, "usd": PAID, "opens": True, "listed": True},
    index=False,
    bare=False,
)
def a_file_deleted_before_the_next_sweep(files: Files) -> None:
    """The watcher's word that it is gone is enough."""
    path = files.save(paid())
    files.index()
    path.unlink()
    files.look(path)


@case(right={"source_gone": True, "usd": PAID, "opens": True, "listed": True}, bare=False)
def a_file_deleted_and_swept(files: Files) -> None:
    path = files.save(paid())
    files.index()
    path.unlink()


@case(
    seconds=HOUR,
    right={"source_gone": True, "usd": PAID, "opens": True, "listed": True},
    bare=False,
)
def a_file_deleted_and_swept_an_hour_later(files: Files) -> None:
    a_file_deleted_and_swept(files)


@case(
    right={
        "usd": {S1: PAID, (PROJECT, "gone"): PAID},
        "listed": {(PROJECT, "gone"): True},
        "opens": {(PROJECT, "gone"): True},
    },
)
def a_legacy_agent_whose_parent_is_gone(files: Files) -> None:
    """What is counted is listed and opens."""
    files.save(paid())
    agent = Transcript("gone", agent="q1", uuid_prefix="q").user("Look")
    agent.says("Seen", usage=USAGE, id="q1")
    files.write(f"{PROJECT}/agent-q1.jsonl", agent.bytes(), 5)


NAMELESS = {(PROJECT, "q1"): True, (PROJECT, "q2"): True}


@case(
    right={"usd": {key: PAID for key in NAMELESS}, "listed": NAMELESS, "opens": NAMELESS},
)
def legacy_agents_that_name_no_session_or_none_that_can_be(files: Files) -> None:
    """Each is a session by itself."""
    for agent, session in (("q1", b""), ("q2", b'"sessionId":"../s1",')):
        made = Transcript("s1", agent=agent, uuid_prefix=agent).user("Look")
        data = made.says("Seen", usage=USAGE, id=agent).bytes()
        data = data.replace(b'"sessionId":"s1",', session)
        files.write(f"{PROJECT}/agent-{agent}.jsonl", data, 5)


@case(
    right={
        "usd": 3 * PAID,
        "listed": True,
        "opens": True,
        "origin": "agents",
        "title": "Look",
        "agents": {S1: {"a1": PAID, "a2": 2 * PAID}},
        "start": stamp(5),
        "end": stamp(22),
        "source_gone": False,
    },
)
def agents_whose_session_is_gone(files: Files) -> None:
    """The agent that began first speaks for the session."""
    late = Transcript("s1", agent="a2", uuid_prefix="b", start=stamp(20)).user("Look again")
    late.says("Seen", usage=USAGE, id="a2").says("All seen", usage=USAGE, id="a3")
    early = Transcript("s1", agent="a1", uuid_prefix="a", start=stamp(5)).user("Look")
    files.save(late, early.says("Seen", usage=USAGE, id="a1"))


@case(
    seconds=HOUR,
    right={"usd": PAID, "listed": True, "opens": True, "origin": "agents", "source_gone": True},
    bare=False,
)
def agents_whose_session_was_gone_deleted_and_swept(files: Files) -> None:
    """The archive has them."""
    agent = Transcript("s1", agent="a1", uuid_prefix="a", start=stamp(5)).user("Look")
    path = files.save(agent.says("Seen", usage=USAGE, id="a1"))
    files.index()
    path.unlink()


@case(
    right={"usd": PAID, "listed": True, "opens": True, "origin": "hook", "title": "Build it"},
)
def hooks_and_agents_of_a_session_that_is_gone(files: Files) -> None:
    """Hooks know more of it than its agents."""
    files.hook("UserPromptSubmit", 2, prompt="Build it")
    agent = Transcript("s1", agent="a1", uuid_prefix="a", start=stamp(5)).user("Look")
    files.save(agent.says("Seen", usage=USAGE, id="a1"))


@case(right={"agents": {S1: {"q1": PAID}}, "usd": 2 * PAID})
def a_legacy_agent(files: Files) -> None:
    agent = Transcript("s1", agent="q1", uuid_prefix="q", start=stamp(5)).user("Look")
    files.save(paid())
    files.write(f"{PROJECT}/agent-q1.jsonl", agent.says("Seen", usage=USAGE, id="q1").bytes(), 8)


ODD = ["a b+c'ö", '100%25"#?&', "-rf", "..dots", "back\\slash", "x" * 100]


@case(
    right={"opens": {**{(PROJECT, name): True for name in ODD}, ("-odd dir+%#\\", "s1"): True}},
)
def names_with_odd_characters(files: Files) -> None:
    """What is listed opens."""
    for number, name in enumerate([*ODD, "."]):
        made = Transcript(name, uuid_prefix=f"{number}-").user("Do it")
        made.says("Done", usage=USAGE, id=f"m{number}")
        files.write(f"{PROJECT}/{name}.jsonl", made.bytes(), 3)
    odd = Transcript("s1", uuid_prefix="o").user("Do it").says("Done", usage=USAGE, id="o1")
    files.write("-odd dir+%#\\/s1.jsonl", odd.bytes(), 3)


@case(right={"listed": False, "opens": False})
def an_empty_file(files: Files) -> None:
    """A session that has not begun is none, even where everything is listed."""
    files.write(f"{PROJECT}/s1.jsonl", b"", 3)


@case(right={"listed": False, "opens": True})
def a_file_with_nothing_to_read(files: Files) -> None:
    files.save(Transcript("s1").entry("mode", mode="normal"), seconds=3)


@case(
    right={"source_gone": True, "usd": PAID, "origin": "transcript"},
    bare=False,
)
def a_file_that_hooks_told_of_deleted_and_swept(files: Files) -> None:
    """It is the same session, whoever told of it too."""
    files.hook("UserPromptSubmit", 0.1, prompt="Do it")
    a_file_deleted_and_swept(files)
