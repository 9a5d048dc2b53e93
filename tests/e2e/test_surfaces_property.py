"""One answer at every step: a root is written at random, and all surfaces are asked."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.e2e.cases import PROJECT, Files, stamp
from tests.e2e.surface_fields import Json
from tests.e2e.surfaces import asked, disagreements
from tests.e2e.workspaces import Workspace
from tests.engine.roots import NOW, dated
from tests.serve.served import Served
from unspool.demo import Transcript

MODELS: Final = ("claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-4-5")
PAUSES: Final = (1, 5, 40, 200, 700, 4_000)  # seconds
BEGINNINGS: Final = ("begin", "fork", "resume")
MOST: Final = 6  # sessions: each is asked about at every step
HOOKS: Final = ("Notification", "Stop", "UserPromptSubmit", "PermissionRequest", "SessionEnd")

# What surfaces agree about today, whatever a walk does. Who makes a field one answer adds it, in
# the end to those of EVERYONE; none is ever taken out.
EVERYONE: Final = """
    agent_count agents bad_lines branch bytes compactions counted_duration counted_messages cwd
    duration end entrypoint files_modified forked_from last_activity lines lower_bound message_count
    model models origin recent_output responses source_gone start stated_usd subagents_usd unpriced
    used_models version
"""
MONEY: Final = "usd tokens input_tokens output_tokens cache_read_tokens cache_creation_tokens"
# Those who ask the ledger, those who read files and those who list agree among themselves.
AGREED: Final[dict[tuple[str, ...], str]] = {
    (): EVERYONE,
    (
        "REST cost", "cost session", "sql sessions", "sql usage", "explain",
        "cost session, no index", "REST list", "list page", "ls", "ls --json", "library rows",
    ): MONEY,
    (
        "document", "metrics", "page", "show", "export json", "export md",
        "export html", "ls --json, no index", "show, no index",
    ): f"{MONEY} state since evidence goal main_calls opens",
    (
        "REST list", "list page", "ls", "ls --json", "library rows", "sql sessions",
        "document", "page", "show",
    ): "state since evidence goal title pinned hidden",
    ("REST list", "list page", "ls", "ls --json", "library rows", "sql sessions"): "listed",
}  # fmt: skip
# While sessions only grow, and none has been silent for long, all agree about this too.
WHILE_GROWING: Final = f"""
    {EVERYONE} {MONEY} today_usd state since evidence title goal listed opens pinned hidden
"""
YOUNG: Final = 240  # seconds
BOARDS: Final = ("board", "library board", "top")


class Walk:
    """Writes one thing after another, as chance has it."""

    def __init__(self, place: Path, seed: int) -> None:
        self.workspace = Workspace(place / "claude", place / "unspool", NOW)
        self.files = Files(self.workspace)
        self.chance = Random(seed)
        self.sessions: dict[str, Transcript] = {}
        self.agents: list[Transcript] = []
        self.paths: dict[str, Path] = {}
        self.begun = 0
        self.lost = False  # something is no longer on disk
        self.begin()

    @property
    def seconds(self) -> float:
        """How long it has gone on."""
        return (self.workspace.now - NOW) / 1_000

    def step(self, ways: tuple[str, ...]) -> str:
        """Let time pass and do one of these; what it was."""
        way = self.chance.choice(ways)
        if way in BEGINNINGS and len(self.sessions) >= MOST:
            way = "grow"
        act: Callable[[], None] = getattr(self, way)
        act()
        return way

    def begin(self) -> None:
        """A new session."""
        name = self._name()
        made = Transcript(name, uuid_prefix=f"{name}-", model=self.chance.choice(MODELS))
        self.sessions[name] = made.at(stamp(self.seconds)).user(f"Build part {name}")
        self._save(made.says("Begun", usage=self._usage()))

    def grow(self) -> None:
        """More of a session."""
        made = self._any().at(stamp(self.seconds))
        kind = self.chance.randrange(6)
        if kind == 0:
            made.user("And now this").says("Done", usage=self._usage())
        elif kind == 1:
            made.calls("Bash", {"command": "make"}, usage=self._usage()).returns("ok").says("Made")
        elif kind == 2:
            made.calls("Write", {"file_path": f"/repo/{self.seconds}.py", "content": "x"})
            made.returns("no", failed=self.chance.random() < 0.5)
        elif kind == 3:
            made.compacts()
        elif kind == 4:
            made.answers(["One", "Two"], usage=self._usage(), stops=[None, "end_turn"])
        else:
            made.calls("Bash", {"command": "sleep"}, usage=self._usage())
        self._save(made)

    def send_agent(self) -> None:
        """A session sends an agent, which answers."""
        made = self._any().at(stamp(self.seconds))
        name = f"a{self._name()}"
        made.calls("Task", {"description": "Look", "prompt": f"Look {name}"}, usage=self._usage())
        call = made.dicts()[-1]["message"]["content"][0]["id"]
        agent = Transcript(made.session, agent=name, uuid_prefix=f"{name}-")
        agent.at(stamp(self.seconds + 2)).user(f"Look {name}").says("Seen", usage=self._usage())
        self.agents.append(agent.meta(agentType="Explore", description="Look", toolUseId=call))
        made.wait(3).returns("Seen", call=call)
        self._save(made)
        dated(agent.save(self.files.root), self.workspace.now)

    def grow_agent(self) -> None:
        """More of an agent's own file."""
        if self.agents:
            agent = self.chance.choice(self.agents).at(stamp(self.seconds))
            agent.calls("Bash", {"command": "ls"}, usage=self._usage()).returns("a").says("Seen")
            dated(agent.save(self.files.root), self.workspace.now)

    def fork(self) -> None:
        """A session that begins as a copy, and says so."""
        first, name = self._any(), self._name()
        made = Transcript(name, uuid_prefix=f"{name}-")
        for line in first.dicts():
            origin = {"sessionId": first.session, "messageUuid": line.get("uuid")}
            copy = {**line, "sessionId": name, "forkedFrom": origin}
            made.raw(json.dumps(copy).encode())
        self.sessions[name] = made.at(stamp(self.seconds)).user("The other way")
        self._save(made.says("Gone", usage=self._usage()))

    def resume(self) -> None:
        """A session that begins with lines of another, as versions of 2025 wrote it."""
        first, name = self._any(), self._name()
        made = Transcript(name, uuid_prefix=f"{name}-").raw(first.bytes(), newline=False)
        self.sessions[name] = made.at(stamp(self.seconds)).user("Go on")
        self._save(made.says("Gone on", usage=self._usage()))

    def mark(self) -> None:
        """The reader pins, hides or renames a session."""
        marks = self.chance.choice(({"pinned": True}, {"hidden": True}, {"title": "Mine"}))
        self.files.mark(self._any().session, **marks)

    def delete(self) -> None:
        """Claude Code sweeps a session away."""
        if len(self.sessions) > 1:
            self.files.index()
            name = self.chance.choice(sorted(self.sessions))
            del self.sessions[name]
            self.paths.pop(name).unlink()
            self.agents = [agent for agent in self.agents if agent.session != name]
            self.lost = True

    def hook(self) -> None:
        """A hook of a session, or of one that has no transcript yet."""
        known = sorted(self.sessions)
        name = self.chance.choice([*known, f"h{self.chance.randrange(3)}"])
        self.files.hook(self.chance.choice(HOOKS), self.seconds, name, prompt="Hook it")

    def pass_time(self) -> None:
        """Nothing happens for a while."""
        self.workspace.now += 1_000 * self.chance.choice(PAUSES)

    def _name(self) -> str:
        self.begun += 1
        return f"s{self.begun}"

    def _any(self) -> Transcript:
        return self.sessions[self.chance.choice(sorted(self.sessions))]

    def _usage(self) -> dict[str, int]:
        kinds = ("input_tokens", "output_tokens", "cache_read_input_tokens")
        return {kind: self.chance.randrange(5_000) for kind in kinds}

    def _save(self, made: Transcript) -> None:
        self.workspace.now = max(self.workspace.now, int(made.clock.next.timestamp() * 1_000))
        self.paths[made.session] = dated(made.save(self.files.root), self.workspace.now)


