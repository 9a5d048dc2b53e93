"""A hub as a process with a PostgreSQL of its own, its people, and machines that send to it.

What machines send are real envelopes, made before anything is measured: to derive them costs a
machine, not the hub. All machines send the same sessions, and each is another person's, so the
hub has nothing of one that would spare it work of another.
"""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from threading import Thread
from time import gmtime, monotonic, sleep, strftime
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from unspool.cli.config import now
from unspool.demo import Transcript
from unspool.engine.indexing.replay import Replay
from unspool.hub.collector.link import HubAnswer, HubLink
from unspool.hub.envelope import sealed
from unspool.model.files import TailState
from unspool.model.rows import SourceRow
from unspool.model.shipping import (
    PROTOCOL,
    EnrolAnswer,
    EnrolRequest,
    Envelope,
    Receipt,
    Shipment,
    ShippedPiece,
)
from unspool.serve.runtime import Runtime, read_runtime
from unspool.store.pack import packed
from unspool.store.postgres.database import Pool, open_pool
from unspool.store.postgres.embedded import embedded_server
from unspool.store.postgres.people import PeopleTable

PATIENCE: Final = 120.0
PROJECT: Final = "-repo"
# In one line of two, of a hundred, and of some thousands.
WORDS: Final = {"common": "everywhere", "middling": "sometimes", "rare": "hapax"}
_MIDDLING: Final = 100
_VOCABULARY: Final = 20_000
_BEGUN: Final = now()  # what is made twice is the same
_USAGE: Final = {"input_tokens": 3, "output_tokens": 50, "cache_read_input_tokens": 10_000}


class Body(NamedTuple):
    """A sealed envelope, and what is in it."""

    data: bytes
    lines: int
    size: int  # of the lines, in bytes


class Machine(NamedTuple):
    """An enrolled machine, its key, and the token of its person."""

    name: str
    key: str
    token: str
    owner: int


class Sending(NamedTuple):
    """What was acknowledged: seconds of each envelope, all lines, and how long it took."""

    seconds: list[float]
    lines: int
    took: float


class HubSite:
    """A hub that runs."""

    def __init__(self, runtime: Runtime, pool: Pool, postmaster: int) -> None:
        self.runtime, self.pool, self.pid = runtime, pool, runtime.pid
        self._postmaster, self.lines = postmaster, 0  # that were acknowledged
        self.url, self._people = runtime.url, PeopleTable(pool)
        self.machines: list[Machine] = []
        self._sent: dict[str, int] = {}
        self._links: dict[str, HubLink] = {}

    def enrol(self, count: int) -> list[Machine]:
        """Have so many machines, each of a person of its own."""
        for number in range(len(self.machines), count):
            name = f"box{number}"
            token = self._people.add_person(name, "member", now())
            owner = next(one.owner for one in self._people.people() if one.name == name)
            code = self._people.new_code(owner, now())
            answer = self._people.enrol(EnrolRequest(code=code, name=name), now())
            if not isinstance(answer, EnrolAnswer):
                raise RuntimeError(answer)
            self.machines.append(Machine(name, answer.key, token, owner))
        return self.machines[:count]

    def send(self, bodies: Sequence[Body], *, threads: int, until: float = 0.0) -> Sending:
        """Let all machines send, in turn, what they have not sent yet; until some moment."""
        seconds: list[list[float]] = [[] for _ in range(threads)]
        lines, begun, trouble = [0] * threads, monotonic(), list[str]()

        def run(part: int) -> None:
            mine = self.machines[part::threads]
            for number, body in enumerate(bodies):
                for machine in mine:
                    if number < self._sent.get(machine.name, 0):
                        continue
                    if trouble or (until and monotonic() > until):
                        return
                    try:
                        seconds[part].append(self.post(machine, body.data))
                    except RuntimeError as error:
                        trouble.append(str(error))
                        return
                    self._sent[machine.name] = number + 1
                    lines[part] += body.lines

        running = [Thread(target=run, args=(part,)) for part in range(threads)]
        for one in running:
            one.start()
        for one in running:
            one.join()
        if trouble:
            raise RuntimeError(trouble[0])
        self.lines += sum(lines)
        return Sending([one for some in seconds for one in some], sum(lines), monotonic() - begun)

    def post(self, machine: Machine, data: bytes) -> float:
        """Send one envelope; seconds until all of it was acknowledged."""
        if machine.name not in self._links:
            self._links[machine.name] = HubLink(self.url, machine.key)
        begun = monotonic()
        answer = self._links[machine.name].send(data)
        if isinstance(answer, HubAnswer) and answer.status == 0:  # a connection that was idle
            answer = self._links[machine.name].send(data)
        if not isinstance(answer, Receipt) or answer.expected or answer.refused:
            raise RuntimeError(f"{machine.name}: {answer}")
        return monotonic() - begun

    def get(self, path: str) -> tuple[float, bytes]:
        """Seconds and the answer of one request of the hub's own admin."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
        begun = monotonic()
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.runtime.token}"})
        answer = connection.getresponse()
        data = answer.read()
        seconds = monotonic() - begun
        connection.close()
        if answer.status != http.client.OK:
            raise RuntimeError(f"{path}: {answer.status} {data[:200]!r}")
        return seconds, data

    def cpu(self) -> tuple[float, float]:
        """Seconds of processors so far: of the hub, and of PostgreSQL with all its backends."""
        children = Path(f"/proc/{self._postmaster}/task/{self._postmaster}/children").read_text()
        backends = sum(sum(_times(int(pid))[:2]) for pid in children.split())
        return sum(_times(self.pid)[:2]), backends + sum(_times(self._postmaster)[2:])

    def waiting_texts(self) -> int:
        """How many lines searches do not find yet."""
        return int(json.loads(self.get("/api/hub")[1])["waitingTexts"])

    def caught_up(self, patience: float) -> float:
        """Seconds until searches find everything, or all that one is ready to wait."""
        begun = monotonic()
        while self.waiting_texts() and monotonic() - begun < patience:
            sleep(0.2)
        return monotonic() - begun


def _times(pid: int) -> list[float]:
    """Seconds of a process, of user and system, and those of its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:  # it has just ended
        return [0.0] * 4
    return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15]]


