"""A generated root, opened for the tests by the name of each trap."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from unspool.demo import Truth
from unspool.demo.generator.eras import ERAS, Era
from unspool.demo.generator.root import RootBuilder
from unspool.demo.generator.session import SessionBuilder, SessionPlan

PRICES = json.loads((resources.files("unspool.source") / "prices.json").read_bytes())
HOME = "/home/dev/app"


class Begin(Protocol):
    """Begins a session of some age."""

    def __call__(self, era: str = "2.1.270") -> SessionBuilder: ...


@dataclass(frozen=True)
class Made:
    """A root and its truth."""

    path: Path
    truth: Truth
    sessions: dict[str, Any]

    def session(self, trap: str) -> Any:
        """What the truth says of a trap's session."""
        return self.sessions[self.truth.traps[trap]]

    def related(self, trap: str, relation: str) -> str:
        """The session that the truth relates to a trap's."""
        wanted = self.truth.traps[trap]
        return next(name for name, held in self.sessions.items() if held.get(relation) == wanted)

    def file(self, session: str) -> Path:
        """The main file of a session."""
        project: str = self.sessions[session]["projectId"]
        return self.path / "projects" / project / f"{session}.jsonl"

    def folder(self, trap: str) -> Path:
        """The folder beside the main file of a trap's session."""
        return self.file(self.truth.traps[trap]).with_suffix("")

    def raw(self, trap: str) -> bytes:
        """The bytes of a trap's main file."""
        return self.file(self.truth.traps[trap]).read_bytes()

    def lines(self, trap: str) -> list[Any]:
        """The readable lines of a trap's main file."""
        return readable(self.raw(trap))

    def states(self, trap: str) -> set[str]:
        """The states of a trap's tool calls."""
        return set(self.session(trap)["tools"].values())


def readable(data: bytes) -> list[Any]:
    """Parse the lines that are JSON."""
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def texts(lines: list[Any]) -> str:
    """Everything users said, in one string."""
    return "\n".join(json.dumps(line["message"]) for line in lines if line["type"] == "user")


def responses(lines: list[Any]) -> dict[str, list[Any]]:
    """Assistant messages by their id."""
    found: dict[str, list[Any]] = {}
    for line in lines:
        if line["type"] == "assistant":
            found.setdefault(line["message"].get("id", ""), []).append(line["message"])
    return found


def begun(directory: Path, era: str) -> SessionBuilder:
    """A session in a new root, nothing said yet."""
    age: Era = ERAS[era]
    return SessionBuilder(
        RootBuilder(directory / "root", 1, PRICES), SessionPlan(HOME, age, age.first)
    )


def finished(builder: SessionBuilder) -> list[Any]:
    """End a session and read its main file."""
    builder.close()
    return readable(builder.main.writer.path.read_bytes())
