"""A root that is written step by step, as chance has it, what it has cost, and who errs."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from tests.e2e.cases import PROJECT, Files, stamp
from tests.e2e.surface_fields import Json, Key, pico
from tests.e2e.surfaces import Surfaces, all_fields, disagreements, sums_of
from tests.e2e.workspaces import Workspace
from tests.engine.roots import NOW, dated
from unspool.demo import Transcript

# Picodollars for a token that is read, written, or read from the cache.
RATES: Final = {
    "claude-sonnet-4-6": (3_000_000, 15_000_000, 300_000),
    "claude-opus-4-7": (5_000_000, 25_000_000, 500_000),
    "claude-haiku-4-5": (1_000_000, 5_000_000, 100_000),
}
COUNTS: Final = ("input_tokens", "output_tokens", "cache_read_input_tokens")
PAUSES: Final = (1, 5, 40, 200, 700, 4_000)  # seconds
BEGINNINGS: Final = ("begin", "fork", "resume")
MOST: Final = 6  # sessions: each is asked about at every step
HOOKS: Final = ("Notification", "Stop", "UserPromptSubmit", "PermissionRequest", "SessionEnd")


class Walk:
    """Writes one thing after another, as chance has it."""

    def __init__(self, place: Path, seed: int) -> None:
        self.workspace = Workspace(place / "claude", place / "unspool", NOW)
        self.files = Files(self.workspace)
        self.chance = Random(seed)
        self.sessions: dict[str, Transcript] = {}
        self.agents: list[Transcript] = []
        self.legacy: set[str] = set()  # agents whose files lie beside the sessions
        self.paths: dict[str, Path] = {}
        self.begun = 0
        self.lost: set[str] = set()  # sessions of which something is no longer on disk
        self.touched: set[str] = set()  # by the last step
        self.kin: set[tuple[str, str]] = set()  # sessions that link to each other
        self.responses: dict[str, Json] = {}  # by id: what is paid stays paid
        self.begin()

    @property
    def seconds(self) -> float:
        """How long it has gone on."""
        return (self.workspace.now - NOW) / 1_000

    @property
    def spent(self) -> tuple[int, int]:
        """The truth: picodollars and tokens of all responses, each once."""
        usd = tokens = 0
        for message in self.responses.values():
            counts = [message["usage"].get(name, 0) for name in COUNTS]
            usd += sum(map(int.__mul__, counts, RATES[message["model"]]))
            tokens += sum(counts)
        return usd, tokens

    def plan(self, ways: tuple[str, ...], steps: int) -> list[str]:
        """So many steps in any order, and each way among them."""
        each = list(dict.fromkeys(ways))[:steps]
        more = self.chance.choices(ways, k=steps - len(each))
        return self.chance.sample([*each, *more], k=steps)

    @property
    def asked(self) -> set[Key]:
        """The sessions of the last step."""
        return {(PROJECT, name) for name in self.touched}

    @property
    def told(self) -> set[Key]:
        """Those of them of which the files alone tell everything, links to others too."""
        lost = self.lost | {a for pair in self.kin for a, b in (pair, pair[::-1]) if b in self.lost}
        return {(PROJECT, name) for name in self.touched - lost}

    def step(self, ways: tuple[str, ...]) -> str:
        """Let time pass and do one of these; what it was."""
        way = self.chance.choice(ways)
        self.touched.clear()
        if way in BEGINNINGS and len(self.sessions) >= MOST:
            way = "grow"
        act: Callable[[], None] = getattr(self, way)
        act()
        return way

    def begin(self) -> None:
        """A new session."""
        name = self._name()
        made = Transcript(name, uuid_prefix=f"{name}-", model=self.chance.choice(list(RATES)))
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
        agent = self._agent(made, name)
        self.agents.append(agent.meta(agentType="Explore", description="Look", toolUseId=call))
        made.wait(3).returns("Seen", call=call)
        self._save(made)
        self._save_agent(agent)

    def send_legacy_agent(self) -> None:
        """The same as until 2025: its file lies beside the sessions and says nothing else."""
        made = self._any().at(stamp(self.seconds))
        name = f"l{self._name()}"
        made.calls("Task", {"description": "Look", "prompt": f"Look {name}"}, usage=self._usage())
        agent = self._agent(made, name)
        self.agents.append(agent)
        self.legacy.add(name)
        self._save(made.wait(3).returns("Seen"))
        self._save_agent(agent)

    def send_inline_agent(self) -> None:
        """An agent that writes into the file of its session."""
        made = self._any().at(stamp(self.seconds))
        side: Json = {"isSidechain": True, "agentId": f"i{self._name()}"}
        ask = {"description": "Look", "prompt": f"Look {side['agentId']}"}
        made.calls("Task", ask, usage=self._usage())
        call = made.dicts()[-1]["message"]["content"][0]["id"]
        made.user(ask["prompt"], parentUuid=None, **side)
        made.calls("Bash", {"command": "ls"}, usage=self._usage(), **side).returns("a", **side)
        made.says("Seen", usage=self._usage(), **side).returns("Seen", call=call)
        self._save(made)

    def grow_agent(self) -> None:
        """More of an agent's own file."""
        if self.agents:
            agent = self.chance.choice(self.agents).at(stamp(self.seconds))
            agent.calls("Bash", {"command": "ls"}, usage=self._usage()).returns("a").says("Seen")
            self.touched.add(agent.session)
            self._save_agent(agent)

    def fork(self) -> None:
        """A session that begins as a copy, and says so."""
        first, name = self._any(), self._name()
        made = Transcript(name, uuid_prefix=f"{name}-")
        for line in first.dicts():
            origin = {"sessionId": first.session, "messageUuid": line.get("uuid")}
            copy = {**line, "sessionId": name, "forkedFrom": origin}
            made.raw(json.dumps(copy).encode())
        self.kin.add((first.session, name))
        self.sessions[name] = made.at(stamp(self.seconds)).user("The other way")
        self._save(made.says("Gone", usage=self._usage()))

    def resume(self) -> None:
        """A session that begins with lines of another, as versions of 2025 wrote it."""
        first, name = self._any(), self._name()
        made = Transcript(name, uuid_prefix=f"{name}-").raw(first.bytes(), newline=False)
        self.kin.add((first.session, name))
        self.sessions[name] = made.at(stamp(self.seconds)).user("Go on")
        self._save(made.says("Gone on", usage=self._usage()))

    def mark(self) -> None:
        """The reader pins, hides or renames a session."""
        marks = self.chance.choice(({"pinned": True}, {"hidden": True}, {"title": "Mine"}))
        self.files.mark(self._any().session, **marks)

    def rewrite(self) -> None:
        """A file is written again without one of its lines; what they cost is paid."""
        self.files.index()
        name = self._any().session
        lines = self.sessions[name].bytes().splitlines(keepends=True)
        del lines[self.chance.randrange(len(lines))]
        made = Transcript(name, uuid_prefix=f"{self._name()}-").raw(b"".join(lines), newline=False)
        self.sessions[name] = made.at(stamp(self.seconds)).user("Once more")
        self.paths[name].unlink()
        self.lost.add(name)
        self._save(made.says("Done", usage=self._usage()))

    def delete(self) -> None:
        """Claude Code sweeps a session away, and not its agents."""
        if len(self.sessions) == 1:
            self.begin()
        self.files.index()
        name = self._any().session
        del self.sessions[name]
        self.paths.pop(name).unlink()
        self.agents = [agent for agent in self.agents if agent.session != name]
        self.lost.add(name)

    def hook(self) -> None:
        """A hook of a session, or of one that has no transcript yet."""
        known = sorted(self.sessions)
        name = self.chance.choice([*known, f"h{self.chance.randrange(3)}"])
        self.touched.add(name)
        self.files.hook(self.chance.choice(HOOKS), self.seconds, name, prompt="Hook it")

    def register(self) -> None:
        """The one process that lives says in the registry what it does in a session."""
        status = self.chance.choice(("busy", "idle", "waiting"))
        self.files.register(self._any().session, status, self.seconds)

    def pass_time(self) -> None:
        """Nothing happens for a while."""
        self._any()
        self.workspace.now += 1_000 * self.chance.choice(PAUSES)

    def _name(self) -> str:
        self.begun += 1
        return f"s{self.begun}"

    def _agent(self, made: Transcript, name: str) -> Transcript:
        agent = Transcript(made.session, agent=name, uuid_prefix=f"{name}-")
        agent.at(stamp(self.seconds + 2)).user(f"Look {name}")
        return agent.says("Seen", usage=self._usage())

    def _any(self) -> Transcript:
        name = self.chance.choice(sorted(self.sessions))
        self.touched.add(name)
        return self.sessions[name]

    def _usage(self) -> dict[str, int]:
        return {kind: self.chance.randrange(5_000) for kind in COUNTS}

    def _count(self, made: Transcript) -> None:
        messages = (line["message"] for line in made.dicts() if line["type"] == "assistant")
        self.responses |= {message["id"]: message for message in messages}

    def _save_agent(self, agent: Transcript) -> None:
        self._count(agent)
        path = agent.path_in(self.files.root)
        if agent.agent in self.legacy:
            path = agent.write(path.parents[2] / path.name)
        else:
            agent.save(self.files.root)
        dated(path, self.workspace.now)

    def _save(self, made: Transcript) -> None:
        self._count(made)
        self.touched.add(made.session)
        self.workspace.now = max(self.workspace.now, int(made.clock.next.timestamp() * 1_000))
        self.paths[made.session] = dated(made.save(self.files.root), self.workspace.now)


GROWING: Final = (
    "begin", "grow", "grow", "grow", "send_agent", "send_legacy_agent", "send_inline_agent",
    "grow_agent",
)  # fmt: skip
ANYTHING: Final = (
    *GROWING, "fork", "resume", "rewrite", "mark", "delete", "hook", "hook", "register",
    "pass_time",
)  # fmt: skip


def faults(walk: Walk, found: Surfaces) -> Json:
    """What surfaces disagree about, and whose sum over all sessions is not the truth."""
    wrong: Json = {
        field: said for field in all_fields(found) if (said := disagreements(found, field))
    }
    return {**wrong, **_wrong_sums(walk, found)}


def _wrong_sums(walk: Walk, found: Surfaces) -> Json:
    """Sums over all sessions, and the total of `cost`, where they are not what was spent."""
    sums = sums_of(found)
    report = walk.workspace.json("cost", "--json")["totals"]
    sums["cost"] = pico(report["totalCost"]) or 0, report["totalTokens"]
    return {name: (sum, walk.spent) for name, sum in sums.items() if sum != walk.spent}