@contextmanager
def hub_site(place: Path) -> Iterator[HubSite]:
    """A new hub, without people but its own."""
    home = place / "hub"
    with ExitStack() as stack:
        server = embedded_server(place / "postgres")
        stack.callback(server.cleanup)
        url = str(server.get_uri())
        command = [sys.executable, "-m", "unspool", "hub", "serve", "--port", "0"]
        environment = {**os.environ, "UNSPOOL_HOME": str(home)}
        running = stack.enter_context(
            subprocess.Popen(  # noqa: S603 - our own command
                [*command, "--database-url", url], env=environment, stdout=subprocess.DEVNULL
            )
        )
        stack.callback(running.terminate)
        deadline = monotonic() + PATIENCE
        while (runtime := read_runtime(home)) is None:
            if running.poll() is not None or monotonic() > deadline:
                raise RuntimeError("The hub did not start.")
            sleep(0.1)
        pool = open_pool(url)
        stack.callback(pool.close)
        yield HubSite(runtime, pool, server.get_pid())


def bodies(lines: int, *, each: int = 40, session: int = 200) -> list[Body]:
    """Envelopes with so many lines in all, some lines of one session in each.

    Their words are as frequent as those of a language: few of them are most of a text.
    """
    dice, made = Random(1), list[Body]()  # noqa: S311 - seeded
    for number in range(-(-lines // session)):
        talk, source = _talk(dice, f"s{number:05}", session), Growing(number + 1, f"s{number:05}")
        for first in range(0, session, each):
            made.append(source.body(b"".join(talk[first : first + each])))
    return made


class Growing:
    """A source of a machine; each envelope is the lines that came since the last one."""

    def __init__(self, source_id: int, session: str) -> None:
        path = f"projects/{PROJECT}/{session}.jsonl"
        self._source = SourceRow(
            source_id=source_id, root="/claude", path=path, kind="main", project_id=PROJECT,
            session_id=session,
        )  # fmt: skip
        self._replay, self._mark = Replay(self._source), b""

    def body(self, data: bytes) -> Body:
        """The next lines, as a machine ships them."""
        begins = self._replay.offset
        segment = packed(self._source.source_id, 0, begins, data)
        self._replay.feed(segment)
        batch = self._replay.take()
        batch = replace(batch, source=replace(batch.source, tail=TailState()))
        before, self._mark = self._mark, blake2b(data, digest_size=8).digest()
        piece = ShippedPiece(begins, segment.end, segment.checksum, segment.packed)
        shipment = Shipment(batch=batch, before=before, after=self._mark, pieces=[piece])
        given = Envelope(v=PROTOCOL, sent_at=now(), mode="raw", shipments=[shipment])
        return Body(sealed(given), len(batch.lines), len(data))


def _talk(dice: Random, session: str, lines: int, words: int = 70) -> list[bytes]:
    """Prompts, answers, calls and results in turn, a session of the last days."""
    said = partial(_text, dice, words)
    start = strftime("%FT%TZ", gmtime(_BEGUN / 1000 - dice.randrange(7 * 86_400)))
    made = Transcript(session, start=start, uuid_prefix=f"{session}-")
    for number in range(-(-lines // 4)):
        id = f"{session}-{number}"
        made.user(said(number)).says(said(number), usage=_USAGE, id=id)
        made.calls("Bash", {"command": said(number)}, id=f"toolu_{id}")
        made.returns(said(number))
    return made.bytes().splitlines(keepends=True)[:lines]


def _text(dice: Random, words: int, number: int) -> str:
    count = dice.randrange(words // 3, 2 * words - words // 3)
    ranks = (int(_VOCABULARY ** dice.random()) for _ in range(count))
    said = [f"w{rank:x}" for rank in ranks]
    said += [WORDS["common"]] * (dice.random() < 0.5)
    said += [WORDS["middling"]] * (dice.randrange(_MIDDLING) == 0)
    said += [WORDS["rare"]] * (number == 0 and dice.randrange(20) == 0)
    return " ".join(said)


def large_session(session: str = "large") -> list[Body]:
    """One session of 20 MB, which are 12,000 lines, in envelopes of 200 KB."""
    talk = _talk(Random(2), session, 12_000, words=300)  # noqa: S311 - seeded
    source, each = Growing(1_000_000, session), 120
    return [source.body(b"".join(talk[n : n + each])) for n in range(0, len(talk), each)]