GROWING: Final = ("begin", "grow", "grow", "grow", "send_agent", "grow_agent")
ANYTHING: Final = (*GROWING, "fork", "resume", "mark", "delete", "hook", "hook", "pass_time")


def faults(walk: Walk, agreed: Mapping[tuple[str, ...], str], *, commands: bool) -> Json:
    """What surfaces disagree about now, of what they agree about."""
    found = asked(walk.workspace, bare=not walk.lost, commands=commands)
    wrong: Json = {}
    for names, fields in agreed.items():
        among = {name: answers for name, answers in found.items() if name in names or not names}
        wrong |= {field: said for field in fields.split() if (said := disagreements(among, field))}
    return wrong


@pytest.mark.parametrize("ways", [GROWING, ANYTHING], ids=["sessions grow", "anything happens"])
@pytest.mark.parametrize("steps", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_whatever_is_written_all_surfaces_give_one_answer(
    tmp_path: Path, ways: tuple[str, ...], steps: int
) -> None:
    walk, story = Walk(tmp_path, steps), ["begin"]
    for number in range(steps):
        story.append(walk.step(ways))
        is_young = ways is GROWING and walk.seconds < YOUNG
        agreed = {**AGREED, (): WHILE_GROWING} if is_young else AGREED

        assert faults(walk, agreed, commands=number % 10 == 9) == {}, story


def answers(site: Served, sessions: Iterable[str]) -> list[Json]:
    """The document and the events of each session."""
    paths = (f"/api/sessions/{PROJECT}/{name}" for name in sessions)
    events = (f"/api/sessions/{name}/events?limit=500" for name in sessions)
    return [site.ask(path).json() for path in (*paths, *events)]


def test_a_server_that_was_there_says_what_one_that_starts_says(tmp_path: Path) -> None:
    walk = Walk(tmp_path, 5)
    walk.workspace.index()
    with walk.workspace.served(Served) as kept:
        for number in range(20):
            walk.step(GROWING)
            walk.workspace.index()
            grown = answers(kept, walk.sessions)
            if number % 5 == 4:
                with walk.workspace.served(Served) as fresh:
                    assert grown == answers(fresh, walk.sessions)


def test_the_walk_makes_every_kind_of_session(tmp_path: Path) -> None:
    walk = Walk(tmp_path, 4)
    ways = {walk.step(ANYTHING) for _ in range(60)}

    assert ways == set(ANYTHING)
    assert PROJECT in {path.parent.name for path in walk.paths.values()}
